// SPDX-License-Identifier: Apache-2.0

package scattergather_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// TestNoOrderIsFasterThanFurthestFirst runs a scatter's messages in every order,
// up to seven on random trees. Every run keeps the bounds of proposition 1 and
// takes the time that the formula gives for its order. The orders of falling
// distance are the fastest, whichever of equally far messages comes first (Bhatt,
// Pucci, Ranade, Rosenberg, section 2).
func TestNoOrderIsFasterThanFurthestFirst(t *testing.T) {
	slower := 0
	for seed, messages := range []int{1, 2, 3, 3, 4, 4, 5, 5, 6, 7}[:soak.Number(9, 10)] {
		random := rand.New(rand.NewPCG(uint64(seed), 41))
		topo, err := topology.Parse(collectivetest.RandomTree(t, random, messages+1+random.IntN(6)))
		require.NoError(t, err)
		j := collectivetest.Job(t, topo.String(), "bufferless", random.IntN(topo.Nodes()), make([]int, topo.Nodes())...)
		for len(j.Order) < messages {
			if n := router.NodeID(random.IntN(topo.Nodes())); n != j.Root && j.Lengths[n] == 0 {
				j.Lengths[n] = 1 + random.IntN(5)
				j.Order = append(j.Order, n)
			}
		}
		depth := topology.BreadthFirst(topo, j.Root).Depth
		least, most := bound.AnyOrder(depth, j.Lengths)
		furthest := furthestTime(t, j)
		orders(j.Order, 0, func() {
			r := collectivetest.Run(t, "scatter", "furthest-first", j)
			require.LessOrEqual(t, least, r.Cycles, "seed %d order %v", seed, j.Order)
			require.LessOrEqual(t, r.Cycles, most, "seed %d order %v", seed, j.Order)
			require.LessOrEqual(t, furthest, r.Cycles, "seed %d order %v", seed, j.Order)
			sent, falling := router.Cycle(0), true
			for i, n := range j.Order {
				require.Equal(t, n, r.Log[i].Destination)
				require.Equal(t, sent, r.Log[i].Dispatch)
				sent += router.Cycle(j.Lengths[n])
				require.Equal(t, sent+router.Cycle(depth[n]), r.Log[i].Arrival)
				falling = falling && (i == 0 || depth[n] <= depth[j.Order[i-1]])
			}
			if falling {
				require.Equal(t, furthest, r.Cycles, "seed %d order %v", seed, j.Order)
			}
			if r.Cycles > furthest {
				slower++
			}
		})
	}
	require.Positive(t, slower)
}

// furthestTime runs a job in the order that the algorithm chooses.
func furthestTime(t *testing.T, j collective.Job) router.Cycle {
	j.Order = nil
	return collectivetest.Run(t, "scatter", "furthest-first", j).Cycles
}

// orders visits every order of list[k:].
func orders(list []router.NodeID, k int, visit func()) {
	if k == len(list) {
		visit()
		return
	}
	for i := k; i < len(list); i++ {
		list[k], list[i] = list[i], list[k]
		orders(list, k+1, visit)
		list[k], list[i] = list[i], list[k]
	}
}
