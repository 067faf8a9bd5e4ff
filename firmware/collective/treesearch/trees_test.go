// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// requireSpans checks that a tree reaches each node once, from the root.
func requireSpans(t *testing.T, f *tree, root router.NodeID) {
	reached := []int32{int32(root)}
	for i := 0; i < len(reached); i++ {
		for _, c := range f.children[reached[i]] {
			require.Equal(t, reached[i], f.parent[c])
			reached = append(reached, c)
		}
	}
	require.ElementsMatch(t, reached, nodesBelow(len(f.parent)))
}

func nodesBelow(n int) (list []int32) {
	for v := range int32(n) {
		list = append(list, v)
	}
	return list
}

// A node but the root has children in one of two trees only, two at most; of an even number of nodes one may have children in both.
func TestTwoTrees(t *testing.T) {
	for nodes := 1; nodes <= 40; nodes++ {
		line := make([]router.NodeID, nodes)
		for i := range line {
			line[i] = router.NodeID((i + 3) % nodes)
		}
		trees := twoTrees(line)
		both := 0
		for v := range nodes {
			a, b := len(trees[0].children[v]), len(trees[1].children[v])
			require.LessOrEqual(t, max(a, b), 2)
			if a > 0 && b > 0 && v != int(line[0]) {
				both++
			}
		}
		require.LessOrEqual(t, both, 1-nodes%2, "%d nodes", nodes)
		requireSpans(t, trees[0], line[0])
		requireSpans(t, trees[1], line[0])
	}
}

// Siblings serve one another: a node has so many children of its own, and as many siblings.
func TestSiblings(t *testing.T) {
	for _, spec := range []string{"hub:9", "random-tree:30,4", "comb:3x4", "mesh:4x5"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		s := topology.BreadthFirst(topo, 1)
		for most := 1; most <= 3; most++ {
			f := siblings(s, most)
			requireSpans(t, f, 1)
			for v := range f.children {
				own, others := 0, 0
				for _, c := range f.children[v] {
					if s.Parent[c] == router.NodeID(v) {
						own++
					} else {
						others++
					}
				}
				require.LessOrEqual(t, own, most, spec)
				require.LessOrEqual(t, others, 1, spec)
			}
		}
	}
}
