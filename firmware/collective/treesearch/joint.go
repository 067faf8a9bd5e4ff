// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"meshwright/firmware/plan"
	"meshwright/internal/heap"
	"meshwright/router"
)

// joint lets the sums of an allreduce flow up trees, and down others as soon as they are complete, forwards in time. A channel sends earlier pieces first, whichever way they go. In one period of pieces that repeat
// there are no queues (see periodic), and broadcasts and reductions flow one way only.
type joint struct {
	*timer
	form     *form
	lacks    []int32              // by node and piece: children whose sums have not come
	comes    []router.Cycle       // when the last of the others came
	later    heap.Heap[later]     // what can be sent from some cycle on
	queues   []heap.Heap[errand]  // by channel: what can be sent
	turns    heap.Heap[departure] // of channels that have something to send
	messages []message
	sums     []message
}

// errand is a message that can be sent.
type errand struct {
	piece    int32
	number   int32 // among the children of its sender
	from, to int32
	up       bool
}

// Before orders errands by piece; sums come last.
func (a errand) Before(b errand) bool {
	switch {
	case a.piece != b.piece:
		return a.piece < b.piece
	case a.up != b.up:
		return b.up
	case a.number != b.number:
		return a.number < b.number
	case a.from != b.from:
		return a.from < b.from
	}
	return a.to < b.to
}

// later is a message that can be sent from a cycle on.
type later struct {
	at router.Cycle
	errand
}

// Before orders them by time.
func (a later) Before(b later) bool {
	return a.at < b.at || a.at == b.at && a.errand.Before(b.errand)
}

// departure is when a channel sends, at the earliest.
type departure struct {
	at      router.Cycle
	channel int32
}

// Before orders departures by time.
func (a departure) Before(b departure) bool {
	return a.at < b.at || a.at == b.at && a.channel < b.channel
}

// run books all messages. It reports false as soon as one is whole at the limit or later.
func (j *joint) run(limit router.Cycle) bool {
	j.begin()
	for len(j.turns)+len(j.later) > 0 {
		if len(j.turns) == 0 || len(j.later) > 0 && j.later[0].at <= j.turns[0].at {
			j.enter(j.later.Pop())
			continue
		}
		d := j.turns.Pop()
		x := j.queues[d.channel][0]
		r := j.piece(x.piece, j.form.parts)
		handed, whole, ok := j.forwards.ReserveAt(router.NodeID(x.from), j.Route(x.from, x.to), r.To-r.From, d.at)
		if max(handed, whole) >= limit {
			return false
		}
		if !ok {
			j.turns.Push(departure{handed, d.channel})
			continue
		}
		if j.queues[d.channel].Pop(); len(j.queues[d.channel]) > 0 {
			j.turns.Push(departure{handed + 1, d.channel})
		}
		j.booked(x, handed, whole)
	}
	return true
}

// booked lets the receiver of a message go on.
func (j *joint) booked(x errand, handed, whole router.Cycle) {
	m := message{x.from, x.to, x.piece, handed, whole}
	if x.up {
		j.sums = append(j.sums, m)
		j.add(x.to, x.piece, whole)
		return
	}
	j.messages = append(j.messages, m)
	j.down(x.to, x.piece, whole)
}

// enter lets a channel send a message.
func (j *joint) enter(x later) {
	channel := j.Out(x.from, x.to)
	if len(j.queues[channel]) == 0 {
		j.turns.Push(departure{x.at, channel})
	}
	j.queues[channel].Push(x.errand)
}

// begin lets all nodes without children send; in a broadcast the root.
func (j *joint) begin() {
	parts := int32(j.form.parts)
	if j.Kind.Name == plan.Broadcast {
		for p := range parts {
			j.down(int32(j.Root), p, 0)
		}
		return
	}
	j.queues = make([]heap.Heap[errand], j.Channels)
	j.lacks, j.comes = make([]int32, j.nodes*int(parts)), make([]router.Cycle, j.nodes*int(parts))
	up := j.form.up()
	for p := range parts {
		for v := range int32(j.nodes) {
			j.lacks[v*parts+p] = int32(len(up[of(p, up)].children[v]))
		}
	}
	for p := range parts {
		for v := range int32(j.nodes) {
			if j.lacks[v*parts+p] == 0 {
				j.complete(v, p, 0)
			}
		}
	}
}

// add adds a sum of a child.
func (j *joint) add(v, piece int32, whole router.Cycle) {
	i := v*int32(j.form.parts) + piece
	j.comes[i] = max(j.comes[i], whole)
	if j.lacks[i]--; j.lacks[i] == 0 {
		j.complete(v, piece, j.comes[i])
	}
}

// complete lets a node send the sum of a piece on.
func (j *joint) complete(v, piece int32, at router.Cycle) {
	up := j.form.up()
	if parent := up[of(piece, up)].parent[v]; parent != none {
		j.later.Push(later{at, errand{piece: piece, from: v, to: parent, up: true}})
		return
	}
	if j.Kind.Name != plan.Reduce {
		j.down(v, piece, at)
	}
}

// down lets a node send a piece to its children.
func (j *joint) down(v, piece int32, at router.Cycle) {
	trees := j.form.trees
	for i, c := range trees[of(piece, trees)].children[v] {
		j.later.Push(later{at, errand{piece: piece, number: int32(i), from: v, to: c}})
	}
}

// measure turns what was booked into a schedule.
func (j *joint) measure() *schedule {
	s := &schedule{messages: append(j.sums, j.messages...), sums: len(j.sums)}
	latest := make([]router.Cycle, j.nodes)
	for i, m := range s.messages {
		latest[m.to] = max(latest[m.to], m.whole)
		if m.whole+1 > s.cycles {
			s.cycles, s.last = m.whole+1, m
		}
		if i < s.sums && m.whole >= s.first.whole {
			s.first = message{from: m.to, to: m.from, piece: m.piece, whole: m.whole}
		}
	}
	for _, at := range latest {
		s.mean += float64(at) / float64(j.nodes)
	}
	return s
}
