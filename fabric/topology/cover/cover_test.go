// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

func parse(t testing.TB, spec string) *topology.Topology {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

func randomSpec(rng *rand.Rand, least, most int) string {
	nodes := least + rng.IntN(most-least+1)
	edges := nodes - 1 + rng.IntN(nodes*(nodes-1)/2-nodes+2)
	return fmt.Sprintf("random:%d,%.6f,%d", nodes, 2*float64(edges)/float64(nodes), rng.IntN(1e6))
}

func TestDimensionOrdersAreDisjointAndShortest(t *testing.T) {
	for _, spec := range []string{
		"path:1", "path:6", "ring:7", "ring:2", "mesh:2x2", "mesh:5x4", "mesh:1x5", "mesh:3x4x2", "mesh:2x3x2x3", "torus:3x3", "torus:5x4", "torus:2x6",
		"torus:3x4x5", "hypercube:1", "hypercube:5",
	} {
		topo := parse(t, spec)
		for root := range router.NodeID(topo.Nodes()) {
			c, err := DimensionOrders(topo, root)
			require.NoError(t, err)
			require.NoError(t, Verify(topo, c), spec)
			a, b := SharedEdge(c)
			require.Equal(t, [2]router.NodeID{router.None, router.None}, [2]router.NodeID{a, b}, spec)
			breadth := topology.BreadthFirst(topo, root)
			at := topo.Coordinates(root)
			for i, s := range c.Trees {
				for n := range router.NodeID(topo.Nodes()) {
					if s.Depth[n] >= 0 {
						require.Equal(t, breadth.Depth[n], s.Depth[n], spec)
					}
					if len(c.Trees) == len(topo.Dims) && n != root {
						require.Equal(t, topo.Coordinates(n)[i] != at[i], s.Depth[n] > 0, "%s tree %d node %d", spec, i, n)
					}
				}
			}
		}
	}
}

func TestTorusPairIsTwoSpanningTreesWithoutACommonEdge(t *testing.T) {
	for a := 3; a <= 9; a++ {
		for b := 3; b <= 9; b++ {
			topo := parse(t, fmt.Sprintf("torus:%dx%d", a, b))
			for root := range router.NodeID(topo.Nodes()) {
				c, err := coverTorusPair(topo, root)
				require.NoError(t, err)
				require.NoError(t, Verify(topo, c))
				require.True(t, c.Spanning())
				x, y := SharedEdge(c)
				require.Equal(t, [2]router.NodeID{router.None, router.None}, [2]router.NodeID{x, y})
				require.LessOrEqual(t, c.Depth(), max(max(a/2, 2)+b-1, max(b/2, 2)+a-1), topo.Spec)
			}
		}
	}
}

func TestRotatedBinomialsAreSpanningAndDisjoint(t *testing.T) {
	for d := 1; d <= 7; d++ {
		topo := parse(t, fmt.Sprintf("hypercube:%d", d))
		for root := range router.NodeID(topo.Nodes()) {
			c, err := coverRotatedBinomials(topo, root)
			require.NoError(t, err)
			require.NoError(t, Verify(topo, c))
			require.True(t, c.Spanning())
			require.Len(t, c.Trees, d)
			require.LessOrEqual(t, c.Depth(), d+1)
		}
	}
}

// packing returns the largest number of spanning trees without a common link
// among all sets of them.
func packing(t *topology.Topology, root router.NodeID) int {
	nodes := t.Nodes()
	var trees []uint32 // sets of links
	parent := make([]router.NodeID, nodes)
	var choose func(n int, set uint32)
	choose = func(n int, set uint32) {
		if n == nodes {
			if topology.NewSpanningTree(root, parent).Unreached() == router.None {
				trees = append(trees, set)
			}
			return
		}
		if n == int(root) {
			parent[n] = router.None
			choose(n+1, set)
			return
		}
		for p := range router.NodeID(nodes) {
			if _, ok := t.PortTo(p, router.NodeID(n)); ok {
				parent[n] = p
				choose(n+1, set|1<<(int(p)*nodes+n))
			}
		}
	}
	choose(0, 0)
	var pack func(from int, used uint32) int
	pack = func(from int, used uint32) int {
		most := 0
		for i := from; i < len(trees); i++ {
			if trees[i]&used == 0 {
				most = max(most, 1+pack(i+1, used|trees[i]))
			}
		}
		return most
	}
	return pack(0, 0)
}

func TestMostAgainstAllPackings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		topo := parse(t, randomSpec(rng, 2, 5))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		k, _, _ := Most(context.Background(), topo, root)
		require.Equal(t, packing(topo, root), k, "%s from %d", topo, root)
	}
}

// leastFlow is Most's number by its definition.
func leastFlow(t *topology.Topology, root router.NodeID) int {
	least := int64(maxflow.Unlimited)
	for n := range router.NodeID(t.Nodes()) {
		if n == root {
			continue
		}
		f := maxflow.New(t.Nodes(), len(t.Links()))
		for _, l := range t.Links() {
			f.Arc(int32(l.From), int32(l.To), 1)
		}
		least = min(least, f.Send(int32(root), int32(n), maxflow.Unlimited))
	}
	return int(least)
}

func TestMostIsTheLeastFlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 200 {
		topo := parse(t, randomSpec(rng, 2, 40))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		most, cut, err := Most(t.Context(), topo, root)
		require.NoError(t, err)
		require.Equal(t, leastFlow(topo, root), most, "%s from %d", topo, root)
		require.Len(t, cut, most)
		requireCut(t, topo, root, cut)
	}
}

func TestAsManyArborescencesAsTheCutAllows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	specs := []string{"mesh:5x5", "torus:5x4", "torus:3x3x3", "hypercube:5", "debruijn:6", "complete:8", "path:5", "ring:6", "hub:5", "comb:3x3"}
	for range 80 {
		specs = append(specs, randomSpec(rng, 2, 30))
	}
	for _, spec := range specs {
		topo := parse(t, spec)
		root := router.NodeID(rng.IntN(topo.Nodes()))
		most, cut, _ := Most(context.Background(), topo, root)
		require.Len(t, cut, most)
		requireCut(t, topo, root, cut)
		for k := 1; k <= most; k++ {
			c, err := growArborescences(context.Background(), topo, root, k)
			require.NoError(t, err, spec)
			require.NoError(t, Verify(topo, c), spec)
			require.True(t, c.Spanning())
			require.Len(t, c.Trees, k)
		}
		_, err := growArborescences(context.Background(), topo, root, most+1)
		require.EqualError(t, err, fmt.Sprintf("%d trees from node %d of %s (expected at most %d: there are no more without a common link)", most+1, root, spec, most))
	}
}

// requireCut removes links and wants some node to be out of reach.
func requireCut(t *testing.T, topo *topology.Topology, root router.NodeID, cut []topology.Link) {
	gone := map[topology.Link]bool{}
	for _, link := range cut {
		gone[link] = true
	}
	seen := map[router.NodeID]bool{root: true}
	for grown := true; grown; {
		grown = false
		for _, link := range topo.Links() {
			if seen[link.From] && !seen[link.To] && !gone[link] {
				seen[link.To], grown = true, true
			}
		}
	}
	require.Less(t, len(seen), topo.Nodes())
}

// ways returns the number of routes without a common link to a node.
func ways(topo *topology.Topology, root, to router.NodeID) int {
	f := maxflow.New(topo.Nodes(), 0)
	for _, link := range topo.Links() {
		f.Arc(int32(link.From), int32(link.To), 1)
	}
	return int(f.Send(int32(root), int32(to), maxflow.Unlimited))
}

// Partial trees are disjoint, reach all nodes together, and come to most of
// the memberships that the links allow, sum min(k, ways).
func TestPartialTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	got, possible := 0, 0
	for range 150 {
		topo := parse(t, randomSpec(rng, 2, 30))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		k := 1 + rng.IntN(topo.Degree(root))
		c, err := growPartialTrees(context.Background(), topo, root, k)
		require.NoError(t, err)
		require.NoError(t, Verify(topo, c), topo.Spec)
		for n := range router.NodeID(topo.Nodes()) {
			if n == root {
				continue
			}
			most := min(k, ways(topo, root, n))
			in := 0
			for _, s := range c.Trees {
				if s.Depth[n] >= 0 {
					in++
				}
			}
			require.LessOrEqual(t, in, most)
			got, possible = got+in, possible+most
		}
		if most, _, _ := Most(context.Background(), topo, root); most >= k {
			require.Len(t, c.Trees, k)
			require.True(t, c.Spanning(), topo.Spec)
		}
	}
	require.GreaterOrEqual(t, float64(got), 0.995*float64(possible), "%d of %d", got, possible)
}

func TestKnownConnectivity(t *testing.T) {
	for _, row := range []struct {
		spec string
		most int
	}{
		{"path:1", 0}, {"path:5", 1}, {"ring:5", 2}, {"mesh:4x4", 2}, {"mesh:3x3x3", 3}, {"torus:4x4", 4}, {"torus:3x3x3", 6}, {"hypercube:6", 6},
		{"debruijn:6", 2}, {"complete:9", 8}, {"binary:4", 1},
	} {
		topo := parse(t, row.spec)
		k, _, _ := Most(context.Background(), topo, 0)
		require.Equal(t, row.most, k, row.spec)
	}
}

func TestBestPicksByTopology(t *testing.T) {
	for _, row := range []struct {
		spec  string
		k     int
		name  string
		trees int
	}{
		{"hypercube:4", 0, "rotated-binomials", 4}, {"hypercube:4", 3, "rotated-binomials", 3}, {"mesh:4x5", 0, "dimension-orders", 2},
		{"mesh:4x5", 2, "dimension-orders", 2}, {"mesh:4x5", 1, "breadth-first", 1}, {"torus:4x5", 0, "dimension-orders", 2},
		{"torus:4x5", 4, "arborescences", 4}, {"torus:4x5", 3, "arborescences", 3}, {"torus:4x5x3", 0, "dimension-orders", 3},
		{"debruijn:5", 0, "arborescences", 2}, {"binary:3", 0, "breadth-first", 1}, {"complete:6", 0, "arborescences", 5}, {"path:1", 0, "dimension-orders", 1},
		{"ring:6", 0, "dimension-orders", 1}, {"ring:6", 2, "arborescences", 2}, {"star:5", 0, "star-paths", 4}, {"star:5", 3, "star-trees", 3},
		{"star:5", 1, "breadth-first", 1},
	} {
		topo := parse(t, row.spec)
		c, err := Best(context.Background(), topo, 0, row.k)
		require.NoError(t, err, row.spec)
		require.NoError(t, Verify(topo, c), row.spec)
		require.Equal(t, row.name, c.Name, row.spec)
		require.Len(t, c.Trees, row.trees, row.spec)
	}
}

// The trees stay shallow: depth and distance of the furthest node.
func TestDepths(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		depth, far int
	}{
		{"dimension-orders", "mesh:16x16", 30, 30}, {"arborescences", "mesh:16x16", 30, 30}, {"dimension-orders", "torus:16x16", 16, 16},
		{"torus-pair", "torus:16x16", 23, 16}, {"arborescences", "torus:16x16", 24, 16}, {"rotated-binomials", "hypercube:8", 9, 8},
		{"arborescences", "hypercube:8", 12, 8}, {"arborescences", "debruijn:8", 10, 8}, {"arborescences", "torus:6x6x6", 12, 9},
		{"star-trees", "star:6", 10, 7}, {"star-paths", "star:6", 7, 7}, {"star-trees", "star:7", 11, 9},
	} {
		topo := parse(t, row.spec)
		c, err := Named(context.Background(), row.name, topo, 0, 0)
		require.NoError(t, err)
		require.NoError(t, Verify(topo, c))
		require.Equal(t, row.far, topology.BreadthFirst(topo, 0).MaxDepth())
		require.LessOrEqual(t, c.Depth(), row.depth, "%s %s", row.name, row.spec)
	}
}

func ExampleBest() {
	t, _ := topology.Parse("hypercube:4")
	c, _ := Best(context.Background(), t, 0, 0)
	fmt.Println(c.Name, len(c.Trees), "trees, depth", c.Depth(), "spanning", c.Spanning())
	_, err := Best(context.Background(), t, 0, 5)
	fmt.Println(err)
	// Output:
	// rotated-binomials 4 trees, depth 5 spanning true
	// 5 trees from node 0 of hypercube:4 (expected at most 4: there are no more without a common link)
}

func TestBadCovers(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		root       router.NodeID
		k          int
		want       string
	}{
		{"", "mesh:3x3", 9, 0, "root 9 is not a node of mesh:3x3 (expected 0 to 8)"},
		{"", "mesh:3x3", 0, 3, "3 trees from node 0 of mesh:3x3 (expected at most 2: there are no more without a common link)"},
		{"", "binary:2", 0, 2, "2 trees from node 0 of binary:2 (expected at most 1: there are no more without a common link)"},
		{"", "mesh:3x3", 0, -1, "-1 trees (expected at least 1, or 0 for as many as are useful)"},
		{"torus-pair", "mesh:3x3", 0, 0, "no pair of trees for mesh:3x3 (expected torus:AxB with A and B at least 3)"},
		{"torus-pair", "torus:2x3", 0, 0, "no pair of trees for torus:2x3 (expected torus:AxB with A and B at least 3)"},
		{"torus-pair", "torus:3x3", 0, 3, "3 trees of the cover torus-pair (expected at most 2)"},
		{"rotated-binomials", "mesh:2x2", 0, 0, "no rotated binomial trees for mesh:2x2 (expected hypercube:D)"},
		{"star-trees", "mesh:2x2", 0, 0, "no trees of a star graph for mesh:2x2 (expected star:N)"},
		{"star-paths", "star:4", 0, 2, "2 trees of the cover star-paths (expected 3, or 0 for all)"},
		{"", "star:4", 0, 4, "4 trees of the cover star-trees (expected at most 3)"},
		{"dimension-orders", "hub:3", 0, 0, "hub:3 has no dimensions (expected path, ring, mesh, torus or hypercube)"},
		{"dimension-orders", "mesh:3x3", 0, 1, "1 trees of the cover dimension-orders (expected 2, or 0 for all)"},
		{"arboresences", "mesh:3x3", 0, 1, `unknown cover "arboresences" (did you mean arborescences?)`},
	} {
		_, err := Named(context.Background(), row.name, parse(t, row.spec), row.root, row.k)
		require.EqualError(t, err, row.want)
	}
}

func TestVerifyFindsFaults(t *testing.T) {
	topo := parse(t, "mesh:3x3")
	good := func() *Cover {
		c, err := growArborescences(context.Background(), topo, 0, 2)
		require.NoError(t, err)
		return c
	}
	require.NoError(t, Verify(topo, good()))
	for _, row := range []struct {
		damage func(*Cover)
		want   string
	}{
		{func(c *Cover) { c.Trees[1] = c.Trees[0] }, "trees 0 and 1 share the link"},
		{func(c *Cover) { c.Trees = nil }, "no trees"},
		{func(c *Cover) { c.Trees[1] = topology.BreadthFirst(topo, 4) }, "tree 1 has root 4, tree 0 has root 0"},
		{func(c *Cover) { c.Trees[0].Parent[8] = 0 }, "no link from node 0 to node 8"},
		{func(c *Cover) { c.Trees[0].Depth[8]++ }, "node 8 is at depth"},
		{func(c *Cover) { c.Trees[0].Order = c.Trees[0].Order[:8] }, "is not reached but has a depth or a parent"},
		{func(c *Cover) {
			for _, s := range c.Trees {
				s.Parent[8], s.Depth[8], s.Order = router.None, -1, s.Order[:8]
			}
		}, "8"},
		{func(c *Cover) { c.Trees[0].Order[1], c.Trees[0].Order[8] = c.Trees[0].Order[8], c.Trees[0].Order[1] }, "before its parent"},
	} {
		c := good()
		row.damage(c)
		require.ErrorContains(t, Verify(topo, c), row.want)
	}
}

func BenchmarkArborescences(b *testing.B) {
	for _, row := range []struct {
		spec string
		k    int
	}{{"torus:32x32", 4}, {"torus:10x10x10", 6}, {"debruijn:10", 2}, {"hypercube:10", 10}, {"random:1000,10,1", 0}} {
		topo := parse(b, row.spec)
		b.Run(row.spec, func(b *testing.B) {
			k := row.k
			if k == 0 {
				k, _, _ = Most(context.Background(), topo, 0)
			}
			for b.Loop() {
				c, err := growArborescences(context.Background(), topo, 0, k)
				require.NoError(b, err)
				b.ReportMetric(float64(len(c.Trees)), "trees")
				b.ReportMetric(float64(c.Depth()), "depth")
				b.ReportMetric(float64(topology.BreadthFirst(topo, 0).MaxDepth()), "eccentricity")
			}
		})
	}
}

func BenchmarkMost(b *testing.B) {
	topo := parse(b, "torus:32x32")
	for b.Loop() {
		_, _, _ = Most(context.Background(), topo, 0)
	}
}

func TestSpanningNames(t *testing.T) {
	topo := parse(t, "torus:4x4")
	for _, name := range SpanningNames() {
		if c, err := Named(t.Context(), name, topo, 0, 0); err == nil {
			require.True(t, c.Spanning(), name)
		}
	}
	require.Subset(t, Names(), SpanningNames())
}
