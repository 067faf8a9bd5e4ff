// SPDX-License-Identifier: Apache-2.0

package deadlock

import (
	"math/bits"

	"meshwright/internal/bitset"
	"meshwright/internal/progress"
	"meshwright/router"
)

// graph is a channel-dependency graph. A channel depends on channels of the chip that
// it leads to, so its dependencies are bits, one for each channel of that chip.
type graph struct {
	used  bitset.Set       // channels that messages hold
	row   []int            // words of channel c: row[c] to row[c+1]
	first []router.Channel // the channel that bit 0 of a channel's words stands for
	words []uint64
}

// newGraph returns a graph without dependencies. outputs tells the channels of the chip
// that a channel leads to.
func newGraph(channels int, outputs func(router.Channel) (first, end router.Channel)) *graph {
	g := &graph{used: bitset.New(channels), row: make([]int, channels+1), first: make([]router.Channel, channels)}
	for c := range router.Channel(channels) {
		first, end := outputs(c)
		g.first[c], g.row[c+1] = first, g.row[c]+(int(end-first)+63)/64
	}
	g.words = make([]uint64, g.row[channels])
	return g
}

// add notes that a message which holds one channel may wait for another.
func (g *graph) add(from, to router.Channel) {
	bit := int(to - g.first[from])
	g.words[g.row[from]+bit>>6] |= 1 << (bit & 63)
}

// addAll notes that a message which holds a channel may wait for each of a set. The
// dependencies of the channel begin with channel 0.
func (g *graph) addAll(from router.Channel, set bitset.Set) {
	row := g.words[g.row[from]:g.row[from+1]]
	for i, word := range set {
		row[i] |= word
	}
}

// follow calls visit with the dependencies of a channel, until it returns false.
func (g *graph) follow(c router.Channel, visit func(router.Channel) bool) {
	for w, word := range g.words[g.row[c]:g.row[c+1]] {
		for ; word != 0; word &= word - 1 {
			if !visit(g.first[c] + router.Channel(w<<6+bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// channels counts the channels that messages hold.
func (g *graph) channels() int { return g.used.Size() }

// dependencies counts the edges.
func (g *graph) dependencies() int {
	n := 0
	for _, word := range g.words {
		n += bits.OnesCount64(word)
	}
	return n
}

// core returns the channels that are left when channels on which no other depends are taken
// out again and again: those on cycles and behind cycles; none of an acyclic graph.
func (g *graph) core() bitset.Set {
	waiting := make([]int32, len(g.first)) // channels that depend on a channel
	for c := range g.used.All() {
		g.follow(router.Channel(c), func(to router.Channel) bool { waiting[to]++; return true })
	}
	left := append(bitset.Set(nil), g.used...)
	var ripe []router.Channel
	for c := range g.used.All() {
		if waiting[c] == 0 {
			ripe = append(ripe, router.Channel(c))
		}
	}
	for len(ripe) > 0 {
		c := ripe[len(ripe)-1]
		ripe = ripe[:len(ripe)-1]
		left.Clear(int32(c))
		g.follow(c, func(to router.Channel) bool {
			if waiting[to]--; waiting[to] == 0 {
				ripe = append(ripe, to)
			}
			return true
		})
	}
	return left
}

// cycle returns a shortest cycle, the one with the lowest channel among several; nil if
// there is none.
func (g *graph) cycle(phase *progress.Phase) ([]router.Channel, error) {
	core := g.core()
	s := search{graph: g, core: core, from: make([]router.Channel, len(g.first)), seen: make([]int32, len(g.first))}
	var best []router.Channel
	for c := range core.All() {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		if found := s.around(router.Channel(c), len(best)); found != nil {
			best = found
		}
	}
	return best, nil
}

// search looks for cycles, breadth first.
type search struct {
	*graph
	core  bitset.Set
	from  []router.Channel // from which a channel was reached
	seen  []int32          // the search that reached a channel
	round int32
	queue []router.Channel
}

// around returns a shortest cycle through a channel that has fewer channels than limit (0: any
// number); nil if there is none.
func (s *search) around(start router.Channel, limit int) []router.Channel {
	s.round++
	s.queue = append(s.queue[:0], start)
	closed := false
	depth, level := 1, 1 // channels of a cycle that closes now; end of this level of the queue
	for at := 0; at < len(s.queue) && !closed; at++ {
		if at == level {
			depth, level = depth+1, len(s.queue)
		}
		if limit > 0 && depth >= limit {
			return nil
		}
		c := s.queue[at]
		s.follow(c, func(to router.Channel) bool {
			if to == start {
				s.from[start], closed = c, true
			} else if s.core.Has(int32(to)) && s.seen[to] != s.round {
				s.seen[to], s.from[to] = s.round, c
				s.queue = append(s.queue, to)
			}
			return !closed
		})
	}
	if !closed {
		return nil
	}
	cycle := make([]router.Channel, depth)
	for i, c := depth-1, s.from[start]; i >= 0; i, c = i-1, s.from[c] {
		cycle[i] = c
	}
	return cycle
}
