// SPDX-License-Identifier: Apache-2.0

package star

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// slowParent is the table of Trees with searches, for the identity as the root.
func slowParent(v Permutation, n, l int) int {
	of := func(symbol int) int { return slices.Index(v[:n+1], uint8(symbol)) }
	k, p := int(v[1]), of(1)
	if k == 1 {
		return l
	}
	if k != p {
		switch l {
		case p:
			return k
		case k:
			return p
		case int(v[k]):
			return of(p)
		}
		return of(l)
	}
	q := 0
	for i, at := 1, p; i < n-1 && q == 0; i++ {
		if at++; at > n {
			at = 2
		}
		if int(v[at]) != at {
			q = at
		}
	}
	switch {
	case q == 0 && l == p:
		return p
	case q == 0:
		return l
	case l == p:
		return q
	case l == int(v[q]):
		return p
	}
	return of(l)
}

// depths returns the depth of all nodes in a tree, and wants every route to end at the root,
// through the neighbour behind the port of the tree's number.
func depths(t testing.TB, g *Graph, tree int, root router.NodeID) []int {
	depth := make([]int, g.Nodes())
	var way []router.NodeID
	for v := range router.NodeID(g.Nodes()) {
		way = way[:0]
		at := v
		for at != root && depth[at] == 0 {
			way = append(way, at)
			to := g.Neighbor(at, g.Trees().Parent(tree, root, at))
			if to == root {
				require.Equal(t, g.Neighbor(root, router.Port(tree)), at, "tree %d of S_%d", tree, g.Symbols())
			}
			at = to
			require.LessOrEqual(t, len(way), g.Nodes(), "tree %d of S_%d: a cycle", tree, g.Symbols())
		}
		for i, n := range slices.Backward(way) {
			depth[n] = depth[at] + len(way) - i
		}
	}
	return depth
}

func TestTreesAreThoseOfTheTable(t *testing.T) {
	for n := MinSymbols; n <= 8; n++ {
		g := graph(t, n)
		for v := router.NodeID(1); int(v) < g.Nodes(); v++ {
			for tree := range n - 1 {
				require.Equal(t, slowParent(g.Permutation(v), n, tree+2), Dimension(g.Trees().Parent(tree, 0, v)), "S_%d %s T_%d", n, g.Name(v), tree+2)
			}
		}
	}
}

func TestTreesUseDifferentDimensionsAtEveryNode(t *testing.T) {
	for n := MinSymbols; n <= 8; n++ {
		g := graph(t, n)
		for _, root := range []router.NodeID{0, router.NodeID(g.Nodes() / 2)} {
			for v := range router.NodeID(g.Nodes()) {
				used := 0
				for tree := range g.Trees().Count() {
					p := g.Trees().Parent(tree, root, v)
					if v == root {
						require.Equal(t, router.NoPort, p)
						continue
					}
					used |= 1 << p
				}
				if v != root {
					require.Equal(t, 1<<(n-1)-1, used, "S_%d %s", n, g.Name(v))
				}
			}
		}
	}
}

func TestTreesEndAtTheRootAndAreNoDeeperThanSaid(t *testing.T) {
	for n := MinSymbols; n <= MaxSymbols; n++ {
		g := graph(t, n)
		for tree := range g.Trees().Count() {
			root := router.NodeID(0)
			if n < 8 {
				root = router.NodeID(tree * g.Nodes() / n)
			}
			require.Equal(t, g.Trees().Depth(), slices.Max(depths(t, g, tree, root)), "S_%d", n)
			if n == MaxSymbols {
				break // the others are rotations of it
			}
		}
	}
}

func TestTreesAreRotationsAndTranslationsOfOneAnother(t *testing.T) {
	for n := MinSymbols; n <= MaxSymbols; n++ {
		g := graph(t, n)
		trees := g.Trees()
		for _, v := range sample(g) {
			for tree := range trees.Count() {
				p := trees.Parent(tree, 0, v)
				next := router.NoPort
				if v != 0 {
					next = (p + 1) % router.Port(g.Ports())
				}
				require.Equal(t, next, trees.Parent((tree+1)%trees.Count(), 0, g.Rotate(v)))
				for _, root := range []router.NodeID{1, router.NodeID(g.Nodes() - 1), router.NodeID(g.Nodes() / 7)} {
					require.Equal(t, p, trees.Parent(tree, root, g.Translate(root, v)))
				}
			}
		}
	}
}

func TestChildrenAreThoseWhoseParentIsTheNode(t *testing.T) {
	for n := MinSymbols; n <= MaxSymbols; n++ {
		g := graph(t, n)
		trees := g.Trees()
		for _, root := range []router.NodeID{0, router.NodeID(g.Nodes() / 2)} {
			for _, v := range append(sample(g), root) {
				for tree := range trees.Count() {
					require.Equal(t, childrenBySearch(g, trees.Parent, tree, root, v), trees.Children(tree, root, v, []router.Port{}))
				}
			}
		}
		require.Equal(t, []router.Port{0}, trees.Children(0, 5%router.NodeID(g.Nodes()), 5%router.NodeID(g.Nodes()), nil))
	}
}

// Every path in a tree is a shortest path to the root and ends on the root's link of that tree.
// No two trees enter a node by the same link. The trees are of about equal size, and so are the
// trees that the machine's routes form.
func TestShortestPathsAreShortestDisjointAndBalanced(t *testing.T) {
	for n := MinSymbols; n <= 7; n++ {
		g := graph(t, n)
		trees := g.ShortestPaths()
		for _, root := range []router.NodeID{0, router.NodeID(g.Nodes() - 1)} {
			size, inTree := make([]int, n-1), make([]int, n-1)
			deepest := 0
			for v := range router.NodeID(g.Nodes()) {
				used := map[router.Port]bool{}
				for tree := range trees.Count() {
					require.Equal(t, childrenBySearch(g, trees.Parent, tree, root, v), trees.Children(tree, root, v, []router.Port{}))
					p := trees.Parent(tree, root, v)
					if p == router.NoPort {
						continue
					}
					require.False(t, used[p])
					used[p] = true
					size[tree]++
					at, links := v, 0
					for p := p; ; p = trees.Parent(tree, root, at) {
						links++
						before := at
						if at = g.Neighbor(at, p); at == root {
							require.Equal(t, g.Neighbor(root, router.Port(tree)), before)
							break
						}
					}
					require.Equal(t, g.Distance(v, root), links)
					deepest = max(deepest, links)
				}
				if v != root {
					require.True(t, used[g.Next(v, root)], "the machine's route is one of them")
					begins := g.Next(v, root)
					for at := v; at != root; at = g.Neighbor(at, g.Next(at, root)) {
						begins = g.Next(at, root)
					}
					inTree[begins]++
				}
			}
			require.Equal(t, trees.Depth(), deepest)
			for tree := range size {
				require.Equal(t, size[0], size[tree], "S_%d", n)
				require.LessOrEqual(t, float64(inTree[tree]), 1.1*float64(g.Nodes()-1)/float64(n-1)+1, "S_%d", n)
			}
		}
	}
	require.Equal(t, router.NoPort, ShortestPaths{}.Parent(0, 0, 0))
	require.Empty(t, ShortestPaths{}.Children(0, 0, 0, nil))
}

// childrenBySearch lists the ports whose neighbours have the node as their parent.
func childrenBySearch(g *Graph, parent func(int, router.NodeID, router.NodeID) router.Port, tree int, root, v router.NodeID) []router.Port {
	ports := []router.Port{}
	for p := range router.Port(g.Ports()) {
		if parent(tree, root, g.Neighbor(v, p)) == p {
			ports = append(ports, p)
		}
	}
	return ports
}

func TestParentsAndChildrenAllocateNothing(t *testing.T) {
	g := graph(t, 7)
	ports := make([]router.Port, 0, 6)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		g.Trees().Parent(2, 100, 77)
		ports = g.Trees().Children(2, 100, 77, ports[:0])
		g.Next(100, 77)
	}))
}

func TestWhatIsNoTree(t *testing.T) {
	g := graph(t, 4)
	for _, row := range []struct {
		tree    int
		root, v router.NodeID
	}{{-1, 0, 1}, {3, 0, 1}, {0, -1, 1}, {0, 24, 1}, {0, 0, 24}, {0, 0, -1}} {
		require.Equal(t, router.NoPort, g.Trees().Parent(row.tree, row.root, row.v))
		require.Empty(t, g.Trees().Children(row.tree, row.root, row.v, nil))
	}
	require.Zero(t, Trees{}.Count())
	require.Zero(t, Trees{}.Depth())
}

// All parents of S_9: 362 880 nodes, 8 trees.
func BenchmarkAllParents(b *testing.B) {
	g := graph(b, 9)
	for b.Loop() {
		for v := range router.NodeID(g.Nodes()) {
			for tree := range 8 {
				g.Trees().Parent(tree, 1234, v)
			}
		}
	}
}
