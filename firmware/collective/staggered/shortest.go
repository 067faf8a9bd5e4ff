// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// sweeps is how often each tree is chosen, among those of all other nodes.
const sweeps = 3

// shortest is an all-gather on any network. The units of each node go along trees of shortest routes, over one link after the other. The trees are such that links carry about equally many units. Either the units that
// go over their d-th link do so in step d, those over the same link in one message, or each unit goes alone.
//
//	from 0, unit a   0 > 1, 0 > 2   1 > 3
//	from 0, unit b   0 > 1, 0 > 2   2 > 3
type shortest struct {
	*topology.Topology
	nodes int
	ports int             // of a node, at most
	both  bool            // there is a reduce-scatter, too, which takes all links the other way
	load  []int           // by link: the units that go over it
	depth [][]int32       // by node and other node: links between them
	trees [][]router.Port // by unit: at each node the port to the node before it, none at the unit's own
}

// newShortest finds the trees for so many units of each node.
func newShortest(t *topology.Topology, each int, both bool) *shortest {
	s := &shortest{Topology: t, nodes: t.Nodes(), both: both}
	for v := range router.NodeID(s.nodes) {
		s.ports = max(s.ports, t.Ports(v))
	}
	s.load = make([]int, s.nodes*s.ports)
	s.depth = make([][]int32, s.nodes)
	orders := make([][]router.NodeID, s.nodes)
	for v := range s.depth {
		s.depth[v], orders[v] = s.around(router.NodeID(v))
	}
	s.trees = make([][]router.Port, each*s.nodes)
	for range sweeps {
		for u := range s.trees {
			s.choose(u, orders[u%s.nodes])
		}
	}
	return s
}

// around returns the links from a node to all others, and these in rising order.
func (s *shortest) around(from router.NodeID) (depth []int32, order []router.NodeID) {
	depth, order = slices.Repeat([]int32{-1}, s.nodes), []router.NodeID{from}
	depth[from] = 0
	for i := 0; i < len(order); i++ {
		for p := range router.Port(s.Ports(order[i])) {
			if v := s.Neighbor(order[i], p); v != router.None && depth[v] < 0 {
				depth[v] = depth[order[i]] + 1
				order = append(order, v)
			}
		}
	}
	return depth, order
}

// choose gives a unit a tree, in place of the one that it has: each node gets it over the link with the least load, of those that come from nearer nodes.
func (s *shortest) choose(unit int, order []router.NodeID) {
	tree, depth := s.trees[unit], s.depth[unit%s.nodes]
	if tree == nil {
		tree = make([]router.Port, s.nodes)
		s.trees[unit] = tree
	} else {
		for _, v := range order[1:] {
			s.load[s.use(v, tree[v])]--
		}
	}
	for _, v := range order[1:] {
		best := router.Port(0)
		least, found := 0, false
		ports := s.Ports(v)
		for i := range ports {
			p := router.Port((i + unit) % ports)
			u := s.Neighbor(v, p)
			if u == router.None || depth[u] != depth[v]-1 {
				continue
			}
			if load := s.load[s.use(v, p)]; !found || load < least {
				best, least, found = p, load, true
			}
		}
		tree[v] = best
		s.load[s.use(v, best)]++
	}
}

// link is the number of the link over which a node receives through a port.
func (s *shortest) link(v router.NodeID, p router.Port) int { return int(v)*s.ports + int(p) }

// use is the number of the link whose load counts: of a link and the one the other way, if both have the sum of their loads.
func (s *shortest) use(v router.NodeID, p router.Port) int {
	if l := s.link(v, p); !s.both {
		return l
	} else {
		return min(l, s.link(s.Neighbor(v, p), s.BackPort(v, p)))
	}
}

// messages lists the messages, step by step.
func (s *shortest) messages() (list []message) {
	furthest := int32(0)
	for v := range s.depth {
		furthest = max(furthest, slices.Max(s.depth[v]))
	}
	at := make([][][]int32, furthest) // by step and link: the units
	for d := range at {
		at[d] = make([][]int32, s.nodes*s.ports)
	}
	for unit, tree := range s.trees {
		for v, p := range tree {
			if d := s.depth[unit%s.nodes][v]; d > 0 {
				l := s.link(router.NodeID(v), p)
				at[d-1][l] = append(at[d-1][l], int32(unit))
			}
		}
	}
	for _, links := range at {
		for l, units := range links {
			if len(units) > 0 {
				v := router.NodeID(l / s.ports)
				list = append(list, message{from: int32(s.Neighbor(v, router.Port(l%s.ports))), to: int32(v), units: units})
			}
		}
	}
	return list
}

// alone lists messages of one unit each: first those that are near the unit's own node and have a long route behind them. So far nodes do not wait for near ones, backwards in time neither.
func (s *shortest) alone() []message {
	type single struct {
		message
		turn int32 // the links to the message less those behind it
	}
	var list []single
	for unit, tree := range s.trees {
		own := unit % s.nodes
		behind := make([]int32, s.nodes) // by node: the links to the furthest node behind it
		_, order := s.around(router.NodeID(own))
		for _, v := range slices.Backward(order[1:]) {
			from := s.Neighbor(v, tree[v])
			behind[from] = max(behind[from], behind[v]+1)
			list = append(list, single{message{from: int32(from), to: int32(v), units: []int32{int32(unit)}}, s.depth[own][v] - behind[v]})
		}
	}
	slices.SortStableFunc(list, func(a, b single) int { return cmp.Compare(a.turn, b.turn) })
	messages := make([]message, len(list))
	for i := range list {
		messages[i] = list[i].message
	}
	return messages
}
