// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// chains are the heavy paths of a tree: from every inner node the chain goes on
// to the child with the most descendants. A chain includes the link to its
// top's parent. Every route meets a number of chains logarithmic in the nodes.
type chains struct {
	parent []router.NodeID
	order  []router.NodeID // parents first
	heavy  []router.NodeID // child the chain goes on to, None at leaves
	at     []joint         // by node
}

// joint holds the data of a node that routes need, in one place: routes jump about in a large
// tree.
type joint struct {
	depth     int32
	up        int32         // slot of the link to the parent
	down      int32         // slot of the link from the parent, -1 at the root
	top       router.NodeID // first node of the chain
	topDepth  int32         // its depth
	topParent router.NodeID // its parent
}

func newChains(t *topology.Topology) *chains {
	s := topology.BreadthFirst(t, t.Root)
	n := t.Nodes()
	c := &chains{parent: s.Parent, order: s.Order, heavy: make([]router.NodeID, n), at: make([]joint, n)}
	size := make([]int32, n)
	for v := range c.heavy {
		c.heavy[v] = router.None
	}
	for i := n - 1; i > 0; i-- {
		v := s.Order[i]
		size[v]++
		p := s.Parent[v]
		size[p] += size[v]
		if h := c.heavy[p]; h == router.None || size[v] >= size[h] {
			c.heavy[p] = v
		}
	}
	for _, v := range s.Order {
		at := &c.at[v]
		if p := s.Parent[v]; p != router.None && c.heavy[p] == v {
			*at = c.at[p]
		} else {
			at.top, at.topDepth, at.topParent = v, s.Depth[v], p
		}
		at.depth, at.down = s.Depth[v], -1
	}
	return c
}

// addChains makes two lines of every chain, down and up.
func (l *lines) addChains() {
	c := l.tree
	var ups []int32 // ports of the chain's nodes to their parents
	for _, top := range c.order {
		if c.at[top].top != top {
			continue
		}
		first := top
		if c.parent[top] == router.None {
			first = c.heavy[top]
		}
		if first == router.None {
			continue
		}
		ups = ups[:0]
		l.begin(false)
		for v := first; v != router.None; v = c.heavy[v] {
			p := c.parent[v]
			up, _ := l.t.PortTo(v, p) // searching the parent's ports would take long at a hub
			ups = append(ups, l.base[v]+int32(up))
			c.at[v].down = int32(len(l.line))
			l.add(p, v, l.base[p]+int32(l.t.BackPort(v, up)))
		}
		l.begin(false)
		last := int32(len(l.line)) - 1
		for i := range int32(len(ups)) {
			v := l.head[last-i]
			c.at[v].up = int32(len(l.line))
			l.add(v, l.tail[last-i], ups[len(ups)-1-int(i)])
		}
	}
}

// distance returns the links between a and b.
func (c *chains) distance(a, b router.NodeID) int32 {
	from, to := &c.at[a], &c.at[b]
	links := from.depth + to.depth
	for from.top != to.top {
		if from.topDepth < to.topDepth {
			from, to = to, from
		}
		from = &c.at[from.topParent]
	}
	return links - 2*min(from.depth, to.depth)
}

// stretch is a number of slots in a row.
type stretch struct{ slot, steps int32 }

// route appends the stretches of the route from a to b, up, then down.
func (c *chains) route(list []stretch, a, b router.NodeID) []stretch {
	var falls [64]stretch // from b backwards: a route meets at most 2 log2(nodes) chains
	n := 0
	from, to := &c.at[a], &c.at[b]
	for from.top != to.top {
		if from.topDepth >= to.topDepth {
			list = append(list, stretch{from.up, from.depth - from.topDepth + 1})
			from = &c.at[from.topParent]
			continue
		}
		steps := to.depth - to.topDepth + 1
		falls[n] = stretch{to.down - steps + 1, steps}
		n++
		to = &c.at[to.topParent]
	}
	switch way := to.depth - from.depth; {
	case way < 0:
		list = append(list, stretch{from.up, -way})
	case way > 0:
		list = append(list, stretch{to.down - way + 1, way})
	}
	for n--; n >= 0; n-- {
		list = append(list, falls[n])
	}
	return list
}
