// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// bitBelow is the dimension of tree j's link into node v, by its definition.
func bitBelow(v router.NodeID, j, dimensions int) int {
	if v>>j&1 == 0 {
		return j
	}
	for i := 1; ; i++ {
		if k := (j - i + dimensions) % dimensions; v>>k&1 == 1 {
			return k
		}
	}
}

func TestRotatedBinomialsAreThoseOfTheDefinition(t *testing.T) {
	for d := 1; d <= 8; d++ {
		topo := parse(t, fmt.Sprintf("hypercube:%d", d))
		trees := ClosedSpanning(topo)
		for _, root := range []router.NodeID{0, router.NodeID(topo.Nodes() - 1), router.NodeID(topo.Nodes() / 3)} {
			for v := range router.NodeID(topo.Nodes()) {
				for tree := range d {
					want := router.None
					if v != root {
						want = v ^ 1<<bitBelow(v^root, tree, d)
					}
					require.Equal(t, want, topo.Neighbor(v, trees.Parent(tree, root, v)))
				}
			}
		}
	}
}

// The trees known in closed form are disjoint, span the network, have one child at the root and
// the depth they say; children are those whose parent is the node.
func TestClosedFormsAreDisjointSpanningTrees(t *testing.T) {
	for _, spec := range []string{"hypercube:1", "hypercube:2", "hypercube:3", "hypercube:6", "star:2", "star:3", "star:4", "star:5", "star:6"} {
		topo := parse(t, spec)
		f := ClosedSpanning(topo)
		for _, root := range []router.NodeID{0, router.NodeID(topo.Nodes() / 2)} {
			c := &Cover{Trees: treesOf(topo, f, root)}
			require.NoError(t, Verify(topo, c), spec)
			require.True(t, c.Spanning())
			require.Len(t, c.Trees, topo.Degree(root))
			require.Equal(t, f.Depth(), c.Depth(), spec)
			for i, s := range c.Trees {
				children := s.Children()
				require.Len(t, children[root], 1)
				for v := range router.NodeID(topo.Nodes()) {
					var got []router.NodeID
					for _, p := range f.Children(i, root, v, nil) {
						got = append(got, topo.Neighbor(v, p))
					}
					require.ElementsMatch(t, children[v], got)
				}
			}
		}
	}
	require.Nil(t, ClosedSpanning(parse(t, "mesh:3x3")))
	require.Nil(t, ClosedSpanning(nil))
}

func TestClosedFormsOfWhatIsNoNode(t *testing.T) {
	for _, spec := range []string{"hypercube:3", "star:4"} {
		f := ClosedSpanning(parse(t, spec))
		for _, row := range []struct {
			tree    int
			root, v router.NodeID
		}{{-1, 0, 1}, {3, 0, 1}, {0, -1, 1}, {0, 24, 1}, {0, 0, 24}, {0, 0, -1}, {0, 1, 1}} {
			require.Equal(t, router.NoPort, f.Parent(row.tree, row.root, row.v))
			if row.root != row.v {
				require.Empty(t, f.Children(row.tree, row.root, row.v, nil))
			}
		}
	}
}

// The trees on shortest paths share a star graph's nodes out evenly.
func TestStarPathsAreDisjointAndShortest(t *testing.T) {
	for _, spec := range []string{"star:2", "star:3", "star:4", "star:6"} {
		topo := parse(t, spec)
		root := router.NodeID(topo.Nodes() / 3)
		c, err := coverStarPaths(topo, root)
		require.NoError(t, err)
		require.NoError(t, Verify(topo, c), spec)
		for _, s := range c.Trees {
			require.Len(t, s.Order, len(c.Trees[0].Order))
			for _, n := range s.Order {
				require.EqualValues(t, topo.Star().Distance(root, n), s.Depth[n])
			}
		}
	}
}
