// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// depths adds up the depths of a cover's trees.
func depths(c *Cover) (sum int) {
	for _, s := range c.Trees {
		sum += s.MaxDepth()
	}
	return sum
}

// Shallow trees are as many as arborescences, each reaches every node, and no less deep set of trees is possible on these networks.
func TestShallowTreesAreAsLittleDeepAsTheyCanBe(t *testing.T) {
	for _, row := range []struct {
		spec       string
		root, most int
	}{
		{"torus:8x8", 0, 9},
		{"torus:16x16", 5, 17},
		{"torus:4x4x4", 3, 7},
		{"hypercube:5", 1, 6},
		{"mesh:6x6", 0, 10},
		{"ring:9", 2, 8},
		{"complete:6", 0, 2},
	} {
		topo, root := parse(t, row.spec), router.NodeID(row.root)
		deep, err := Named(t.Context(), "arborescences", topo, root, 0)
		require.NoError(t, err)
		c, err := Named(t.Context(), "shallow", topo, root, 0)
		require.NoError(t, err)
		require.NoError(t, Verify(topo, c), row.spec)
		require.True(t, c.Spanning())
		require.Len(t, c.Trees, len(deep.Trees))
		require.Equal(t, row.most, c.Depth(), row.spec)
		require.Equal(t, leastDepths(topo, root, len(c.Trees)), depths(c), row.spec)
	}
}

// On random networks trees are never deeper than they were, and the search finds the same trees again.
func TestShallowTreesOfRandomNetworks(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	less := 0
	for range 60 {
		topo := parse(t, randomSpec(rng, 3, 14))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		deep, err := Named(t.Context(), "arborescences", topo, root, 0)
		require.NoError(t, err)
		c, err := Named(t.Context(), "shallow", topo, root, 0)
		require.NoError(t, err)
		require.NoError(t, Verify(topo, c), topo)
		require.True(t, c.Spanning())
		require.LessOrEqual(t, depths(c), depths(deep))
		require.GreaterOrEqual(t, depths(c), leastDepths(topo, root, len(c.Trees)))
		again, err := Named(t.Context(), "shallow", topo, root, 0)
		require.NoError(t, err)
		require.Equal(t, c, again)
		if depths(c) < depths(deep) {
			less++
		}
	}
	require.Greater(t, less, 10)
}

// A search that is not wanted any more leaves the trees as they were, and says so. Without a context there are no trees.
func TestShallowTreesWithinALimit(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	topo := parse(t, "torus:8x8")
	deep, err := Named(t.Context(), "arborescences", topo, 0, 0)
	require.NoError(t, err)
	c, err := Limited(t.Context(), ended, "shallow", topo, 0, 0)
	require.NoError(t, err)
	require.True(t, c.Stopped)
	require.Equal(t, deep.Trees, c.Trees)
	_, err = Limited(ended, ended, "shallow", topo, 0, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// On small networks two disjoint spanning trees are rarely deeper than the best of all pairs, and never less deep. (A swap at one node is not always possible where two at once are.)
func TestShallowPairsAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	compared, best := 0, 0
	for compared < 40 {
		topo := parse(t, randomSpec(rng, 4, 6))
		c, err := Named(t.Context(), "shallow", topo, 0, 2)
		if err != nil {
			continue
		}
		compared++
		least := leastPair(topo)
		require.GreaterOrEqual(t, depths(c), least, topo)
		if depths(c) == least {
			best++
		}
	}
	require.GreaterOrEqual(t, best, 36)
}

// leastPair tries all pairs of spanning trees from node 0 without a common directed link.
func leastPair(t *topology.Topology) int {
	trees := everyTree(t)
	least := 1 << 30
	for i, a := range trees {
		for _, b := range trees[:i] {
			if sum := a.MaxDepth() + b.MaxDepth(); sum < least && disjoint(a, b) {
				least = sum
			}
		}
	}
	return least
}

func disjoint(a, b *topology.SpanningTree) bool {
	for n := range a.Parent {
		if a.Parent[n] != router.None && a.Parent[n] == b.Parent[n] {
			return false
		}
	}
	return true
}

// everyTree lists all spanning trees from node 0.
func everyTree(t *topology.Topology) (trees []*topology.SpanningTree) {
	parent := make([]router.NodeID, t.Nodes())
	parent[0] = router.None
	var choose func(n int)
	choose = func(n int) {
		if n == len(parent) {
			if s := topology.NewSpanningTree(0, append([]router.NodeID(nil), parent...)); s != nil && len(s.Order) == len(parent) {
				trees = append(trees, s)
			}
			return
		}
		for p := range router.Port(t.Ports(router.NodeID(n))) {
			if from := t.Neighbor(router.NodeID(n), p); from != router.None {
				parent[n] = from
				choose(n + 1)
			}
		}
	}
	choose(1)
	return trees
}

func TestShallowTreesEndWithTheContext(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	topo := parse(t, "torus:8x8")
	c, err := Named(ctx, "arborescences", topo, 0, 0)
	require.NoError(t, err)
	end()
	require.ErrorIs(t, newShallower(topo, c).anneal(limited{ctx, ctx}, 0), context.Canceled)
}
