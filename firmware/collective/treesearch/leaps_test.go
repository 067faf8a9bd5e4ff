// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
)

// The parents of the nodes of path:8 whose root is node 0, for each turn.
func TestLeapsOnAPath(t *testing.T) {
	topo, err := topology.Parse("path:8")
	require.NoError(t, err)
	for _, row := range []struct {
		leap    leap
		parents [][]int32
	}{
		{leap{3, above, false}, [][]int32{{none, 0, 0, 0, 3, 3, 3, 6}}},
		{leap{3, chained, false}, [][]int32{{none, 0, 1, 0, 3, 4, 3, 6}}},
		{leap{3, below, false}, [][]int32{{none, 2, 3, 0, 5, 6, 3, 6}}},
		{leap{3, above, true}, [][]int32{{none, 0, 0, 0, 3, 3, 3, 6}, {none, 0, 1, 1, 1, 4, 4, 4}, {none, 0, 0, 2, 2, 2, 5, 5}}},
		{leap{3, below, true}, [][]int32{{none, 2, 3, 0, 5, 6, 3, 6}, {none, 0, 3, 4, 1, 6, 7, 4}, {none, 2, 0, 4, 5, 2, 5, 6}}},
	} {
		var parents [][]int32
		for _, tree := range row.leap.trees(topology.BreadthFirst(topo, 0)) {
			parents = append(parents, tree.parent)
		}
		require.Equal(t, row.parents, parents, "%+v", row.leap)
	}
}

// Every node has the root above it, whatever the spanning tree.
func TestLeapsReachAllNodes(t *testing.T) {
	for _, spec := range []string{"comb:3x5", "binary:4", "hub:6", "ring:9", "mesh:3x4", "random-tree:30,7", "path:2"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, l := range leaps() {
			for _, tree := range l.trees(topology.BreadthFirst(topo, 0)) {
				for n := range int32(topo.Nodes()) {
					require.True(t, tree.below(n, 0), fmt.Sprint(spec, l, n))
				}
				children := 0
				for _, list := range tree.children {
					children += len(list)
				}
				require.Equal(t, topo.Nodes()-1, children)
			}
		}
	}
}
