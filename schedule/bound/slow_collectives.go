// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// These bounds of collectives know slower links. Each looks for a time above the largest one so far, and returns that one if it finds none.

// slowGossip bounds an all-gather by the flows of all words to each node, or to some of a large network.
func slowGossip(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	return s.gathers(lengths, known)
}

// gathers looks at the words that come to each node.
func (s *slowNet) gathers(lengths []int, known router.Cycle) router.Cycle {
	sources, sinks := slices.Clone(lengths), make([]int, len(lengths))
	for n := 0; n < len(lengths); n += s.stride(s.t.Nodes()) {
		sources[n], sinks[n] = 0, sumOf(lengths)-lengths[n]
		known = s.flow(sources, sinks, known)
		sources[n], sinks[n] = lengths[n], 0
	}
	return known
}

// stride is 1 if all of so many are looked at, and more in large networks, whose flows take longer.
func (s *slowNet) stride(count int) int {
	flows := max(4, min(maxSlowFlows, maxSlowWork/len(s.ways)))
	return 1 + (count-1)/flows
}

// slowPieces bounds a reduce-scatter: what one node adds to the pieces of all others goes to them as in a scatter.
func slowPieces(t *topology.Topology, m machine.Machine, pieces []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	sources, sinks := make([]int, len(pieces)), slices.Clone(pieces)
	for n := 0; n < len(pieces); n += s.stride(s.t.Nodes()) {
		sources[n], sinks[n] = sumOf(pieces)-pieces[n], 0
		known = s.flow(sources, sinks, known)
		sources[n], sinks[n] = 0, pieces[n]
	}
	return known
}

// slowBlocks bounds a gather or a scatter by the words of the nodes that are at least so many hops away, for each distance or for some of many.
func slowBlocks(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int, scatter bool, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	at, blocks := make([]int, len(lengths)), slices.Clone(lengths)
	at[root], blocks[root] = 1, 0
	distance := s.distances(at, !scatter)
	levels := slices.Clone(distance)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	for i := 0; i < len(levels); i += s.stride(len(levels)) {
		for n := range blocks {
			if distance[n] < levels[i] {
				blocks[n] = 0
			}
		}
		at[root] = sumOf(blocks)
		if scatter {
			known = s.flow(at, blocks, known)
		} else {
			known = s.flow(blocks, at, known)
		}
	}
	return known
}

// slowWords bounds a broadcast, a reduction or an allreduce by the flows of all words from the root to each node, or to some of a large network; of a
// reduction from there to the root. In an allreduce any node is a root of both.
func slowWords(t *topology.Topology, m machine.Machine, root router.NodeID, words int, out, back bool, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	at, other := make([]int, t.Nodes()), make([]int, t.Nodes())
	at[root] = words
	for n := 0; n < len(other); n += s.stride(s.t.Nodes()) {
		if router.NodeID(n) == root {
			continue
		}
		other[n] = words
		if out {
			known = s.flow(at, other, known)
		}
		if back {
			known = s.flow(other, at, known)
		}
		other[n] = 0
	}
	return known
}

func sumOf(lengths []int) (sum int) {
	for _, length := range lengths {
		sum += length
	}
	return sum
}

// slowExchange bounds an all-to-all by what comes to each node, or leaves it, and by the links between two parts of the nodes: the words of each part for the nodes of the
// other one pass these links, each in its own time, and the last one of a link has its hop to go. The parts are the runs of neighbouring slices of a grid, and what is left
// together without the slower links, against the rest. Of what faults leave of a grid the live nodes keep their places.
func slowExchange(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil || sumOf(lengths) == 0 {
		return known
	}
	known = s.gathers(lengths, known)
	nodes := len(lengths)
	sources, sinks := make([]int, nodes), make([]int, nodes)
	for n := 0; n < nodes; n += s.stride(s.t.Nodes()) {
		for to := range sinks {
			sinks[to] = lengths[n]
		}
		sources[n], sinks[n] = (nodes-1)*lengths[n], 0
		known = s.flow(sources, sinks, known)
		sources[n] = 0
	}
	return s.cuts(lengths, known)
}

// cuts looks at the parts of an all-to-all.
func (s *slowNet) cuts(lengths []int, known router.Cycle) router.Cycle {
	for i := range s.ways {
		s.ways[i].before, s.ways[i].after = 0, s.ways[i].hop+s.flit
	}
	inside := make([]bool, s.t.Nodes())
	place := func(n int) router.NodeID { return router.NodeID(n) }
	if left := s.t.Survivors(); left != nil {
		place = func(n int) router.NodeID { return left.Node[n] }
	}
	for _, axis := range s.t.Whole().Axes() {
		for from := range axis.Size {
			for to := from + 1; to <= axis.Size; to++ {
				for n := range inside {
					c := axis.Coordinate(place(n))
					inside[n] = from <= c && c < to
				}
				known = s.between(inside, lengths, known)
			}
		}
	}
	for _, part := range s.islands() {
		clear(inside)
		for _, n := range part {
			inside[n] = true
		}
		known = s.between(inside, lengths, known)
	}
	return known
}

// between returns the least time, at least the known one, of the words that go from one part to the other, both ways.
func (s *slowNet) between(inside []bool, lengths []int, known router.Cycle) router.Cycle {
	var nodes, words [2]int64 // of the part, and of the rest
	var cut [2][]*slowWay     // from the part, and from the rest
	side := func(n router.NodeID) int {
		if inside[n] {
			return 0
		}
		return 1
	}
	for n, length := range lengths {
		nodes[side(router.NodeID(n))]++
		words[side(router.NodeID(n))] += int64(length)
	}
	for i := range s.ways {
		if w := &s.ways[i]; inside[w.tail] != inside[w.head] {
			cut[side(w.tail)] = append(cut[side(w.tail)], w)
		}
	}
	for from := range cut {
		if len(cut[from]) > 0 {
			known = s.passed(cut[from], words[from]*nodes[1-from], known)
		}
	}
	return known
}

// islands lists the parts that are left together without the links that take longer for a flit than others.
func (s *slowNet) islands() [][]router.NodeID {
	p := newParts(s.t.Nodes())
	for i := range s.ways {
		if w := &s.ways[i]; w.tail != w.head && w.pace == s.flit {
			p.join(w.tail, w.head)
		}
	}
	islands := map[router.NodeID][]router.NodeID{}
	for n := range router.NodeID(s.t.Nodes()) {
		islands[p.find(n)] = append(islands[p.find(n)], n)
	}
	var list [][]router.NodeID
	for n := range router.NodeID(s.t.Nodes()) { // in a fixed order
		if part := islands[n]; part != nil && len(list) < maxSlowFlows {
			list = append(list, part)
		}
	}
	return list
}
