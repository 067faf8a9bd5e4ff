// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"slices"

	"meshwright/router"
)

// SpanningTree is a tree over the nodes of a network, directed to its root.
type SpanningTree struct {
	Root   router.NodeID
	Parent []router.NodeID // router.None at the root and at nodes not reached
	Depth  []int32         // links to the root, -1 at nodes not reached
	Order  []router.NodeID // the nodes reached, parents before children
}

// BreadthFirst grows a tree from root in which every node is as near to the
// root as in the network; among equals the lowest-numbered port wins. It is nil
// if root is no node of t.
func BreadthFirst(t *Topology, root router.NodeID) *SpanningTree {
	if t.ValidNode("root", root) != nil {
		return nil
	}
	s := newSpanningTree(t.Nodes(), root)
	for i := 0; i < len(s.Order); i++ {
		at := s.Order[i]
		for p := range router.Port(t.Ports(at)) {
			to := t.Neighbor(at, p)
			if to != router.None && s.Depth[to] < 0 {
				s.adopt(to, at)
			}
		}
	}
	return s
}

// BalancedBreadthFirst grows a tree from root in which every node is as near
// to the root as in the network, and no other such tree gives a level's
// busiest parent fewer children: a level's nodes go to the parents along
// shortest augmenting paths, as in an optimal semi-matching (Harvey, Ladner,
// Lovasz, Tamir). It is nil if root is no node of t.
func BalancedBreadthFirst(t *Topology, root router.NodeID) *SpanningTree {
	if t.ValidNode("root", root) != nil {
		return nil
	}
	return balanced(t, BreadthFirst(t, root))
}

// DimensionOrder is the tree that the dimension-order routes from root form on
// a grid: one line along the first dimension, from it lines along the second,
// and so on. It is nil if root is no node of t.
func DimensionOrder(t *Topology, root router.NodeID) *SpanningTree {
	if t.ValidNode("root", root) != nil {
		return nil
	}
	s := newSpanningTree(t.Nodes(), root)
	for d := range t.Dims {
		reach := t.Reach(d)
		for _, start := range s.Order[:len(s.Order):len(s.Order)] {
			for direction := range 2 {
				s.extend(t, start, router.Port(2*d+direction), reach[direction])
			}
		}
	}
	return s
}

// extend adds up to reach nodes in a straight line from start.
func (s *SpanningTree) extend(t *Topology, start router.NodeID, p router.Port, reach int) {
	at := start
	for range reach {
		to := t.Neighbor(at, p)
		if to == router.None {
			return
		}
		s.adopt(to, at)
		at = to
	}
}

// NewSpanningTree returns the tree that parents form, router.None at the root,
// level by level; nodes without a route to the root are not reached. It is nil if
// the root or a parent is none of the nodes.
func NewSpanningTree(root router.NodeID, parent []router.NodeID) *SpanningTree {
	if root < 0 || int(root) >= len(parent) || slices.ContainsFunc(parent, func(p router.NodeID) bool { return p < router.None || int(p) >= len(parent) }) {
		return nil
	}
	first := &SpanningTree{Root: root, Parent: parent, Order: []router.NodeID{root}}
	for n, p := range parent {
		if p != router.None && router.NodeID(n) != root {
			first.Order = append(first.Order, router.NodeID(n))
		}
	}
	children := first.Children()
	s := newSpanningTree(len(parent), root)
	for i := 0; i < len(s.Order); i++ {
		for _, child := range children[s.Order[i]] {
			s.adopt(child, s.Order[i])
		}
	}
	return s
}

func newSpanningTree(nodes int, root router.NodeID) *SpanningTree {
	s := &SpanningTree{
		Root:   root,
		Parent: make([]router.NodeID, nodes),
		Depth:  make([]int32, nodes),
		Order:  make([]router.NodeID, 0, nodes),
	}
	for n := range s.Parent {
		s.Parent[n], s.Depth[n] = router.None, -1
	}
	s.Depth[root] = 0
	s.Order = append(s.Order, root)
	return s
}

func (s *SpanningTree) adopt(child, parent router.NodeID) {
	s.Parent[child] = parent
	s.Depth[child] = s.Depth[parent] + 1
	s.Order = append(s.Order, child)
}

// MaxDepth returns the links from the root to the furthest node that the tree
// reaches.
func (s *SpanningTree) MaxDepth() int {
	most := int32(0)
	for _, depth := range s.Depth {
		most = max(most, depth)
	}
	return int(most)
}

// Unreached returns a node that the tree does not reach, or router.None.
func (s *SpanningTree) Unreached() router.NodeID {
	for n, depth := range s.Depth {
		if depth < 0 {
			return router.NodeID(n)
		}
	}
	return router.None
}

// Children returns every node's children, in the order they were reached.
func (s *SpanningTree) Children() [][]router.NodeID {
	if !s.sound() {
		return make([][]router.NodeID, len(s.Parent))
	}
	count := make([]int32, len(s.Parent))
	for _, n := range s.Order[1:] {
		count[s.Parent[n]]++
	}
	all := make([]router.NodeID, len(s.Order)-1)
	children := make([][]router.NodeID, len(s.Parent))
	for _, n := range s.Order[1:] {
		p := s.Parent[n]
		if children[p] == nil {
			children[p], all = all[:0:count[p]], all[count[p]:]
		}
		children[p] = append(children[p], n)
	}
	return children
}

// Branch returns, for every node but the root, the root's child above it.
func (s *SpanningTree) Branch() []router.NodeID {
	if !s.sound() {
		return slices.Repeat([]router.NodeID{router.None}, len(s.Parent))
	}
	branch := make([]router.NodeID, len(s.Parent))
	branch[s.Root] = router.None
	for _, n := range s.Order[1:] {
		if s.Parent[n] == s.Root {
			branch[n] = n
		} else {
			branch[n] = branch[s.Parent[n]]
		}
	}
	return branch
}
