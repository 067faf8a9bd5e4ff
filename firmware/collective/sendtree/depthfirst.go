// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// DepthFirst grows a spanning tree that goes on from the last node reached as
// long as it can, so that few nodes have several children: a long pipe, for
// machines on which a node serves one child after the other. On a mesh it is a
// boustrophedon, row by row.
func DepthFirst(t *topology.Topology, root router.NodeID) *topology.SpanningTree {
	parent := make([]router.NodeID, t.Nodes())
	seen := make([]bool, t.Nodes())
	parent[root], seen[root] = router.None, true
	next := make([]router.Port, t.Nodes())
	for stack := []router.NodeID{root}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if int(next[at]) == t.Ports(at) {
			stack = stack[:len(stack)-1]
			continue
		}
		to := t.Neighbor(at, next[at])
		next[at]++
		if to != router.None && !seen[to] {
			parent[to], seen[to] = at, true
			stack = append(stack, to)
		}
	}
	return topology.NewSpanningTree(root, parent)
}
