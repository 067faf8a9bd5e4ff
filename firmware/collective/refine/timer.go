// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/router"
)

// never is later than anything.
const never = router.Cycle(1) << 60

// none is no message, or no node.
const none = int32(-1)

// timer books lists of messages, one after the other.
type timer struct {
	*network
	cuts    bool      // whether pieces may be cut in two
	scratch []message // of the list that is booked next
	book    *booking.Book
	ends    []int32 // by piece, see order
	limit   router.Cycle
	work    int            // links and channels that were looked at, in all lists
	states  []state        // by piece and node
	waiting [][]message    // by node: messages that wait for its pieces
	last    []router.Cycle // by node: when something came last
	booked  []booked       // messages in the order in which they were booked
	cycles  router.Cycle
}

// booked is a message with its times.
type booked struct {
	message
	handed, whole router.Cycle
	add           bool
	giver         int32 // the message that brought the last of its words to its sender; none: they were there
}

// state is a piece at a node.
type state struct {
	has   router.Cycle // when it is there
	giver int32        // the message that brought it
	sums  []sum        // in an allreduce, the sums that are there one after the other, as far as the list goes
	sent  router.Cycle // in an allreduce, when it was sent last
	put   router.Cycle // in an allreduce, when a sum took the place of another last
}

// sum is what a node has of a piece in an allreduce from a time on.
type sum struct {
	of    uint64 // nodes
	at    router.Cycle
	giver int32 // the message that was whole then
}

func newTimer(n *network, cuts bool) *timer {
	return &timer{
		network: n, cuts: cuts, book: n.newBook(), waiting: make([][]message, n.nodes), last: make([]router.Cycle, n.nodes),
	}
}

// outcome is a list that was booked.
type outcome struct {
	messages []booked
	ends     []int32
	cycles   router.Cycle
	mean     float64 // of the cycles in which the nodes have everything
}

// outcome keeps what was booked.
func (t *timer) outcome() *outcome {
	return &outcome{slices.Clone(t.booked), t.ends, t.cycles, t.mean()}
}

// cost is what annealing makes small: the time, and a little of the time in which the nodes are done on the average.
func (o *outcome) cost() float64 { return float64(o.cycles) + o.mean/4 }

func (t *timer) cost() float64 { return float64(t.cycles) + t.mean()/4 }

func (t *timer) mean() float64 {
	all := router.Cycle(0)
	for _, at := range t.last {
		all += at
	}
	return float64(all) / float64(t.nodes)
}

// run books a list. It reports false if a message is whole at the limit or later, or if no node gets a whole sum.
func (t *timer) run(o order, limit router.Cycle) bool {
	t.reset(o, limit)
	for _, m := range o.messages {
		if !t.take(m) {
			return false
		}
	}
	return t.complete()
}

func (t *timer) reset(o order, limit router.Cycle) {
	t.book.Clear()
	t.ends, t.limit, t.cycles, t.booked = o.ends, limit, 0, t.booked[:0]
	for v := range t.nodes {
		t.waiting[v], t.last[v] = t.waiting[v][:0], 0
	}
	for more := t.nodes*len(o.ends) - len(t.states); more > 0; more-- {
		t.states = append(t.states, state{})
	}
	for i := range t.nodes * len(o.ends) {
		s, v := &t.states[i], i%t.nodes
		*s = state{has: never, giver: none, sums: s.sums[:0], sent: -1, put: -1}
		switch {
		case t.sums:
			s.sums = append(s.sums, sum{of: 1 << v, giver: none})
		case v == int(t.root(i/t.nodes)):
			s.has = 0
		}
	}
}

func (t *timer) at(node, piece int32) *state { return &t.states[int(piece)*t.nodes+int(node)] }

// take books a message, or puts it off. It reports false if the message is whole too late.
func (t *timer) take(m message) bool {
	if t.sums {
		return t.add(m)
	}
	from, giver, lacks := router.Cycle(0), none, 0
	for _, p := range m.pieces {
		s := t.at(m.from, p)
		if s.has == never {
			t.waiting[m.from] = append(t.waiting[m.from], m)
			return true
		}
		if s.has > from {
			from, giver = s.has, s.giver
		}
		if t.at(m.to, p).has == never {
			lacks++
		}
	}
	switch {
	case lacks == 0:
		return true
	case lacks < len(m.pieces):
		m.pieces = slices.DeleteFunc(slices.Clone(m.pieces), func(p int32) bool { return t.at(m.to, p).has < never })
	}
	source, target := m.from, m.to
	if t.back {
		source, target = target, source
	}
	handed, whole := t.book.Reserve(router.NodeID(source), t.Route(source, target), t.words(&m), from)
	if !t.enter(booked{message: m, handed: handed, whole: whole, giver: giver}) {
		return false
	}
	for _, p := range m.pieces {
		s := t.at(m.to, p)
		s.has, s.giver = whole, int32(len(t.booked)-1)
	}
	return t.wake(m.to)
}

// wake takes the messages that waited for pieces of a node.
func (t *timer) wake(v int32) bool {
	list := t.waiting[v]
	if len(list) == 0 {
		return true
	}
	t.waiting[v] = nil
	for _, m := range list {
		if !t.take(m) {
			return false
		}
	}
	return true
}

func (t *timer) words(m *message) (words int) {
	for _, p := range m.pieces {
		words += size(t.ends, p)
	}
	return words
}

// enter notes a message. It reports false if it is whole too late.
func (t *timer) enter(b booked) bool {
	t.work += t.Links(b.from, b.to) + 4
	t.booked = append(t.booked, b)
	t.cycles = max(t.cycles, b.whole+1)
	t.last[b.to] = max(t.last[b.to], b.whole)
	return b.whole < t.limit
}

// complete sends what lacks in the end from where it could come first. It reports false if it is nowhere, or comes too late.
func (t *timer) complete() bool {
	for p := range int32(len(t.ends)) {
		for v := range int32(t.nodes) {
			if t.there(v, p) < never {
				continue
			}
			source := t.nearest(v, p)
			if source == none || !t.take(message{from: source, to: v, pieces: []int32{p}}) || t.there(v, p) == never {
				return false
			}
		}
	}
	return true
}

// there is when a node has a piece, in an allreduce its whole sum.
func (t *timer) there(v, p int32) router.Cycle {
	s := t.at(v, p)
	if !t.sums {
		return s.has
	}
	if last := &s.sums[len(s.sums)-1]; last.of == 1<<t.nodes-1 {
		return last.at
	}
	return never
}

// nearest is the node from which a piece could be at another first.
func (t *timer) nearest(v, p int32) int32 {
	best, least := none, never
	for u := range int32(t.nodes) {
		if at := t.there(u, p); u != v && at < never {
			if at += t.model.UntilWhole(t.Links(u, v), size(t.ends, p)); at < least {
				best, least = u, at
			}
		}
	}
	return best
}
