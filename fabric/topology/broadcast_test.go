// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// leastBroadcastOf tries every set of hand-overs in every cycle.
func leastBroadcastOf(t *Topology, root router.NodeID) int {
	all := 1<<t.Nodes() - 1
	have := map[int]bool{1 << root: true}
	for time := 0; ; time++ {
		if have[all] {
			return time
		}
		next := map[int]bool{}
		for set := range have {
			var serve func(n router.NodeID, then int)
			serve = func(n router.NodeID, then int) {
				if int(n) == t.Nodes() {
					next[then] = true
					return
				}
				serve(n+1, then)
				for p := range router.Port(t.Ports(n)) {
					if to := t.Neighbor(n, p); set>>n&1 == 1 && to != router.None && then>>to&1 == 0 {
						serve(n+1, then|1<<to)
					}
				}
			}
			serve(0, set)
		}
		have = next
	}
}

func randomSpec(rng *rand.Rand, least, most int) string {
	nodes := least + rng.IntN(most-least+1)
	edges := nodes - 1 + rng.IntN(max(1, min(nodes, nodes*(nodes-1)/2-nodes+2)))
	return fmt.Sprintf("random:%d,%.6f,%d", nodes, 2*float64(edges)/float64(nodes), rng.IntN(1e6))
}

func requireSpanning(t *testing.T, topo *Topology, s *SpanningTree) {
	require.Len(t, s.Order, topo.Nodes())
	require.Equal(t, int32(0), s.Depth[s.Root])
	for _, n := range s.Order[1:] {
		_, ok := topo.PortTo(s.Parent[n], n)
		require.True(t, ok)
		require.Equal(t, s.Depth[s.Parent[n]]+1, s.Depth[n])
	}
}

func TestLeastBroadcastAgainstAllBroadcasts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worse := 0
	for range 150 {
		topo := parse(t, randomSpec(rng, 2, 8))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		s := LeastBroadcast(t.Context(), topo, root)
		requireSpanning(t, topo, s)
		exact, got := leastBroadcastOf(topo, root), BroadcastTime(s)
		require.GreaterOrEqual(t, got, exact, topo.Spec)
		require.GreaterOrEqual(t, exact, BroadcastBound(topo, root), topo.Spec)
		if got > exact {
			worse++
		}
	}
	require.LessOrEqual(t, worse, 3, "of 150")
}

func TestLeastBroadcastOnKnownNetworks(t *testing.T) {
	for _, row := range []struct {
		spec       string
		root       router.NodeID
		aboveBound int
	}{
		{"path:9", 4, 1}, {"hypercube:6", 0, 0}, {"complete:64", 0, 0}, {"complete:100", 7, 0}, {"mesh:8x8", 0, 0}, {"mesh:8x8", 27, 0},
		{"torus:8x8", 0, 0}, {"torus:7x9", 0, 1}, {"debruijn:8", 0, 3}, {"random:1000,3", 0, 2}, {"random:1000,4", 0, 2},
		{"random:1000,10", 0, 1}, {"hypercube:10", 0, 0}, {"mesh:32x32", 500, 0}, {"hub:100", 0, 92},
	} {
		topo := parse(t, row.spec)
		s := LeastBroadcast(t.Context(), topo, row.root)
		requireSpanning(t, topo, s)
		require.LessOrEqual(t, BroadcastTime(s)-BroadcastBound(topo, row.root), row.aboveBound, row.spec)
	}
}

func TestBroadcastTimeAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		topo := parse(t, fmt.Sprintf("recursive-tree:%d,%d", 1+rng.IntN(8), rng.IntN(1e6)))
		require.Equal(t, leastBroadcastOf(topo, 0), BroadcastTime(BreadthFirst(topo, 0)), topo.Spec)
	}
}

// No breadth-first tree has a level whose busiest parent has fewer children.
func TestBalancedTreesAreShortestAndBalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		topo := parse(t, randomSpec(rng, 2, 9))
		breadth, even := BreadthFirst(topo, 0), BalancedBreadthFirst(topo, 0)
		requireSpanning(t, topo, even)
		require.Equal(t, breadth.Depth, even.Depth, topo.Spec)
		for depth := range breadth.Depth[breadth.Order[topo.Nodes()-1]] {
			require.Equal(t, evenest(topo, breadth, depth), busiest(even, depth), topo.Spec)
		}
	}
}

// busiest returns the most children of a node at some depth.
func busiest(s *SpanningTree, depth int32) int {
	most := 0
	for n, children := range s.Children() {
		if s.Depth[n] == depth {
			most = max(most, len(children))
		}
	}
	return most
}

// evenest tries all parents for all nodes below a depth.
func evenest(t *Topology, s *SpanningTree, depth int32) int {
	count := make([]int, t.Nodes())
	var below []router.NodeID
	for n, d := range s.Depth {
		if d == depth+1 {
			below = append(below, router.NodeID(n))
		}
	}
	least := len(below)
	var put func(i, most int)
	put = func(i, most int) {
		if i == len(below) {
			least = min(least, most)
			return
		}
		for p := range router.Port(t.Ports(below[i])) {
			if up := t.Neighbor(below[i], p); s.Depth[up] == depth {
				count[up]++
				put(i+1, max(most, count[up]))
				count[up]--
			}
		}
	}
	put(0, 0)
	return least
}

// With single flits and no set-up time all breadth-first trees are equally
// fast and optimal (Tsai): furthest first takes the largest i+d over the
// order, where the i-th message, from 1, goes to distance d.
func TestSinglePortScatterIsTheSameOnEveryBreadthFirstTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		topo := parse(t, randomSpec(rng, 2, 40))
		root := router.NodeID(rng.IntN(topo.Nodes()))
		breadth := BreadthFirst(topo, root)
		closed := 0
		for i, n := range backwards(breadth.Order[1:]) {
			closed = max(closed, i+1+int(breadth.Depth[n]))
		}
		for _, s := range []*SpanningTree{breadth, BalancedBreadthFirst(topo, root), randomBreadthFirst(topo, breadth, rng), randomBreadthFirst(topo, breadth, rng)} {
			require.Equal(t, breadth.Depth, s.Depth)
			require.Equal(t, closed, scatterFlits(t, s), topo.Spec)
		}
	}
}

func backwards(order []router.NodeID) []router.NodeID {
	order = slices.Clone(order)
	slices.Reverse(order)
	return order
}

// randomBreadthFirst gives every node a random one of its nearest neighbours.
func randomBreadthFirst(t *Topology, s *SpanningTree, rng *rand.Rand) *SpanningTree {
	parent := slices.Clone(s.Parent)
	for _, n := range s.Order[1:] {
		for _, p := range rng.Perm(t.Ports(n)) {
			if up := t.Neighbor(n, router.Port(p)); s.Depth[up] == s.Depth[n]-1 {
				parent[n] = up
			}
		}
	}
	return NewSpanningTree(s.Root, parent)
}

// scatterFlits moves one flit for every node, furthest first, a link a cycle,
// and wants every node to send and receive at most one a cycle.
func scatterFlits(t *testing.T, s *SpanningTree) int {
	pending := backwards(s.Order[1:])
	var at, to []router.NodeID
	for cycle := 0; ; cycle++ {
		if len(pending) > 0 {
			at, to, pending = append(at, s.Root), append(to, pending[0]), pending[1:]
		}
		sends, receives := map[router.NodeID]bool{}, map[router.NodeID]bool{}
		moving := false
		for i, from := range at {
			if from == to[i] {
				continue
			}
			next := to[i]
			for s.Parent[next] != from {
				next = s.Parent[next]
			}
			require.False(t, sends[from] || receives[next])
			sends[from], receives[next], at[i], moving = true, true, next, true
		}
		if !moving {
			// The last flits are delivered in the cycle they arrive: one later than they were sent.
			return cycle + 1
		}
	}
}
