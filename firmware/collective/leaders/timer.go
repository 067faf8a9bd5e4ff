// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/internal/heap"
	"meshwright/router"
)

// never is later than anything.
const never = router.Cycle(1) << 60

// retries is how often a schedule begins again since a sum came before its place was sent.
const retries = 6

// timer gives the messages of forms times.
type timer struct {
	graph
	book   *booking.Book
	work   int     // links and channels that were looked at, in all forms
	states []state // by item
	ready  heap.Heap[turn]
	hold   []router.Cycle // by edge: it is not handed over before
	times  []times        // by edge
	booked []int32        // edges
	cycles router.Cycle
}

// state is how far an item has come.
type state struct {
	lacks        int32        // messages that it waits for, and the item before it
	known        router.Cycle // all of them have come
	first, until router.Cycle // when the first one comes, and the last one
	sent         router.Cycle // when it was handed over last
	giver        int32        // the message that brought the last of its words; none
}

// times of a message.
type times struct{ handed, whole router.Cycle }

// turn is a message that has its turn: the one behind which most is to come first.
type turn struct {
	key  router.Cycle
	edge int32
}

// Before orders messages by what is to come.
func (a turn) Before(b turn) bool { return a.key > b.key || a.key == b.key && a.edge < b.edge }

// message is a message with its times.
type message struct {
	from, to, piece int32
	put             bool
	times
}

func newTimer(n *network) *timer {
	return &timer{graph: graph{network: n}, book: booking.NewBook(n.Topology, n.Machine).Stalling()}
}

// run returns the messages of a design with their times; nil if one is whole at the limit or later.
func (t *timer) run(d design, limit router.Cycle) *schedule {
	t.lay(d)
	t.hold = append(t.hold[:0], make([]router.Cycle, len(t.edges))...)
	t.times = append(t.times[:0], make([]times, len(t.edges))...)
	for range retries {
		switch again, ok := t.try(limit); {
		case ok:
			return t.schedule()
		case !again:
			return nil
		}
	}
	return nil
}

// try books all messages. If one has to be handed over before a message comes that was booked before, it notes that the other one comes later, and reports again.
func (t *timer) try(limit router.Cycle) (again, ok bool) {
	t.start()
	for len(t.ready) > 0 {
		k := t.ready.Pop().edge
		if late := t.place(k); late != none {
			return true, false
		}
		if t.times[k].whole >= limit {
			return false, false
		}
	}
	return false, true
}

func (t *timer) start() {
	t.book.Clear()
	t.cycles, t.booked, t.ready = 0, t.booked[:0], t.ready[:0]
	t.states = slices.Grow(t.states[:0], len(t.items))[:len(t.items)]
	for k := range t.times {
		t.times[k].whole = never
	}
	for i := range t.items {
		x := &t.items[i]
		t.states[i] = state{first: never, until: -1, sent: -1, giver: none, lacks: x.in.to - x.in.from}
		if x.smaller != none && t.items[x.smaller].needed {
			t.states[i].lacks++
		}
	}
	for i := range t.items {
		if x := &t.items[i]; x.needed && x.smaller == none && x.in.from == x.in.to {
			t.complete(int32(i))
		}
	}
}

// complete gives the messages with an item, which has come, their turn.
func (t *timer) complete(i int32) {
	x := &t.items[i]
	for _, k := range t.out[x.out.from:x.out.to] {
		e := &t.edges[k]
		t.ready.Push(turn{t.items[e.to].tail + t.time(e) + router.Cycle(e.early), k})
	}
	if l := x.larger; l != none && t.items[l].needed {
		y := &t.states[l]
		if s := &t.states[i]; s.known > y.known {
			y.known, y.giver = s.known, s.giver
		}
		t.less(l)
	}
}

func (t *timer) less(i int32) {
	if t.states[i].lacks--; t.states[i].lacks == 0 {
		t.complete(i)
	}
}

// place books a message. It returns a message that has to come later; none if it is booked.
func (t *timer) place(k int32) int32 {
	e := &t.edges[k]
	x, y := &t.items[e.from], &t.items[e.to]
	words, way := t.size(x.piece), t.Route(x.node, y.node)
	t.work += len(way) + 4
	from := max(t.states[e.from].known, t.hold[k], t.after(e.to)+1-t.model.UntilWhole(len(way), words))
	var m times
	m.handed, m.whole = t.book.Reserve(router.NodeID(x.node), way, words, from)
	for l := x.larger; l != none; l = t.items[l].larger {
		if t.states[l].first <= m.handed {
			return t.delay(l, m.handed)
		}
	}
	t.times[k] = m
	t.booked = append(t.booked, k)
	t.cycles = max(t.cycles, m.whole+1)
	s, r := &t.states[e.from], &t.states[e.to]
	s.sent = max(s.sent, m.handed)
	r.first, r.until = min(r.first, m.whole), max(r.until, m.whole)
	if m.whole > r.known {
		r.known, r.giver = m.whole, k
	}
	t.less(e.to)
	return none
}

// after is the cycle behind which the messages of an item have to come: what its node sent must not have their words, and a whole sum must not be added to.
func (t *timer) after(i int32) router.Cycle {
	at := router.Cycle(-1)
	put := t.items[i].put
	for s := t.items[i].smaller; s != none; s = t.items[s].smaller {
		at = max(at, t.states[s].sent)
		if put {
			at = max(at, t.states[s].until)
		}
	}
	return at
}

// delay lets the messages of an item that come up to a cycle come later. It returns one of them.
func (t *timer) delay(i int32, at router.Cycle) (late int32) {
	x := &t.items[i]
	late = none
	for k := x.in.from; k < x.in.to; k++ {
		if e := &t.edges[k]; t.times[k].whole <= at {
			from, to := t.items[e.from].node, t.items[e.to].node
			t.hold[k] = max(t.hold[k], at+1-t.model.UntilWhole(t.Links(from, to), t.size(x.piece)))
			late = k
		}
	}
	return late
}

// schedule returns what was booked.
func (t *timer) schedule() *schedule {
	s := &schedule{design: t.design, cycles: t.cycles, messages: make([]message, len(t.booked))}
	for i, k := range t.booked {
		x, y := &t.items[t.edges[k].from], &t.items[t.edges[k].to]
		s.messages[i] = message{x.node, y.node, x.piece, y.put, t.times[k]}
	}
	s.critical = t.critical()
	for i := range t.items {
		if x := &t.items[i]; x.last {
			s.mean += float64(t.states[i].known) / float64(t.nodes*len(t.forms))
		}
	}
	return s
}

// critical lists the nodes on the way of the last message.
func (t *timer) critical() (list []place) {
	last := none
	for _, k := range t.booked {
		if last == none || t.times[k].whole > t.times[last].whole {
			last = k
		}
	}
	for k := last; k != none; k = t.states[t.edges[k].from].giver {
		x, y := &t.items[t.edges[k].from], &t.items[t.edges[k].to]
		list = append(list, place{y.piece, y.node}, place{x.piece, x.node})
	}
	return list
}
