// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// Exchange sends every node's words for every other node.
func Exchange(t *plan.Task) (*plan.Plan, error) {
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	if err := t.NeedBlocks(plan.PerBlock); err != nil {
		return nil, err
	}
	n.resumes = true
	n.next = make([][]int32, n.nodes*n.nodes)
	drafts := n.exchangeDrafts()
	best, err := n.fastest(drafts, (*network).carry)
	if err != nil {
		return nil, err
	}
	if best, err = n.settle(best, drafts); err != nil {
		return nil, err
	}
	list, extra := n.carriedList(best)
	p, err := t.KeepingPlan(list, extra)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(best.messages, func(m message) bool { return m.route != nil }) {
		p.Machine.Routing = machine.Source
	}
	return n.finish(best, p), nil
}

// exchangeDrafts lists what is tried: limits for the words and the links of a message, and what counts.
func (n *network) exchangeDrafts() (list []draft) {
	words := slices.Max(n.Lengths)
	n.longest, n.total = max(1, words), n.TotalWords()
	startup := int(n.model.Startup / n.model.Flit)
	for _, most := range []int{n.total * n.nodes, 4 * startup, startup, words} {
		if most < words || most > words && startup == 0 {
			continue
		}
		for reach := n.Furthest; ; reach = (reach + 1) / 2 {
			for _, scarce := range []bool{false, true} {
				for _, local := range []bool{false, true} {
					list = append(list, draft{try: try{most: most, reach: reach, scarce: scarce, local: local, seed: n.Seed + uint64(len(list))}})
				}
			}
			if reach == 1 || most == words {
				break
			}
		}
	}
	return list
}

// carriedList turns a schedule into transfers, and returns for each node how many words it keeps for others. A message belongs to the step behind all messages that are
// whole by then.
func (n *network) carriedList(s *schedule) (l *transfer.List, extra []int) {
	s.inTime()
	l = &transfer.List{Nodes: n.nodes, Timed: true}
	k := &keeper{network: n, places: map[int32]transfer.Range{}, extra: make([]int, n.nodes)}
	step := 0
	var arriving heap.Heap[arrival]
	for i := range s.messages {
		m := &s.messages[i]
		for len(arriving) > 0 && arriving[0].at <= m.handed {
			step = max(step, l.Transfers[arriving.Pop().message].Step+1)
		}
		arriving.Push(arrival{m.whole, int32(i)})
		out, in := k.move(m)
		l.Transfers = append(l.Transfers, transfer.Transfer{
			Step: step, From: router.NodeID(m.from), To: router.NodeID(m.to), Out: out, In: in, Route: m.route, Start: m.handed, Due: m.whole,
		})
	}
	return l, k.extra
}

// keeper gives the blocks that wait at other nodes places behind these nodes' own words.
type keeper struct {
	*network
	places map[int32]transfer.Range // by block
	extra  []int                    // words by node
}

// move returns where the words of a message are, and where they go.
func (k *keeper) move(m *message) (out, in transfer.Set) {
	for _, block := range m.pieces {
		from, to := router.NodeID(block)/router.NodeID(k.nodes), router.NodeID(block)%router.NodeID(k.nodes)
		at, kept := k.places[block]
		if !kept {
			at = k.ExchangeOut(from, to)
		}
		next := k.ExchangeIn(to, from)
		if to != router.NodeID(m.to) {
			first := k.ExchangeWords(router.NodeID(m.to)) + k.extra[m.to]
			next = transfer.Range{From: first, To: first + k.Lengths[from]}
			k.extra[m.to] += k.Lengths[from]
			k.places[block] = next
		}
		out, in = append(out, at), append(in, next)
	}
	return transfer.Join(out), transfer.Join(in)
}
