// SPDX-License-Identifier: Apache-2.0

// Package cover finds sets of trees that a node can use at the same time: all trees have
// the node as their root, and no directed link is in two of them.
//
// A node that uses all its ports scatters over every tree of a cover at once, and no two
// messages collide. Reversed in time, the same trees gather. The trees of a cover together
// reach every node; one tree alone may reach only some nodes.
package cover

import (
	"meshwright/fabric/topology"
)

// Cover is a set of trees with one root and without common directed links.
type Cover struct {
	Name    string // of the construction
	Trees   []*topology.SpanningTree
	Stopped bool // a search for trees ended early, see Limited: it might have found better ones
}

// Depth returns the depth of the deepest tree, in links.
func (c *Cover) Depth() int {
	most := 0
	for _, s := range c.Trees {
		if s != nil {
			most = max(most, s.MaxDepth())
		}
	}
	return most
}

// Spanning reports whether every tree reaches every node.
func (c *Cover) Spanning() bool {
	for _, s := range c.Trees {
		if s == nil || len(s.Order) != len(s.Parent) {
			return false
		}
	}
	return true
}
