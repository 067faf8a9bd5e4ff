// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"fmt"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Verify returns what is wrong with a cover: trees that are no trees of the
// network, have different roots or share a directed link, or a node that none reaches.
func Verify(t *topology.Topology, c *Cover) error {
	if len(c.Trees) == 0 {
		return fmt.Errorf("no trees")
	}
	users := make(map[[2]router.NodeID]int)
	reached := make([]bool, t.Nodes())
	for i, s := range c.Trees {
		if s.Root != c.Trees[0].Root {
			return fmt.Errorf("tree %d has root %d, tree 0 has root %d", i, s.Root, c.Trees[0].Root)
		}
		if err := verifyTree(t, s); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		for _, n := range s.Order {
			reached[n] = true
			if n == s.Root {
				continue
			}
			link := [2]router.NodeID{s.Parent[n], n}
			if j, used := users[link]; used {
				return fmt.Errorf("trees %d and %d share the link from node %d to node %d", j, i, link[0], link[1])
			}
			users[link] = i
		}
	}
	for n, ok := range reached {
		if !ok {
			return fmt.Errorf("no tree reaches node %d", n)
		}
	}
	return nil
}

// verifyTree checks that a tree's four descriptions agree and use real links.
func verifyTree(t *topology.Topology, s *topology.SpanningTree) error {
	nodes := t.Nodes()
	if len(s.Parent) != nodes || len(s.Depth) != nodes {
		return fmt.Errorf("%d parents and %d depths for %d nodes", len(s.Parent), len(s.Depth), nodes)
	}
	if len(s.Order) == 0 || s.Order[0] != s.Root || s.Depth[s.Root] != 0 || s.Parent[s.Root] != router.None {
		return fmt.Errorf("root %d is not where the tree begins", s.Root)
	}
	seen := make([]bool, nodes)
	seen[s.Root] = true
	for _, n := range s.Order[1:] {
		p := s.Parent[n]
		if seen[n] {
			return fmt.Errorf("node %d is reached twice", n)
		}
		if p == router.None || !seen[p] {
			return fmt.Errorf("node %d is reached before its parent %d", n, p)
		}
		if _, ok := t.PortTo(p, n); !ok {
			return fmt.Errorf("no link from node %d to node %d", p, n)
		}
		if s.Depth[n] != s.Depth[p]+1 {
			return fmt.Errorf("node %d is at depth %d, its parent at %d", n, s.Depth[n], s.Depth[p])
		}
		seen[n] = true
	}
	for n, depth := range s.Depth {
		if !seen[n] && (depth != -1 || s.Parent[n] != router.None) {
			return fmt.Errorf("node %d is not reached but has a depth or a parent", n)
		}
	}
	return nil
}

// SharedEdge returns two neighbours that are joined in two trees of a cover,
// in one direction or in both, or router.None twice: then the trees are
// edge-disjoint in the undirected network, too.
func SharedEdge(c *Cover) (a, b router.NodeID) {
	users := make(map[[2]router.NodeID]int)
	for i, s := range c.Trees {
		for _, n := range s.Order[1:] {
			edge := [2]router.NodeID{min(n, s.Parent[n]), max(n, s.Parent[n])}
			if j, used := users[edge]; used && j != i {
				return edge[0], edge[1]
			}
			users[edge] = i
		}
	}
	return router.None, router.None
}
