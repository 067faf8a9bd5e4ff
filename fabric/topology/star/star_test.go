// SPDX-License-Identifier: Apache-2.0

package star

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func graph(t testing.TB, n int) *Graph {
	g, err := New(n)
	require.NoError(t, err)
	return g
}

// sample returns all nodes of a small graph, and 500 of a large one.
func sample(g *Graph) []router.NodeID {
	nodes := make([]router.NodeID, min(g.Nodes(), 5040))
	for i := range nodes {
		nodes[i] = router.NodeID(i)
	}
	if g.Nodes() > len(nodes) {
		rng := rand.New(rand.NewPCG(1, 2))
		nodes = nodes[:500]
		for i := range nodes {
			nodes[i] = router.NodeID(rng.IntN(g.Nodes()))
		}
	}
	return nodes
}

// breadthFirst returns the distances from a node over the links of Neighbor.
func breadthFirst(g *Graph, root router.NodeID) []int {
	depth := make([]int, g.Nodes())
	for n := range depth {
		depth[n] = -1
	}
	depth[root] = 0
	order := []router.NodeID{root}
	for i := 0; i < len(order); i++ {
		for p := range router.Port(g.Ports()) {
			if to := g.Neighbor(order[i], p); depth[to] < 0 {
				depth[to] = depth[order[i]] + 1
				order = append(order, to)
			}
		}
	}
	return depth
}

// allPermutations lists the permutations in lexicographic order by their definition.
func allPermutations(n int) []Permutation {
	var all []Permutation
	v := identity
	var put func(i int, used uint32)
	put = func(i int, used uint32) {
		if i > n {
			all = append(all, v)
			return
		}
		for s := 1; s <= n; s++ {
			if used>>s&1 == 0 {
				v[i] = uint8(s)
				put(i+1, used|1<<s)
			}
		}
	}
	put(1, 0)
	return all
}

func TestNodesAreTheLexicographicPlaces(t *testing.T) {
	for n := MinSymbols; n <= 8; n++ {
		g := graph(t, n)
		all := allPermutations(n)
		require.Len(t, all, g.Nodes())
		for i, v := range all {
			require.Equal(t, v, g.Permutation(router.NodeID(i)))
			require.Equal(t, router.NodeID(i), g.Node(v))
		}
	}
	require.Equal(t, "1234", graph(t, 4).Name(0))
	require.Equal(t, "4321", graph(t, 4).Name(23))
}

func TestNeighboursExchangeTheFirstSymbol(t *testing.T) {
	for n := MinSymbols; n <= 7; n++ {
		g := graph(t, n)
		for v := range router.NodeID(g.Nodes()) {
			for p := range router.Port(g.Ports()) {
				to := g.Neighbor(v, p)
				require.Equal(t, v, g.Neighbor(to, p))
				want := g.Permutation(v)
				d := Dimension(p)
				want[1], want[d] = want[d], want[1]
				require.Equal(t, want, g.Permutation(to))
			}
		}
	}
}

func TestDistancesAndRoutesAgainstBreadthFirst(t *testing.T) {
	for n := MinSymbols; n <= MaxSymbols; n++ {
		g := graph(t, n)
		for _, root := range []router.NodeID{0, router.NodeID(g.Nodes() - 1), router.NodeID(g.Nodes() / 3)} {
			depth, far := breadthFirst(g, root), 0
			for v, d := range depth {
				require.Equal(t, d, g.Distance(router.NodeID(v), root), "S_%d %d", n, v)
				far = max(far, d)
			}
			require.Equal(t, far, g.Diameter())
			for _, v := range sample(g) {
				route := g.Route(v, root)
				require.Len(t, route, depth[v])
				at := v
				for _, p := range route {
					require.Equal(t, p, g.Next(at, root))
					at = g.Neighbor(at, p)
				}
				require.Equal(t, root, at)
				require.Equal(t, router.Here, g.Next(at, root))
			}
		}
	}
}

// A translation carries node 0 to any node and keeps the dimensions; a rotation moves them by one.
func TestSymmetries(t *testing.T) {
	for n := MinSymbols; n <= MaxSymbols; n++ {
		g := graph(t, n)
		roots := []router.NodeID{0, 1, router.NodeID(g.Nodes() - 1), router.NodeID(g.Nodes() / 5)}
		for _, v := range sample(g) {
			for p := range router.Port(g.Ports()) {
				to := g.Neighbor(v, p)
				require.Equal(t, g.Rotate(to), g.Neighbor(g.Rotate(v), (p+1)%router.Port(g.Ports())))
				for _, root := range roots {
					require.Equal(t, g.Translate(root, to), g.Neighbor(g.Translate(root, v), p))
				}
			}
			require.Equal(t, g.Distance(v, 0), g.Distance(g.Rotate(v), 0))
		}
		for _, root := range roots {
			require.Equal(t, root, g.Translate(root, 0))
		}
		require.Zero(t, g.Rotate(0))
	}
}

// Necklaces are the orbits of the rotation.
func TestNecklacesPartitionTheNodes(t *testing.T) {
	for n := MinSymbols; n <= 7; n++ {
		g := graph(t, n)
		size := make([]int, g.Nodes()) // of the necklace of each node
		for v := range router.NodeID(g.Nodes()) {
			necklace := g.Necklace(v)
			require.Len(t, necklace, n-1)
			require.Equal(t, v, necklace[0])
			require.Equal(t, v, g.Rotate(necklace[n-2]))
			distinct := map[router.NodeID]int{}
			for _, w := range necklace {
				distinct[w]++
			}
			require.Zero(t, (n-1)%len(distinct))
			for w, times := range distinct {
				require.Equal(t, (n-1)/len(distinct), times)
				if size[w] != 0 {
					require.Equal(t, len(distinct), size[w])
				}
				size[w] = len(distinct)
			}
		}
	}
	// Fragopoulou and Akl: a node that begins with another symbol than 1 is in a necklace of n-1 nodes.
	g := graph(t, 6)
	for v := range router.NodeID(g.Nodes()) {
		if g.Permutation(v)[1] != 1 {
			nodes := g.Necklace(v)
			for i := range nodes {
				require.NotContains(t, nodes[:i], nodes[i])
			}
		}
	}
}

func TestWhatIsNoNode(t *testing.T) {
	g := graph(t, 4)
	for _, n := range []router.NodeID{-1, 24} {
		require.Zero(t, g.Permutation(n))
		require.Empty(t, g.Name(n))
		require.Equal(t, router.None, g.Neighbor(n, 0))
		require.Equal(t, router.None, g.Translate(0, n))
		require.Equal(t, router.None, g.Translate(n, 0))
		require.Equal(t, router.None, g.Rotate(n))
		require.Nil(t, g.Necklace(n))
		require.Equal(t, -1, g.Distance(0, n))
		require.Equal(t, router.NoPort, g.Next(n, 0))
		require.Nil(t, g.Route(0, n))
	}
	require.Equal(t, router.None, g.Neighbor(0, 3))
	require.Equal(t, router.None, g.Neighbor(0, -1))
	for _, v := range []Permutation{{}, {0, 1, 2, 3, 5, 4, 6, 7, 8, 9}, {0, 1, 1, 3, 4, 5, 6, 7, 8, 9}, {0, 1, 2, 3, 40, 5, 6, 7, 8, 9}, {1, 0, 2, 3, 4, 5, 6, 7, 8, 9}} {
		require.Equal(t, router.None, g.Node(v))
	}
	_, err := New(10)
	require.EqualError(t, err, "a star graph of 10 symbols (expected 2 to 9)")
	_, err = New(1)
	require.EqualError(t, err, "a star graph of 1 symbol (expected 2 to 9)")
}

func ExampleGraph_Route() {
	g, _ := New(4)
	at := g.Node(Permutation{0, 2, 1, 4, 3, 5, 6, 7, 8, 9})
	fmt.Println(g.Name(at), "is", g.Distance(at, 0), "links from", g.Name(0))
	for _, p := range g.Route(at, 0) {
		at = g.Neighbor(at, p)
		fmt.Println("dimension", Dimension(p), "leads to", g.Name(at))
	}
	// Output:
	// 2143 is 4 links from 1234
	// dimension 3 leads to 4123
	// dimension 4 leads to 3124
	// dimension 3 leads to 2134
	// dimension 2 leads to 1234
}

func BenchmarkNext(b *testing.B) {
	g := graph(b, 9)
	to := router.NodeID(100)
	for b.Loop() {
		to = (to + 7919) % router.NodeID(g.Nodes())
		g.Next(5, to)
	}
}
