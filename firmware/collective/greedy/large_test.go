// SPDX-License-Identifier: Apache-2.0

package greedy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
)

// largeSpecs are networks of more than 64 nodes, on which a search has less work for each pair of nodes.
var largeSpecs = []string{"mesh:11x6", "torus:13x5", "random-tree:66,3", "random:70,3,5", "ring:65", "comb:11x5"}

// On large networks random jobs arrive, too, in the time that was predicted.
func TestLargeNetworks(t *testing.T) {
	for i, kind := range soak.Some(3, []string{plan.Gossip, plan.Broadcast, plan.Reduce, plan.Allreduce, plan.Exchange, plan.ReduceScatter}) {
		for seed := range uint64(max(1, *jobs/3)) {
			random := rand.New(rand.NewPCG(seed, 0x6c61726765+uint64(i)))
			j := job(t, largeSpecs[(i+int(seed))%len(largeSpecs)], 1+random.IntN(3))
			j.Machine, j.Effort = collectivetest.RandomTransferMachine(t, random), collectivetest.Effort()
			if j.Machine.Switching == machine.Wormhole {
				j.Machine.Buffer = 1 + random.IntN(5)
			}
			if kind == plan.Broadcast || kind == plan.Reduce {
				j.Root = router.NodeID(random.IntN(j.Topology.Nodes()))
			}
			for _, name := range []string{greedy.Name, treesearch.Name} {
				if name == treesearch.Name && !slices.Contains([]string{plan.Broadcast, plan.Reduce, plan.Allreduce}, kind) {
					continue
				}
				r := collectivetest.Run(t, kind, name, j)
				require.True(t, r.Delivered)
				require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
				collectivetest.RequireLog(t, r)
				collectivetest.RequirePrediction(t, r, kind+" "+name+" "+collectivetest.Describe(j))
			}
		}
	}
}

// On irregular networks the default is several times as fast as trees and rounds that know nothing of the network.
func TestLargeNetworksGain(t *testing.T) {
	for _, row := range soak.Some(2, []struct {
		kind, spec, other string
		times             router.Cycle // as fast as the other, at least
	}{
		{plan.ReduceScatter, "random:70,3,7", "recursive-halving", 2},
		{plan.Gossip, "random:70,3,7", "recursive-doubling", 2},
		{plan.Reduce, "random:70,3,7", "bine", 2},
	}) {
		j := job(t, row.spec, 4, "startup", "100")
		own, other := collectivetest.Run(t, row.kind, "auto", j), collectivetest.Run(t, row.kind, row.other, j)
		require.LessOrEqual(t, row.times*own.Cycles, other.Cycles, row.kind)
		require.Equal(t, greedy.Name, own.Plan.Algorithm, row.kind)
	}
}

// On still larger networks a node looks at some others only. Random jobs arrive there, too, in the time that was predicted.
func TestLargerNetworks(t *testing.T) {
	specs := []string{"mesh:23x23", "random:520,3,5", "hypercube:10", "random-tree:540,3", "torus:9x8x8"}
	for i, kind := range soak.Some(3, []string{plan.ReduceScatter, plan.Gossip, plan.Broadcast, plan.Reduce, plan.Allreduce, plan.Exchange}) {
		for seed := range uint64(max(1, *jobs/3)) {
			random := rand.New(rand.NewPCG(seed, 0x6c6172676572+uint64(i)))
			j := job(t, specs[(i+int(seed))%len(specs)], 1+random.IntN(3))
			j.Machine = collectivetest.RandomTransferMachine(t, random)
			if kind == plan.Broadcast || kind == plan.Reduce {
				j.Root = router.NodeID(random.IntN(j.Topology.Nodes()))
			}
			if kind == plan.Exchange {
				j.Machine.Header = machine.SideWires // no flit of 32 bits has room for the tags of so many messages
			}
			j.Limit = 1 // the first schedule is enough
			r := collectivetest.Run(t, kind, greedy.Name, j)
			require.True(t, r.Delivered)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
			require.Equal(t, r.Cycles > r.Plan.LowerBound(), r.Plan.Stopped)
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, kind+" "+collectivetest.Describe(j))
		}
	}
}

// There the first schedule is already several times as fast as trees and rounds that know nothing of the network.
func TestLargerNetworksGain(t *testing.T) {
	for _, row := range soak.Some(3, []struct {
		kind, spec, other string
		words             int
		times             router.Cycle // as fast as the other, at least
	}{
		{plan.Gossip, "random:600,3,7", "recursive-doubling", 1, 4},
		{plan.ReduceScatter, "random:600,3,7", "recursive-halving", 600, 3},
		{plan.Broadcast, "hypercube:10", "doubling", 16, 2},
		{plan.Reduce, "random:600,3,7", "bine", 16, 2},
		{plan.Exchange, "random:520,3,7", "direct", 1, 10},
		{plan.Exchange, "random:520,3,7", "logarithmic", 1, 3},
	}) {
		j := job(t, row.spec, row.words, "startup", "100")
		other, err := collective.Generate(t.Context(), row.kind, row.other, j)
		require.NoError(t, err)
		j.Limit = 1
		own, err := collective.Generate(t.Context(), row.kind, greedy.Name, j)
		require.NoError(t, err)
		require.LessOrEqual(t, row.times*own.Predicted.Least, other.Predicted.Least, row.kind)
	}
}
