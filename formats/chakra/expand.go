// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"fmt"
	"slices"

	"meshwright/internal/input"
	"meshwright/schedule/tasks"
)

// expand spells the collectives out as messages, in the order of the ranks:
//
//	all_reduce      ring: reduce_scatter, then all_gather of the parts
//	reduce_scatter  ring: n-1 steps of 1/n of the bytes
//	all_gather      ring: n-1 steps of the bytes of one rank
//	all_to_all      each rank sends 1/n of the bytes to rank+1, rank+2 …
//	broadcast       binomial tree from the root
//	reduce          the same tree, backwards
//	gather, scatter one message between the root and each rank
//	barrier         all_reduce of one flit
//
// A rank sends in step s of a ring after it has received in step s-1.
func (x *binder) expand() error {
	for _, key := range x.callOrder {
		c := x.calls[key]
		group := x.members[c.name]
		if c.name == "" {
			group = x.allRanks()
		}
		if err := x.complete(c, group); err != nil {
			return err
		}
		e := &expansion{binder: x, call: c, ranks: group, sent: make([]int32, len(group)), got: make([]int32, len(group))}
		for i, rank := range group {
			e.sent[i], e.got[i] = -1, c.entry[rank]
		}
		if err := e.messages(); err != nil {
			return err
		}
		for i, rank := range group {
			exit := &x.graph.Tasks[c.exit[rank]]
			exit.After = append(exit.After, e.got[i])
			if e.sent[i] >= 0 {
				exit.After = append(exit.After, e.sent[i])
			}
			exit.After = append(exit.After, e.others(i)...)
		}
	}
	return nil
}

// allRanks is the group of a collective that names none.
func (x *binder) allRanks() []int {
	ranks := make([]int, len(x.Traces))
	for i := range ranks {
		ranks[i] = i
	}
	return ranks
}

// complete demands that every rank of the group takes part.
func (x *binder) complete(c *call, group []int) error {
	for _, rank := range group {
		if _, ok := c.entry[rank]; !ok {
			return input.At(x.Traces[rank].File, 0, "expected as many collectives of the group as other ranks have", "rank %d has no part in %s", rank, c.first)
		}
	}
	return nil
}

// expansion is the messages of one collective.
type expansion struct {
	*binder
	*call
	ranks []int
	sent  []int32         // by place in the group: its last send, -1: none
	got   []int32         // by place: its last reception, or the entry
	more  map[int][]int32 // by place: receptions that nothing in the collective waits for
}

// others returns receptions of a rank that only the end waits for.
func (e *expansion) others(place int) []int32 { return e.more[place] }

// messages makes the messages of the collective.
func (e *expansion) messages() error {
	n := len(e.ranks)
	per := uint64(e.BytesPerFlit)
	flits := func(bytes uint64) int { return int(max(1, (bytes+per-1)/per)) }
	part := flits((e.bytes + uint64(n) - 1) / uint64(n))
	root := slices.Index(e.ranks, int(e.root))
	rooted := e.kind == Reduce || e.kind == Broadcast || e.kind == Gather || e.kind == Scatter
	if rooted && root < 0 {
		return input.At(e.Traces[e.ranks[0]].File, 0, "expected a rank of the group", "%s: root_rank %d", e.first, e.root)
	}
	switch e.kind {
	case AllReduce:
		e.ring(2*(n-1), part)
	case Barrier:
		e.ring(2*(n-1), 1)
	case ReduceScatter, ReduceScatterBlock:
		e.ring(n-1, part)
	case AllGather:
		e.ring(n-1, flits(e.bytes))
	case AllToAll:
		e.direct(part)
	case Broadcast, Reduce:
		e.binomial(root, flits(e.bytes))
	case Gather, Scatter:
		e.star(root, part)
	}
	if len(e.graph.Tasks) > tasks.MaxTasks {
		return input.At(e.Traces[0].File, 0, fmt.Sprintf("expected at most %d", tasks.MaxTasks), "%s: too many messages", e.first)
	}
	return nil
}

// message adds a message between two places of the group, behind tasks of the sender. It returns both tasks.
func (e *expansion) message(from, to, flits int, after ...int32) (send, receive int32) {
	name := fmt.Sprintf("%s, message of rank %d to rank %d", e.first, e.ranks[from], e.ranks[to])
	send = e.add(e.ranks[from], tasks.Task{Kind: tasks.Send, Group: e.group, Flits: flits, After: after, Name: name})
	receive = e.add(e.ranks[to], tasks.Task{Kind: tasks.Receive, Group: e.group, Peer: send, After: []int32{e.entry[e.ranks[to]]}, Name: name})
	e.graph.Tasks[send].Peer = receive
	return send, receive
}

// ring lets every rank send to the next one so many times.
func (e *expansion) ring(steps, flits int) {
	n := len(e.ranks)
	if n == 1 {
		return
	}
	for range steps {
		got := make([]int32, n)
		for i := range n {
			after := []int32{e.got[i]}
			if e.sent[i] >= 0 {
				after = append(after, e.sent[i])
			}
			e.sent[i], got[(i+1)%n] = e.message(i, (i+1)%n, flits, after...)
		}
		copy(e.got, got)
	}
}

// direct lets every rank send to every other one.
func (e *expansion) direct(flits int) {
	n := len(e.ranks)
	e.more = map[int][]int32{}
	for d := 1; d < n; d++ {
		for i := range n {
			after := []int32{e.entry[e.ranks[i]]}
			if e.sent[i] >= 0 {
				after = []int32{e.sent[i]}
			}
			to := (i + d) % n
			send, receive := e.message(i, to, flits, after...)
			e.sent[i] = send
			e.more[to] = append(e.more[to], receive)
		}
	}
}

// star sends one message between the root and every other rank.
func (e *expansion) star(root, flits int) {
	e.more = map[int][]int32{}
	for d := 1; d < len(e.ranks); d++ {
		from, to := root, (root+d)%len(e.ranks)
		if e.kind == Gather {
			from, to = to, from
		}
		after := []int32{e.entry[e.ranks[from]]}
		if e.sent[from] >= 0 {
			after = []int32{e.sent[from]}
		}
		send, receive := e.message(from, to, flits, after...)
		e.sent[from] = send
		e.more[to] = append(e.more[to], receive)
	}
}

// binomial sends along the binomial tree of the root: in the step of distance d, place
// r of 0 to d-1, counted from the root, sends to r+d. A reduce does the same backwards.
func (e *expansion) binomial(root, flits int) {
	n := len(e.ranks)
	var steps []int
	for d := 1; d < n; d *= 2 {
		steps = append(steps, d)
	}
	if e.kind == Reduce {
		slices.Reverse(steps)
	}
	for _, d := range steps {
		for r := 0; r < d && r+d < n; r++ {
			from, to := (root+r)%n, (root+r+d)%n
			if e.kind == Reduce {
				from, to = to, from
			}
			after := []int32{e.got[from]}
			if e.sent[from] >= 0 {
				after = append(after, e.sent[from])
			}
			after = append(after, e.others(from)...)
			send, receive := e.message(from, to, flits, after...)
			e.sent[from] = send
			if e.more == nil {
				e.more = map[int][]int32{}
			}
			e.more[to] = append(e.more[to], receive)
		}
	}
}
