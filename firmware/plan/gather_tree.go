// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// GatherTree is a spanning tree in which every message to the root goes from
// child to parent, with the children of all nodes in one list.
type GatherTree struct {
	*topology.SpanningTree
	base []int32         // children of node n: kids[base[n]:base[n+1]]
	kids []router.NodeID // in rising order of their numbers, unless sorted otherwise
}

// GatherTree returns the tree of a gather: the tree that the job names, else the tree that the
// machine's routes to the root form. Where these routes may not form a tree, it returns a
// breadth-first tree, and notes that the network has to be told its routes.
func (t *Task) GatherTree() (*GatherTree, error) {
	if t.Tree == "" && t.Topology.IsGrid() {
		return NewGatherTree(treeTo(t.Topology, t.Root)), nil
	}
	s, err := t.SpanningTree()
	if err != nil {
		return nil, err
	}
	return NewGatherTree(s), nil
}

func NewGatherTree(s *topology.SpanningTree) *GatherTree {
	c := &GatherTree{SpanningTree: s, base: make([]int32, len(s.Parent)+1), kids: make([]router.NodeID, len(s.Parent)-1)}
	for _, parent := range s.Parent {
		if parent != router.None {
			c.base[parent+1]++
		}
	}
	for n := range s.Parent {
		c.base[n+1] += c.base[n]
	}
	next := append([]int32(nil), c.base...)
	for n, parent := range s.Parent {
		if parent != router.None {
			c.kids[next[parent]] = router.NodeID(n)
			next[parent]++
		}
	}
	return c
}

func (c *GatherTree) Children(n router.NodeID) []router.NodeID {
	return c.kids[c.base[n]:c.base[n+1]]
}

// treeTo returns the tree that the dimension-order routes of a grid to the root
// form. (Those from the root form another: there the first dimension is next to
// the root.)
func treeTo(t *topology.Topology, root router.NodeID) *topology.SpanningTree {
	parent := make([]router.NodeID, t.Nodes())
	routes, w := router.NewDimensionOrder(t.Dims, t.Wrap), &router.Worm{Destination: root}
	for n := range router.NodeID(t.Nodes()) {
		parent[n] = router.None
		if n != root {
			parent[n] = t.Neighbor(n, routes.Next(n, w, 0))
		}
	}
	return topology.NewSpanningTree(root, parent)
}
