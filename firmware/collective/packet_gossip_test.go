// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
)

// Gossips of packets with a single port, in times of a packet: around a ring one for each other node, along dimensions of two nodes
// as many as double the blocks; greedy combines blocks.
func TestGossipsOfPacketsWithOnePort(t *testing.T) {
	const length, setup = 4, 2
	packet := func(flits int) router.Cycle { return router.Cycle(setup + flits) }
	for _, row := range []struct {
		spec, algorithm string
		want            router.Cycle
	}{
		{"mesh:4x4", "ring", 15 * packet(length)},
		{"star:4", "ring", 23 * packet(length)},
		{"complete:9", "ring", 8 * packet(length)},
		{"hypercube:3", "highdimgos", packet(length) + packet(2*length) + packet(4*length)},
		{"path:2", "approach2", packet(length)},
		{"path:3", "greedy", 2*packet(length) + packet(2*length)}, // node 1 sends four blocks without a pause
	} {
		for _, switching := range []machine.Switching{machine.StoreForward, machine.CutThrough} {
			j := collectivetest.Equal(t, row.spec, "store-forward", 0, length)
			require.NoError(t, j.Machine.Set("switching", string(switching)))
			require.NoError(t, j.Machine.Set("setup", "2"))
			p, err := collective.Generate(t.Context(), plan.Gossip, row.algorithm, j)
			require.NoError(t, err)
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			require.True(t, r.Delivered)
			require.Equal(t, row.want*router.Cycle(p.Machine.Ticks()), r.Cycles, "%s %s", row.spec, switching)
		}
	}
}

// Greedy collectives in packets deliver, and take no less than the bound: on random networks, with blocks of any length, also none.
func TestGreedyPackets(t *testing.T) {
	for seed := range soak.Number[uint64](20, 2000) {
		rng := rand.New(rand.NewPCG(seed, 77))
		specs := []string{"hub:5", "path:6", "mesh:3x3", "mesh:2x3", "star:3", "random-tree:9", "random:8,3,1", "complete:5", "ring:5", "binary:2"}
		j := collectivetest.Equal(t, specs[rng.IntN(len(specs))], "store-forward", 0, 1)
		for n := range j.Lengths {
			j.Lengths[n] = rng.IntN(6)
		}
		for _, values := range [][]string{
			{"switching", "store-forward", "cut-through"}, {"ports", "single", "all"}, {"setup", "0", "1", "5", "1/2"}, {"startup", "0", "7"}, {"flit", "1", "3"}, {"packet", "0", "2", "6"},
		} {
			require.NoError(t, j.Machine.Set(values[0], values[1+rng.IntN(len(values)-1)]))
		}
		kind := []string{plan.Gossip, plan.Broadcast, plan.Reduce, plan.Allreduce, plan.ReduceScatter}[rng.IntN(5)]
		if kind != plan.Gossip {
			j.Lengths = slices.Repeat([]int{rng.IntN(30)}, len(j.Lengths))
		}
		if kind == plan.Broadcast || kind == plan.Reduce {
			j.Root = router.NodeID(rng.IntN(len(j.Lengths)))
		}
		name := kind + " " + collectivetest.Describe(j)
		p, err := collective.Generate(t.Context(), kind, greedy.Name, j)
		require.NoError(t, err, name)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err, name)
		require.NoError(t, r.Failure, name)
		require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
	}
}
