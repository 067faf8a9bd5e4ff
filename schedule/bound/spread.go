// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// spreadCrossings bounds a broadcast of W words, or a reduction, by the flits that cross into parts of the network without the root, and by what is left of the time when they do (see crossing). It is at least a
// known bound.
//
//	root --- nearer nodes --- c links ---> a part of V nodes
//
// Each of the V nodes needs all words. A flit that takes a link into the part in cycle t brings a word to G(T-t) of them at most. The links begin k-1 links from the root, so that none has a flit before
// cycle s + (k-1)*h:
//
//	W*V  <=  c * sum over t = s + (k-1)*h, s + (k-1)*h + f, ... of G(T-t)
//
// With a single port the flits into all parts that a node cuts off from the root share its port (see gossipCrossings). A reduction is this, reversed in time: a flit that leaves the part has the words of few
// nodes if it is early, since they have been in the part before. There a node pays no startup between the messages that it gets.
func spreadCrossings(t *topology.Topology, m machine.Machine, root router.NodeID, words int, reduction bool, known router.Cycle) router.Cycle {
	if m.PacketSwitched() || t.Nodes() > maxCrossingNodes || words == 0 {
		return known
	}
	s := &spreading{crossings: newCrossings(t, m), root: root, words: float64(words), reduction: reduction}
	for _, part := range s.beyond() {
		known = s.passage(s.into(part), part).least(known)
	}
	if m.Ports != machine.SinglePort {
		return known
	}
	for n := range router.NodeID(t.Nodes()) {
		var p *passage
		for _, part := range s.connected(s.everyone() &^ (1 << n)) {
			if part>>root&1 == 1 {
				continue
			}
			q := s.passage(s.into(part), part)
			if q.ways = 1; p == nil {
				p = q
			} else {
				p.into, p.needed = append(p.into, q.into...), p.needed+q.needed
			}
		}
		if p != nil {
			known = p.least(known)
		}
	}
	return known
}

// spreading finds the crossings of a broadcast, or of a reduction.
type spreading struct {
	*crossings
	root      router.NodeID
	words     float64
	reduction bool
}

// beyond lists the connected parts whose nodes are some distance away from the root or further.
func (s *spreading) beyond() (list []uint64) {
	for k := int32(1); ; k++ {
		far := uint64(0)
		for n, d := range s.from[s.root].distance {
			if d >= k {
				far |= 1 << n
			}
		}
		if far == 0 {
			return list
		}
		list = append(list, s.connected(far)...)
	}
}

// passage is what the flits into a part cross.
func (s *spreading) passage(x *crossing, part uint64) *passage {
	heads := part & s.beside(x.outside)
	away := s.distances(x.outside&s.beside(part), 1<<s.root)[0]
	p := &passage{first: away * s.Hop, flit: s.Flit, ways: x.links, into: []*crossing{x}, needed: s.words}
	x.before = x.before[:1] // everything is at the root from the beginning
	if s.reduction {
		x.after = s.times(part, heads, part, s.Flit)
		for i := range x.after {
			x.after[i] += s.Hop + s.Flit - 1 + s.Lead()
		}
	} else {
		p.first += s.Lead()
	}
	return p
}
