// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"meshwright/fabric/booking"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// bothWays plans an allreduce: a reduce-scatter in rounds, and then an all-gather. A node begins to send its piece as soon as its sum is complete.
func bothWays(t *plan.Task) (*transfer.List, router.Cycle, error) {
	var parts [2]*network
	for i := range parts {
		n, err := newNetwork(t, i == 0)
		if err != nil {
			return nil, 0, err
		}
		n.least, n.most, n.symmetricMost = 0, n.most/2, n.symmetricMost/2
		parts[i] = n
	}
	var made [2]*schedule
	var searches sync.WaitGroup
	for i, n := range parts {
		searches.Go(func() { made[i] = n.fastest() })
	}
	searches.Wait()
	if err := t.Ctx.Err(); err != nil {
		return nil, 0, err
	}
	best := joinedAt(parts, made, true)
	if other := joinedAt(parts, made, false); other.cycles < best.cycles {
		best = other
	}
	return best.list(parts[0]), best.cycles, nil
}

// joined is the messages of an allreduce: the first ones bring sums.
type joined struct {
	messages []message
	sums     int
	cycles   router.Cycle
}

// joinedAt books the messages of a reduce-scatter, not before their own times or as early as they can go, and then those of an all-gather.
func joinedAt(parts [2]*network, made [2]*schedule, own bool) *joined {
	j := &joined{sums: len(made[0].messages)}
	for _, m := range made[0].messages {
		j.messages = append(j.messages, made[0].forwards(m))
	}
	j.messages = append(j.messages, made[1].messages...)
	for _, part := range [...][]message{j.messages[:j.sums], j.messages[j.sums:]} {
		slices.SortStableFunc(part, func(a, b message) int { return cmp.Compare(a.handed, b.handed) })
	}
	n, book := parts[1], booking.NewStalling(parts[1].Topology, parts[1].Machine, false)
	has := make([]router.Cycle, n.nodes*n.nodes) // by node and piece: when what it sends of it is complete
	for i := range j.messages {
		m, ready := &j.messages[i], router.Cycle(0)
		for set := m.pieces; set != 0; set &= set - 1 {
			ready = max(ready, has[n.pair(m.from, int32(bits.TrailingZeros64(set)))])
		}
		if own && i < j.sums {
			ready = max(ready, m.handed)
		}
		source, route := n.way(m.from, m.to)
		m.handed, m.whole = book.Reserve(source, route, n.words(m.pieces), ready)
		for set := m.pieces; set != 0; set &= set - 1 {
			at := &has[n.pair(m.to, int32(bits.TrailingZeros64(set)))]
			*at = max(*at, m.whole)
		}
		j.cycles = max(j.cycles, m.whole+1)
	}
	return j
}

// list turns messages into transfers.
func (j *joined) list(n *network) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true, Transfers: make([]transfer.Transfer, len(j.messages))}
	for i, m := range j.messages {
		op := transfer.Put
		if i < j.sums {
			op = transfer.Add
		}
		l.Transfers[i] = n.transferOf(m, op)
	}
	l.InSteps()
	return l
}
