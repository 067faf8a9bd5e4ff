// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective/listed"
	"meshwright/internal/heap"
	"meshwright/router"
)

// relay tries messages over one link each, by which PEs pass blocks on from neighbour to neighbour:
//
//	u --- block ---> PE --- block ---> PE --- block ---> v
//
// A worm needs all links of its way at once, a block that is stored needs one after the other. So ports and links are idle for less time where they decide. The ways of the blocks are such that
// ports and links have equal loads. Where messages cost startups, the blocks that wait for the same link go in one.
func (s *settling) relay() {
	if s.nodes > closeNodes || s.booked.Ports != machine.SinglePort && s.booked.Channels != machine.Links {
		return
	}
	blocks, ends := s.blocks()
	free := s.booked
	free.Startup = 0
	ways, busiest, work := listed.Ways(s.Topology, free, ends)
	s.work += work / wayWork
	for _, words := range s.batches() {
		if busiest >= s.best.cycles || s.over(s.budget*3/4) {
			return
		}
		r := newRelays(s, blocks, ways, words)
		made := r.run()
		s.work += r.work
		if made.cycles < s.best.cycles*9/8 {
			l, t := s.listOf(made)
			t = l.Tighten(t, mostRounds)
			s.work += l.Work
			s.take(made.messages, t)
		}
	}
}

// wayWork is how many links that are looked at for a way are as much work as a resource of a message.
const wayWork = 8

// batches lists for how many words a message waits, as long as others are to come.
func (s *settling) batches() []int {
	if s.model.Rest() == 0 {
		return []int{0}
	}
	list, startup := []int{0}, int(s.model.Startup/s.model.Flit)
	for _, words := range []int{startup / 4, startup / 2, startup, 2 * startup} {
		if words > s.longest {
			list = append(list, words)
		}
	}
	return list
}

// blocks lists all blocks, and messages with their ends and lengths.
func (s *settling) blocks() (blocks []int32, ends []listed.Message) {
	for u := range int32(s.nodes) {
		for v := range int32(s.nodes) {
			if u != v && s.Lengths[u] > 0 {
				blocks = append(blocks, u*int32(s.nodes)+v)
				ends = append(ends, listed.Message{From: router.NodeID(u), To: router.NodeID(v), Words: s.Lengths[u]})
			}
		}
	}
	return blocks, ends
}

// relays is an all-to-all in which blocks go from neighbour to neighbour.
type relays struct {
	*settling
	blocks   []int32
	ways     [][]router.Port // by place in blocks
	done     []int           // by place in blocks: its links so far
	least    int             // words for which a message waits
	hops     [][]hop         // by node and port
	book     *booking.Book
	messages []message
	carried  [][]int32 // by message: places in blocks
	arriving heap.Heap[arrival]
	left     int // links that blocks still have to cross
	work     int
}

// hop is a link with the blocks that are to cross it.
type hop struct {
	waiting []int32 // places in blocks
	words   int     // of those
	coming  int     // blocks that are to wait there later
	load    int     // words of both
	before  router.Cycle
}

func newRelays(s *settling, blocks []int32, ways [][]router.Port, least int) *relays {
	r := &relays{settling: s, blocks: blocks, ways: ways, done: make([]int, len(blocks)), least: least, hops: make([][]hop, s.nodes), book: booking.NewBook(s.Topology, s.booked).Stalling()}
	for v := range r.hops {
		r.hops[v] = make([]hop, s.Topology.Ports(router.NodeID(v)))
	}
	for i, way := range ways {
		at := router.NodeID(blocks[i] / int32(s.nodes))
		for _, p := range way {
			h := &r.hops[at][p]
			h.coming++
			h.load += r.wordsOf(int32(i))
			at = s.Topology.Neighbor(at, p)
			r.left++
		}
	}
	for i := range blocks {
		r.wait(router.NodeID(blocks[i]/int32(s.nodes)), int32(i))
	}
	return r
}

func (r *relays) wordsOf(i int32) int { return r.Lengths[int(r.blocks[i])/r.nodes] }

// wait lets a block wait for its next link.
func (r *relays) wait(at router.NodeID, i int32) {
	h := &r.hops[at][r.ways[i][r.done[i]]]
	h.waiting = append(h.waiting, i)
	h.words += r.wordsOf(i)
	h.coming--
}

// run makes the schedule.
func (r *relays) run() *schedule {
	patient := true
	for now := router.Cycle(0); r.left > 0; {
		for len(r.arriving) > 0 && r.arriving[0].at <= now {
			r.arrive(r.arriving.Pop().message)
		}
		next := r.send(now, patient)
		patient = true
		if len(r.arriving) > 0 {
			next = min(next, r.arriving[0].at)
		}
		if next == never { // all wait for one another
			next, patient = now, false
		}
		now = next
	}
	made := &schedule{messages: r.messages}
	made.end()
	return made
}

// arrive lets the blocks of a message wait for their next links.
func (r *relays) arrive(message int32) {
	for _, i := range r.carried[message] {
		if r.done[i] < len(r.ways[i]) {
			r.wait(router.NodeID(r.messages[message].to), i)
		}
	}
}

// ready is a link for which blocks wait, with what all blocks still have to do there.
type ready struct {
	from router.NodeID
	port router.Port
	load int
}

// send hands over what can be handed over now, first over the links that have most to do. It returns the next cycle in which another message could be.
func (r *relays) send(now router.Cycle, patient bool) router.Cycle {
	next := never
	var list []ready
	for v := range r.hops {
		out := 0
		for p := range r.hops[v] {
			out += r.hops[v][p].load
		}
		for p := range r.hops[v] {
			h := &r.hops[v][p]
			if len(h.waiting) == 0 || patient && h.words < r.least && h.coming > 0 {
				continue
			}
			if h.before > now {
				next = min(next, h.before)
				continue
			}
			list = append(list, ready{router.NodeID(v), router.Port(p), 2*h.load + out})
		}
	}
	r.work += len(list)
	slices.SortStableFunc(list, func(a, b ready) int { return cmp.Compare(b.load, a.load) })
	for _, x := range list {
		next = min(next, r.hand(x, now))
	}
	return next
}

// hand hands over a message with the blocks that wait, if it can, and returns when the next one could be.
func (r *relays) hand(x ready, now router.Cycle) router.Cycle {
	h := &r.hops[x.from][x.port]
	route := []router.Port{x.port}
	going := r.chosen(h)
	words := 0
	for _, i := range going {
		words += r.wordsOf(i)
	}
	r.work += 8 + len(going)
	if at := r.book.Earliest(x.from, route, words, now); at > now {
		h.before = at
		return at
	}
	handed, whole := r.book.Reserve(x.from, route, words, now)
	to := r.Topology.Neighbor(x.from, x.port)
	m := message{from: int32(x.from), to: int32(to), handed: handed, whole: whole, route: route}
	if slices.Equal(route, r.Route(m.from, m.to)) {
		m.route = nil
	}
	for _, i := range going {
		m.pieces = append(m.pieces, r.blocks[i])
		r.done[i]++
		r.left--
	}
	h.waiting = slices.DeleteFunc(h.waiting, func(i int32) bool { return slices.Contains(going, i) })
	h.words -= words
	h.load -= words
	r.arriving.Push(arrival{whole, int32(len(r.messages))})
	r.messages, r.carried = append(r.messages, m), append(r.carried, going)
	if len(h.waiting) > 0 {
		return now + 1
	}
	return never
}

// chosen returns the blocks of a message: without startups one, that with the longest way to go; otherwise all.
func (r *relays) chosen(h *hop) []int32 {
	far := func(i int32) int { return len(r.ways[i]) - r.done[i] }
	if r.model.Rest() > 0 {
		return slices.Clone(h.waiting)
	}
	return []int32{slices.MaxFunc(h.waiting, func(a, b int32) int { return cmp.Compare(far(a), far(b)) })}
}
