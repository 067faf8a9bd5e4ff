// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// errand is one message to be placed.
type errand struct {
	from, to router.NodeID
	flits    int
	hops     int32
	links    []int32 // where it is placed
	start    int     // in quanta after the startup, -1: not placed
}

// calendars hold the messages that are placed, in quanta of some cycles: 1
// unless messages are long.
type calendars struct {
	*space
	quantum  int
	every    int        // 0, or quanta from a round to the next, which must not collide
	horizon  int        // with rounds: quanta that are looked at
	distance [][]uint16 // by node, to all nodes
	busy     [][]uint64
	random   *rand.Rand

	// Of the message that is being placed: the links of its shortest routes, by
	// hops made, and for 64 starts at a time which of them are open.
	ways  []wayLink
	place []int32 // by node: its place among those on the routes
	reach []uint64
}

// wayLink is a link on a shortest route.
type wayLink struct {
	link, hop int32
	from, to  int32 // places of its ends
	open      uint64
}

// longHold is for how many cycles a message may hold its channel before
// calendars are kept in larger quanta.
const longHold = 128

// farHops is how many times as long as the longest route takes a message has to
// hold its channel before it gets all its links for the same quantum.
const farHops = 8

// newCalendars returns calendars for messages of so many flits at a time, by
// source.
func newCalendars(s *space, flits []int, seed uint64) *calendars {
	c := &calendars{space: s, busy: make([][]uint64, s.calendars), random: rand.New(rand.NewPCG(seed, 0x65786368))}
	c.distance = distances(s)
	c.quantum = c.quantumFor(slices.Min(flits), slices.Max(flits))
	c.place = make([]int32, s.t.Nodes())
	for n := range c.place {
		c.place[n] = -1
	}
	return c
}

// quantumFor returns the quantum for messages of so many flits. Long ones of
// one length take a quantum each, the time in flight included: what is left
// to be found is which go at the same time, and no gaps come up between them.
func (c *calendars) quantumFor(shortest, longest int) int {
	hold, way := int(c.used(longest)), 0
	if c.m.Channels != machine.Links {
		hold = int(c.held(longest))
	}
	for _, d := range c.distance {
		way = max(way, int(slices.Max(d))*c.hop())
	}
	switch {
	case hold <= longHold:
		return 1
	case shortest == longest && hold >= farHops*way:
		return hold + way
	}
	return (hold + 31) / 32
}

// distances returns the distances between all nodes.
func distances(s *space) [][]uint16 {
	nodes := s.t.Nodes()
	all := make([][]uint16, nodes)
	queue := make([]router.NodeID, 0, nodes)
	for n := range all {
		d := make([]uint16, nodes)
		queue = append(queue[:0], router.NodeID(n))
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for i := s.base[at]; i < s.base[at+1]; i++ {
				if to := s.links[i].To; d[to] == 0 && to != router.NodeID(n) {
					d[to] = d[at] + 1
					queue = append(queue, to)
				}
			}
		}
		all[n] = d
	}
	return all
}

// span returns the quanta that an interval of cycles takes, from a start on.
func (c *calendars) span(offset, cycles int) (at, width int) {
	at = offset / c.quantum
	return at, (offset+cycles+c.quantum-1)/c.quantum - at
}

// insert places a message where it arrives first, on any of its shortest routes.
func (c *calendars) insert(e *errand) {
	c.survey(e)
	for start := 0; ; start += 64 {
		open := c.openings(e, start)
		if open == 0 {
			continue
		}
		bit := bits.TrailingZeros64(open)
		e.start = start + bit
		c.retrace(e, bit)
		c.mark(e, true)
		break
	}
	c.leave()
}

// leave forgets the places of a survey.
func (c *calendars) leave() {
	for _, w := range c.ways {
		c.place[c.links[w.link].From], c.place[c.links[w.link].To] = -1, -1
	}
}

// survey lists the links of all shortest routes of a message, nearest to the
// source first.
func (c *calendars) survey(e *errand) {
	c.ways, c.reach = c.ways[:0], append(c.reach[:0], 0)
	c.place[e.from] = 0
	level, next := []router.NodeID{e.from}, []router.NodeID(nil)
	for hop := range e.hops {
		for _, at := range level {
			for i := c.base[at]; i < c.base[at+1]; i++ {
				to := c.links[i].To
				if int32(c.distance[to][e.to]) != e.hops-hop-1 {
					continue
				}
				if c.place[to] < 0 {
					c.place[to] = int32(len(c.reach))
					c.reach = append(c.reach, 0)
					next = append(next, to)
				}
				c.ways = append(c.ways, wayLink{link: i, hop: hop, from: c.place[at], to: c.place[to]})
			}
		}
		level, next = next, level[:0]
	}
}

// openings returns in which of 64 starts the message can go all the way.
func (c *calendars) openings(e *errand, start int) uint64 {
	clear(c.reach)
	c.reach[0] = ^uint64(0)
	for k := range c.ways {
		w := &c.ways[k]
		w.open = c.reach[w.from]
		if w.open == 0 {
			continue
		}
		c.usesOf(e, w.link, w.hop, func(k int32, at, width int) { w.open &^= blocked(c.busy[k], start+at, width) })
		c.reach[w.to] |= w.open
	}
	return c.reach[len(c.reach)-1]
}

// usesOf calls f with all that a message uses when it crosses a link as one of
// its hops: a calendar, and quanta from its start on.
func (c *calendars) usesOf(e *errand, link, hop int32, f func(calendar int32, at, width int)) {
	work := int(c.used(e.flits))
	at, width := c.span(int(hop)*c.hop(), work)
	for _, k := range c.onLink[link] {
		f(k, at, width)
	}
	if hop == 0 {
		for i, k := range c.entering[link] {
			cycles := work
			if i == 0 {
				cycles = int(c.held(e.flits))
			}
			_, width := c.span(0, cycles)
			f(k, 0, width)
		}
	}
	if hop == e.hops-1 {
		at, width := c.span(int(e.hops)*c.hop(), work)
		for _, k := range c.leaving[link] {
			f(k, at, width)
		}
	}
}

// eachUse is usesOf for all hops of a message that has its links.
func (c *calendars) eachUse(e *errand, f func(calendar int32, at, width int)) {
	for hop, link := range e.links {
		c.usesOf(e, link, int32(hop), f)
	}
}

// retrace picks one of the routes that are open in a start.
func (c *calendars) retrace(e *errand, bit int) {
	e.links = append(e.links[:0], make([]int32, e.hops)...)
	at := int32(len(c.reach) - 1)
	for hop := e.hops - 1; hop >= 0; hop-- {
		choice, count := -1, 0
		for k := range c.ways {
			w := &c.ways[k]
			if w.hop == hop && w.to == at && w.open>>bit&1 != 0 {
				if count++; c.random.IntN(count) == 0 {
					choice = k
				}
			}
		}
		e.links[hop] = c.ways[choice].link
		at = c.ways[choice].from
	}
}

// remove takes a message out again.
func (c *calendars) remove(e *errand) {
	c.mark(e, false)
	e.start = -1
}

// mark enters a message in the calendars, or takes it out: with rounds, as
// often as it comes by.
func (c *calendars) mark(e *errand, in bool) {
	c.eachUse(e, func(k int32, at, width int) {
		from, step, last := e.start+at, 1, e.start+at
		if c.every > 0 {
			from, step, last = from%c.every-c.every, c.every, c.horizon
		}
		for ; from <= last; from += step {
			if in {
				c.busy[k] = mark(c.busy[k], max(0, from), max(0, from+width))
			} else {
				unmark(c.busy[k], max(0, from), max(0, from+width))
			}
		}
	})
}

// end returns the time of a message, in cycles.
func (c *calendars) end(e *errand) int {
	return c.m.Startup + e.start*c.quantum + int(e.hops)*c.hop() + int(c.model.Work(e.flits))
}
