// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// schedule is messages with their times.
type schedule struct {
	messages []message
	cycles   router.Cycle
	mean     float64 // of the cycles in which the nodes have everything
}

// cost is what is made small in the end: the time, and a little of the time in which the nodes are done on the average.
func (s *schedule) cost() float64 { return float64(s.cycles) + s.mean/4 }

// message carries pieces from a node to another.
type message struct {
	from, to      int32
	pieces        uint64
	handed, whole router.Cycle
}

// orders is how often messages are booked again in the order of their times.
const orders = 4

// never is later than anything.
const never = math.MaxFloat64

// clock books messages, one schedule after the other.
type clock struct {
	*network
	book *booking.Book
	has  []router.Cycle // by node and piece: since when
	last []router.Cycle // by node: when the last message has come
	work int            // messages, and what they use, that were booked
}

func newClock(n *network) *clock {
	return &clock{network: n, book: n.newBook(), has: make([]router.Cycle, n.nodes*n.nodes), last: make([]router.Cycle, n.nodes)}
}

// schedule gives the messages of a form times: round by round at first, then in the order of the times that they had, as long as that makes the schedule faster. It returns nil if the first order
// costs more than a limit.
func (c *clock) schedule(f *form, limit float64) *schedule {
	s := &schedule{messages: f.messages()}
	if !c.time(s, limit) {
		return nil
	}
	for range orders {
		next := &schedule{messages: slices.Clone(s.messages)}
		slices.SortStableFunc(next.messages, func(a, b message) int { return cmp.Compare(a.handed, b.handed) })
		if !c.time(next, s.cost()) || next.cost() == s.cost() {
			break
		}
		s = next
	}
	return s
}

// messages lists the messages of a form round by round, and at last those with what is missing, each from the nearest node that has some of it.
func (f *form) messages() (list []message) {
	for i, set := range f.brings {
		if set != 0 {
			list = append(list, message{from: f.slots[i%len(f.slots)].owner, to: f.to[i], pieces: set})
		}
	}
	known := f.known[f.rounds*f.nodes:]
	for v := range int32(f.nodes) {
		missing := f.all &^ known[v]
		for _, u := range f.near[v] {
			if set := known[u] & missing; set != 0 {
				list = append(list, message{from: u, to: v, pieces: set})
				missing &^= set
			}
		}
	}
	return list
}

// time gives each message the first time at which its sender has the pieces and its route is free. A message comes behind those that bring its sender the pieces. It reports false if the schedule costs more than a limit.
func (c *clock) time(s *schedule, limit float64) bool {
	c.book.Clear()
	clear(c.has)
	clear(c.last)
	for i := range s.messages {
		m, ready := &s.messages[i], router.Cycle(0)
		for set := m.pieces; set != 0; set &= set - 1 {
			ready = max(ready, c.has[c.pair(m.from, int32(bits.TrailingZeros64(set)))])
		}
		source, route := c.way(m.from, m.to)
		c.work += 4 + 2*len(c.uses[c.pair(m.from, m.to)])
		m.handed, m.whole = c.book.Reserve(source, route, c.words(m.pieces), ready)
		if float64(m.whole) > limit {
			return false
		}
		for set := m.pieces; set != 0; set &= set - 1 {
			c.has[c.pair(m.to, int32(bits.TrailingZeros64(set)))] = m.whole
		}
		c.last[m.to] = max(c.last[m.to], m.whole)
	}
	s.cycles, s.mean = slices.Max(c.last)+1, 0
	for _, at := range c.last {
		s.mean += float64(at) / float64(c.nodes)
	}
	return s.cost() <= limit
}

// list turns a schedule into transfers.
func (n *network) list(s *schedule) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true, Transfers: make([]transfer.Transfer, len(s.messages))}
	for i, m := range s.messages {
		op := transfer.Put
		if n.backwards {
			m, op = s.forwards(m), transfer.Add
		}
		l.Transfers[i] = n.transferOf(m, op)
	}
	l.InSteps()
	return l
}

// forwards is a message of a schedule that runs backwards in time, as it truly goes.
func (s *schedule) forwards(m message) message {
	return message{from: m.to, to: m.from, pieces: m.pieces, handed: s.cycles - 1 - m.whole, whole: s.cycles - 1 - m.handed}
}

func (n *network) transferOf(m message, op transfer.Op) transfer.Transfer {
	x := transfer.Transfer{From: router.NodeID(m.from), To: router.NodeID(m.to), Start: m.handed, Due: m.whole, Op: op}
	for set := m.pieces; set != 0; set &= set - 1 {
		x.Out = transfer.Join(x.Out, transfer.Set{n.pieces[bits.TrailingZeros64(set)]})
	}
	return x
}
