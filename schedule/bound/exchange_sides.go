// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// side is one side of a cut of an all-to-all, which may change node by node.
type side struct {
	x            *exchanged
	near         [][]router.NodeID // by node: its neighbours, one for each link
	inside       []bool
	nodes, words router.Cycle
	links        int // from the side to the rest
}

// maxGrown bounds the nodes of networks in which sides are grown: this takes some ten milliseconds.
const maxGrown = 64

// grownCuts takes the sides that grow from each node by the node that leaves them the fewest links, and then takes or gives nodes as long as that makes the cut narrower. Unlike
// the branches of one tree they do not depend on how the nodes are numbered, but for ties.
func (x *exchanged) grownCuts() (best router.Cycle) {
	if x.t.Nodes() > maxGrown {
		return 0
	}
	s := newSide(x)
	for root := range router.NodeID(x.t.Nodes()) {
		s.grow(root)
		s.improve()
		best = max(best, x.across(s.nodes, s.words, s.ways(), s.links))
	}
	return best
}

func newSide(x *exchanged) *side {
	s := &side{x: x, near: make([][]router.NodeID, x.t.Nodes()), inside: make([]bool, x.t.Nodes())}
	for _, l := range x.t.Links() {
		s.near[l.From] = append(s.near[l.From], l.To)
	}
	return s
}

// move moves a node to the other side.
func (s *side) move(n router.NodeID) {
	s.links += s.added(n)
	sign := router.Cycle(1)
	if s.inside[n] {
		sign = -1
	}
	s.inside[n] = !s.inside[n]
	s.nodes += sign
	s.words += sign * router.Cycle(s.x.lengths[n])
}

// added returns how many more links join the sides when a node moves.
func (s *side) added(n router.NodeID) (links int) {
	for _, v := range s.near[n] {
		if s.inside[v] == s.inside[n] {
			links++
		} else {
			links--
		}
	}
	return links
}

// ways is how many flits pass the cut at once, one way.
func (s *side) ways() router.Cycle {
	links := router.Cycle(s.links)
	if s.x.m.Ports != machine.SinglePort {
		return links
	}
	return min(links, s.nodes, router.Cycle(len(s.inside))-s.nodes)
}

// load is the flits that each way of the cut has to pass on the average, the larger of both directions; 0 of no cut.
func (s *side) load() float64 {
	rest := router.Cycle(len(s.inside)) - s.nodes
	if s.nodes == 0 || rest == 0 || s.links == 0 {
		return 0
	}
	return float64(max(s.words*rest, (s.x.total-s.words)*s.nodes)) / float64(s.ways())
}

// grow makes the side the one with the largest load of all that grow from a node.
func (s *side) grow(root router.NodeID) {
	clear(s.inside)
	s.nodes, s.words, s.links = 0, 0, 0
	distance := reach(s.x.t, root).distance
	s.move(root)
	most, kept := s.load(), slices.Clone(s.inside)
	for int(s.nodes) < len(s.inside)-1 {
		next := router.None
		for n := range router.NodeID(len(s.inside)) {
			if s.inside[n] || next != router.None && !s.sooner(distance, n, next) {
				continue
			}
			next = n
		}
		s.move(next)
		if load := s.load(); load > most {
			most = load
			copy(kept, s.inside)
		}
	}
	for n := range router.NodeID(len(kept)) {
		if kept[n] != s.inside[n] {
			s.move(n)
		}
	}
}

// sooner reports whether a side takes one node before another: it leaves fewer links, or as many and is nearer to the root.
func (s *side) sooner(distance []int32, n, other router.NodeID) bool {
	a, b := s.added(n), s.added(other)
	return a < b || a == b && distance[n] < distance[other]
}

// improve moves nodes, or exchanges two, as long as the load rises.
func (s *side) improve() {
	for most := s.load(); s.improved(most); most = s.load() {
	}
}

func (s *side) improved(most float64) bool {
	for n := range router.NodeID(len(s.inside)) {
		if !s.atCut(n) {
			continue
		}
		s.move(n)
		if s.load() > most {
			return true
		}
		for v := range router.NodeID(len(s.inside)) {
			if v == n || s.inside[v] != s.inside[n] || !s.atCut(v) {
				continue
			}
			if s.move(v); s.load() > most {
				return true
			}
			s.move(v)
		}
		s.move(n)
	}
	return false
}

// atCut reports whether a node has a link to the other side.
func (s *side) atCut(n router.NodeID) bool {
	return slices.ContainsFunc(s.near[n], func(v router.NodeID) bool { return s.inside[v] != s.inside[n] })
}
