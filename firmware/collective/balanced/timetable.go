// SPDX-License-Identifier: Apache-2.0

package balanced

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/internal/heap"
	"meshwright/router"
)

// message is a message of node 0 to a side.
type message struct {
	side          int32
	items         []int32 // pieces of blocks, by where node 0 sees their nodes
	handed, whole router.Cycle
}

// timetable is the messages of node 0.
type timetable struct {
	*tree
	messages []message
	longest  int // items of a message
	cycles   router.Cycle
}

// surge books the messages of a timetable. A message has up to so many items: those that have the furthest to go of all that wait.
type surge struct {
	*network
	*timetable
	most      int
	calendars []booking.Calendar
	uses      []booking.Use
	coming    heap.Heap[coming]
	waiting   []heap.Heap[waiting] // by side
	now       router.Cycle
}

// coming is an item that comes to node 0.
type coming struct {
	at   router.Cycle
	item int32
}

// Before orders items by the time at which they come.
func (c coming) Before(d coming) bool { return c.at < d.at || c.at == d.at && c.item < d.item }

// waiting is an item that waits for a side.
type waiting struct{ behind, item int32 }

// Before orders items by how far they go on behind the side.
func (a waiting) Before(b waiting) bool {
	return a.behind > b.behind || a.behind == b.behind && a.item < b.item
}

// never is later than anything.
const never = router.Cycle(1) << 60

// timetable books messages of up to so many items. Node 0 has its own block when it is ready. Nil is returned if it has more than so many messages.
func (n *network) timetable(t *tree, most int, ready router.Cycle, messages int) *timetable {
	s := &surge{network: n, timetable: &timetable{tree: t}, most: most, calendars: make([]booking.Calendar, len(n.kept)), waiting: make([]heap.Heap[waiting], len(n.sides))}
	for i := range n.kept {
		s.calendars[i] = slices.Clone(n.kept[i])
	}
	for p := range t.pieces {
		s.coming.Push(coming{ready, int32(p * n.nodes)})
	}
	for s.now < never && len(s.messages) <= messages {
		s.arrive()
		s.now = s.send()
	}
	if len(s.messages) > messages {
		return nil
	}
	return s.timetable
}

// seenBy returns where a side sees an item, and whether it comes there from node 0.
func (s *surge) seenBy(side, item int32) (there int32, comes bool) {
	x := item % int32(s.nodes)
	there = s.sides[side].sees[x]
	comes = there != 0
	there += item - x
	return there, comes && s.via[there] == side
}

// arrive lets items come up to now.
func (s *surge) arrive() {
	for len(s.coming) > 0 && s.coming[0].at <= s.now {
		item := s.coming.Pop().item
		for k := range s.sides {
			if there, comes := s.seenBy(int32(k), item); comes {
				s.waiting[k].Push(waiting{s.behind[there], item})
			}
		}
	}
}

// send hands over what can be handed over now. It returns the next cycle in which something may be different.
func (s *surge) send() router.Cycle {
	next := never
	for k := range s.sides {
		for len(s.waiting[k]) > 0 {
			if at := s.hand(int32(k)); at > s.now {
				next = min(next, at)
				break
			}
		}
	}
	if len(s.coming) > 0 {
		next = min(next, s.coming[0].at)
	}
	return next
}

// hand hands over a message to a side, if that is possible now. It returns when it is.
func (s *surge) hand(side int32) router.Cycle {
	if at := s.book(side, s.each, false); at > s.now {
		return at
	}
	m := message{side: side}
	for len(s.waiting[side]) > 0 && len(m.items) < s.most && (len(m.items)+1)*s.each <= s.sides[side].way.Most {
		m.items = append(m.items, s.waiting[side].Pop().item)
	}
	words := len(m.items) * s.each
	m.handed = s.book(side, words, true)
	m.whole = m.handed + s.model.UntilWhole(1, words)
	for _, item := range m.items {
		there, _ := s.seenBy(side, item)
		s.coming.Push(coming{m.whole, there})
	}
	s.longest, s.cycles = max(s.longest, len(m.items)), max(s.cycles, m.whole+1)
	s.messages = append(s.messages, m)
	return m.handed
}

// book returns when a message of so many words can be handed over, and reserves what it uses if that is asked for.
func (s *surge) book(side int32, words int, reserve bool) router.Cycle {
	s.uses = s.sides[side].way.AppendUses(s.uses[:0], s.calendars, s.model, words)
	dispatch := booking.Earliest(s.uses, s.now+s.model.Startup)
	if reserve {
		booking.Reserve(s.uses, dispatch)
	}
	return dispatch - s.model.Startup
}
