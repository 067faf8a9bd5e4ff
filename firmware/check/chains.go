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
	depth  []int32
	order  []router.NodeID // parents first
	heavy  []router.NodeID // child the chain goes on to, None at leaves
	top    []router.NodeID // of the node's chain
	up     []int32         // slot of the link to the parent
	down   []int32         // slot of the link from the parent
}

func newChains(t *topology.Topology) *chains {
	s := topology.BreadthFirst(t, t.Root)
	n := t.Nodes()
	c := &chains{
		parent: s.Parent, depth: s.Depth, order: s.Order,
		heavy: make([]router.NodeID, n), top: make([]router.NodeID, n), up: make([]int32, n), down: make([]int32, n),
	}
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
		if p := s.Parent[v]; p != router.None && c.heavy[p] == v {
			c.top[v] = c.top[p]
		} else {
			c.top[v] = v
		}
	}
	return c
}

// addChains makes two lines of every chain, down and up.
func (l *lines) addChains(linkOf []int32) {
	c := l.tree
	var chain []router.NodeID
	for _, top := range c.order {
		if c.top[top] != top {
			continue
		}
		chain = chain[:0]
		for v := top; v != router.None; v = c.heavy[v] {
			if c.parent[v] != router.None {
				chain = append(chain, v)
			}
		}
		if len(chain) == 0 {
			continue
		}
		l.begin(false)
		for _, v := range chain {
			up, _ := l.t.PortTo(v, c.parent[v]) // searching the parent's ports would take long at a hub
			c.down[v] = int32(len(l.line))
			l.add(c.parent[v], l.t.BackPort(v, up), linkOf)
		}
		l.begin(false)
		for i := len(chain) - 1; i >= 0; i-- {
			v := chain[i]
			p, _ := l.t.PortTo(v, c.parent[v])
			c.up[v] = int32(len(l.line))
			l.add(v, p, linkOf)
		}
	}
}

// stretch is a number of slots in a row.
type stretch struct{ slot, steps int32 }

// route appends the stretches of the way from a to b, up, then down.
func (c *chains) route(list []stretch, a, b router.NodeID) []stretch {
	var falls [64]stretch // from b backwards: a route meets at most 2 log2(nodes) chains
	n := 0
	for c.top[a] != c.top[b] {
		if from := c.top[a]; c.depth[from] >= c.depth[c.top[b]] {
			list = append(list, stretch{c.up[a], c.depth[a] - c.depth[from] + 1})
			a = c.parent[from]
			continue
		}
		to := c.top[b]
		falls[n] = stretch{c.down[to], c.depth[b] - c.depth[to] + 1}
		n++
		b = c.parent[to]
	}
	switch way := c.depth[b] - c.depth[a]; {
	case way < 0:
		list = append(list, stretch{c.up[a], -way})
	case way > 0:
		list = append(list, stretch{c.down[b] - way + 1, way})
	}
	for n--; n >= 0; n-- {
		list = append(list, falls[n])
	}
	return list
}
