// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// leastTree tries all trees: each node has any parent, and comes to the root from parent to parent.
func leastTree(nodes, root int, cost []float64) float64 {
	parent, best := make([]int, nodes), math.Inf(1)
	var try func(v int, sum float64)
	try = func(v int, sum float64) {
		if v == root {
			try(v+1, sum)
			return
		}
		if v < nodes {
			for u := range nodes {
				if u != v {
					parent[v] = u
					try(v+1, sum+cost[u*nodes+v])
				}
			}
			return
		}
		for from := range nodes {
			at := from
			for range nodes {
				if at != root {
					at = parent[at]
				}
			}
			if at != root {
				return
			}
		}
		best = min(best, sum)
	}
	try(0, 0)
	return best
}

func TestArborescencesAreTheCheapestOfAllTrees(t *testing.T) {
	a := map[int]*arborescences{}
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x61726273))
		nodes := 2 + g.IntN(4)
		if a[nodes] == nil {
			a[nodes] = newArborescences(nodes)
		}
		cost := make([]float64, nodes*nodes)
		for i := range cost {
			cost[i] = float64(g.IntN(8))
		}
		root := g.IntN(nodes)
		sum, parent := a[nodes].least(root, cost)
		require.InDelta(t, leastTree(nodes, root, cost), sum, 1e-9, "seed %d", seed)
		of := 0.0
		for v, u := range parent {
			if v != root {
				of += cost[int(u)*nodes+v]
			}
		}
		require.InDelta(t, sum, of, 1e-9, "seed %d", seed)
	}
}

// The sum of the arcs is the cost in large networks as well, whose circles have circles in them.
func TestArborescencesOfLargeNetworks(t *testing.T) {
	a, deepest := newArborescences(40), 0
	for seed := range uint64(20) {
		g := rand.New(rand.NewPCG(seed, 0x6c61726765))
		cost := make([]float64, 40*40)
		for u := range 40 {
			for v := range 40 {
				cost[u*40+v] = math.Abs(float64(u-v)) + g.Float64()
			}
		}
		sum, parent := a.least(0, cost)
		of := 0.0
		for v := 1; v < 40; v++ {
			of += cost[int(parent[v])*40+v]
			at, links := v, 0
			for ; at != 0 && links < 40; links++ {
				at = int(parent[at])
			}
			require.Zero(t, at, "node %d comes to the root", v)
		}
		require.InDelta(t, sum, of, 1e-6)
		deepest = max(deepest, len(a.levels))
	}
	require.Greater(t, deepest, 2)
}
