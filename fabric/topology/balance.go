// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"meshwright/router"
)

// balancer moves the nodes of one level between their possible parents.
type balancer struct {
	t        *Topology
	depth    []int32
	parent   []router.NodeID
	children []int32         // by parent
	seen     []int32         // by parent: the search that met it
	via      []router.NodeID // by parent: the child that would leave it
	search   int32
}

// balanced spreads every level of a breadth-first tree evenly over the one above.
func balanced(t *Topology, s *SpanningTree) *SpanningTree {
	nodes := t.Nodes()
	b := &balancer{
		t: t, depth: s.Depth, parent: make([]router.NodeID, nodes),
		children: make([]int32, nodes), seen: make([]int32, nodes), via: make([]router.NodeID, nodes),
	}
	for n := range b.parent {
		b.parent[n] = router.None
	}
	for _, n := range s.Order[1:] {
		b.place(n)
	}
	return NewSpanningTree(s.Root, b.parent)
}

// place gives node n a parent: the end of a shortest chain of moves at which
// the least number of children grows by one.
func (b *balancer) place(n router.NodeID) {
	b.search++
	var queue []router.NodeID // parents met
	best := router.None
	add := func(child router.NodeID) {
		for p := range router.Port(b.t.Ports(child)) {
			up := b.t.Neighbor(child, p)
			if up == router.None || b.depth[up] != b.depth[child]-1 || b.seen[up] == b.search {
				continue
			}
			b.seen[up], b.via[up] = b.search, child
			queue = append(queue, up)
			if best == router.None || b.children[up] < b.children[best] {
				best = up
			}
		}
	}
	add(n)
	for i := 0; i < len(queue) && i < maxChain && b.children[best] > 0; i++ {
		for p := range router.Port(b.t.Ports(queue[i])) {
			if child := b.t.Neighbor(queue[i], p); child != router.None && b.parent[child] == queue[i] {
				add(child)
			}
		}
	}
	b.children[best]++
	for at := best; ; {
		child := b.via[at]
		old := b.parent[child]
		b.parent[child] = at
		if child == n {
			return
		}
		at = old
	}
}

// maxChain bounds the parents that a chain of moves is looked for among.
const maxChain = 256
