// SPDX-License-Identifier: Apache-2.0

package sendtree_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/router"
)

// branched returns a tree of Branched, and the nodes below each node and itself.
func branched(t *testing.T, spec string, root router.NodeID, by sendtree.Sharing) (*sendtree.Tree, []int) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup = 20
	tree, err := sendtree.Branched(topo, m, root, by, func(nodes int) int { return 4 * nodes })
	require.NoError(t, err)
	require.Len(t, tree.Order, topo.Nodes())
	seen, below := make([]bool, topo.Nodes()), make([]int, topo.Nodes())
	for i, v := range tree.Order {
		require.False(t, seen[v], "node %d stands twice", v)
		require.True(t, i == 0 && v == root || seen[tree.Parent[v]], "node %d comes before its parent", v)
		seen[v] = true
	}
	for _, v := range slices.Backward(tree.Order) {
		if below[v]++; v != root {
			below[tree.Parent[v]] += below[v]
		}
	}
	return tree, below
}

// On any network every node has its place, each behind its parent.
func TestBranchedReachesAll(t *testing.T) {
	for _, spec := range []string{"path:1", "path:2", "ring:9", "mesh:4x5", "hub:7", "complete:6", "random:40,3,7", "random-tree:30,2", "twisted-torus:5x3,3", "debruijn:5", "hypercube:5"} {
		for _, by := range sendtree.Sharings() {
			branched(t, spec, 0, by)
		}
	}
}

// The branches of the root are about equal, also where most of the machine's routes begin with the same link.
func TestBranchesAreEqual(t *testing.T) {
	for spec, most := range map[string]int{"hypercube:6": 11, "hypercube:8": 33, "torus:8x8": 17, "twisted-torus:8x8,4": 17} {
		for _, root := range []router.NodeID{0, 5} {
			tree, below := branched(t, spec, root, sendtree.Neighbours)
			for _, v := range tree.Order[1:] {
				if tree.Parent[v] == root {
					require.LessOrEqual(t, below[v], most, "%s, branch of node %d", spec, v)
				}
			}
		}
	}
}
