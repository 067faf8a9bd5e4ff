// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// requireCycle holds a list against what a Hamiltonian cycle is.
func requireCycle(t *testing.T, topo *Topology, nodes []router.NodeID) {
	t.Helper()
	require.Len(t, nodes, topo.Nodes())
	require.EqualValues(t, 0, nodes[0])
	seen := make([]bool, topo.Nodes())
	for i, n := range nodes {
		require.False(t, seen[n], "node %d comes twice", n)
		seen[n] = true
		next := nodes[(i+1)%len(nodes)]
		if len(nodes) == 1 {
			break
		}
		_, near := topo.PortTo(n, next)
		require.True(t, near, "%d and %d are not neighbours", n, next)
	}
}

// Grids: the list closes just where a cycle exists. One of odd sides that is open has more nodes of one
// colour of the chessboard than of the other.
func TestHamiltonianCyclesOfGrids(t *testing.T) {
	var grids []string
	for a := 1; a <= 6; a++ {
		grids = append(grids, fmt.Sprintf("path:%d", a), fmt.Sprintf("hypercube:%d", a))
		if a > 2 {
			grids = append(grids, fmt.Sprintf("ring:%d", a))
		}
		for b := 1; b <= 7; b++ {
			grids = append(grids, fmt.Sprintf("mesh:%dx%d", a, b), fmt.Sprintf("torus:%dx%d", a, b))
			for c := 1; c <= 5; c++ {
				grids = append(grids, fmt.Sprintf("mesh:%dx%dx%d", a, b, c), fmt.Sprintf("torus:%dx%dx%d", a, b, c))
			}
		}
	}
	for _, spec := range append(grids, "torus:3x7x5x3", "torus:9x3x3", "mesh:3x3x2x3") {
		topo, err := Parse(spec)
		if err != nil {
			continue
		}
		nodes := HamiltonianCycle(topo)
		if nodes != nil {
			requireCycle(t, topo, nodes)
			continue
		}
		long, odd, open := 0, true, false
		for d, size := range topo.Dims {
			odd = odd && size%2 == 1
			open = open || size > 1 && !topo.Wrap[d]
			if size > 1 {
				long++
			}
		}
		require.True(t, open && (odd || long == 1), spec)
	}
}

// A path through all nodes exists on every grid. What has no coordinates has none.
func TestHamiltonianPaths(t *testing.T) {
	for spec, want := range map[string][]router.NodeID{
		"path:4": {0, 1, 2, 3}, "mesh:2x3": {0, 1, 3, 2, 4, 5}, "path:1": {0}, "star:3": nil, "complete:4": nil, "twisted-torus:4x2": nil,
	} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		require.Equal(t, want, HamiltonianPath(topo), spec)
	}
}

// What is no topology has no way through its nodes, and no ports.
func TestWaysThroughNoTopology(t *testing.T) {
	for _, topo := range []*Topology{nil, {}, {Dims: []int{2, 2}}} {
		require.Nil(t, HamiltonianCycle(topo))
		require.Nil(t, HamiltonianPath(topo))
	}
	require.Zero(t, (&Topology{}).AllPorts())
}

// Other networks: where exhaustive search finds a cycle, so do rotations.
func TestHamiltonianCyclesOfGraphs(t *testing.T) {
	found := 0
	for _, row := range []struct {
		spec string
		want bool
	}{
		{"star:3", true}, {"star:4", true}, {"star:5", true}, {"complete:9", true}, {"debruijn:6", true},
		{"hub:5", false}, {"binary:3", false}, {"comb:3x3", false}, {"random-tree:9", false}, {"twisted-torus:4x2", true}, {"twisted-torus:8x4", true}, {"twisted-torus:5x5,2", true},
		{"complete:2", true}, {"hub:2", true}, {"binary:1", false},
	} {
		topo, err := Parse(row.spec)
		require.NoError(t, err)
		nodes := HamiltonianCycle(topo)
		require.Equal(t, row.want, nodes != nil, row.spec)
		if nodes != nil {
			requireCycle(t, topo, nodes)
		}
	}
	for seed := range 60 {
		topo, err := Parse(fmt.Sprintf("random:%d,%.1f,%d", 5+seed%6, 2.5+float64(seed%4)/2, seed))
		if err != nil {
			continue
		}
		nodes := HamiltonianCycle(topo)
		require.Equal(t, hasCycle(topo, []router.NodeID{0}, make([]bool, topo.Nodes())), nodes != nil, topo.Spec)
		if nodes != nil {
			requireCycle(t, topo, nodes)
			found++
		}
	}
	require.Greater(t, found, 10)
}

// A cycle and chords between its nodes, numbered anew: rotations find a cycle, also from the second node on.
func TestHamiltonianCyclesThatAreHidden(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		order := rng.Perm(100)
		var edges []edge
		for i, n := range order {
			edges = append(edges, edge{router.NodeID(n), router.NodeID(order[(i+1)%len(order)])})
			if a, b := rng.IntN(100), rng.IntN(100); i%3 == 0 && a != b {
				edges = append(edges, edge{router.NodeID(a), router.NodeID(b)})
			}
		}
		topo := newAdjacency(Graph, len(order), distinct(edges))
		requireCycle(t, topo, HamiltonianCycle(topo))
	}
}

// What faults leave of a network keeps the cycle of the whole if they spare it, however large the network is.
func TestHamiltonianCycleOfSurvivors(t *testing.T) {
	topo, err := Parse("mesh:34x34")
	require.NoError(t, err)
	for _, row := range []struct {
		from, to router.NodeID
		want     bool
	}{{36, 70, true}, {0, 34, false}} {
		s, err := topo.Without(func(router.NodeID) bool { return false }, func(a, b router.NodeID) bool { return min(a, b) == row.from && max(a, b) == row.to })
		require.NoError(t, err)
		nodes := HamiltonianCycle(s.Topology)
		require.Equal(t, row.want, nodes != nil)
		if row.want {
			requireCycle(t, s.Topology, nodes)
		}
	}
}

// hasCycle tries all paths.
func hasCycle(t *Topology, path []router.NodeID, used []bool) bool {
	at := path[len(path)-1]
	if len(path) == t.Nodes() {
		_, closed := t.PortTo(at, path[0])
		return closed
	}
	used[at] = true
	for p := range t.Ports(at) {
		next := t.Neighbor(at, router.Port(p))
		if next != router.None && !used[next] && hasCycle(t, append(path, next), used) {
			return true
		}
	}
	used[at] = false
	return false
}
