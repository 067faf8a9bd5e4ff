// SPDX-License-Identifier: Apache-2.0

package refine_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

var jobs = flag.Int("jobs", 2, "random jobs of each collective")

var kinds = []string{plan.Broadcast, plan.Reduce, plan.Allreduce, plan.Gossip, plan.ReduceScatter}

// Random jobs arrive, in the time that was predicted, on machines of any kind.
func TestRandomJobs(t *testing.T) {
	for _, kind := range kinds {
		for seed := range uint64(*jobs) {
			random := rand.New(rand.NewPCG(seed, 0x726566))
			j := collectivetest.RandomJob(t, random)
			j.Machine = collectivetest.RandomTransferMachine(t, random)
			if j.Machine.Switching == machine.Wormhole {
				j.Machine.Buffer = 1 + random.IntN(5)
			}
			j.Lengths = slices.Repeat([]int{random.IntN(9)}, j.Topology.Nodes())
			for n := range j.Lengths {
				if kind == plan.Gossip {
					j.Lengths[n] = random.IntN(9)
				}
			}
			r := collectivetest.Run(t, kind, refine.Name, j)
			require.True(t, r.Delivered)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, kind+" "+collectivetest.Describe(j))
		}
	}
}

// Refined schedules are faster than those with which the search begins.
func TestFasterThanTheOthers(t *testing.T) {
	for _, row := range soak.Some(3, []struct {
		kind, spec string
		words      int
		keys       [][2]string
		others     []string
	}{
		{plan.Broadcast, "mesh:2x3", 32, [][2]string{{"ports", "single"}, {"startup", "30"}, {"hop", "2"}, {"buffer", "8"}}, []string{"greedy", "tree-search"}},
		{plan.Reduce, "mesh:2x3", 32, [][2]string{{"ports", "single"}, {"startup", "30"}, {"hop", "2"}, {"buffer", "8"}}, []string{"greedy", "tree-search"}},
		{plan.Allreduce, "path:12", 8, [][2]string{{"startup", "20"}}, []string{"greedy", "tree-search", "butterfly"}},
		{plan.Gossip, "random-tree:5,979", 8, [][2]string{{"ports", "single"}, {"startup", "100"}, {"flit", "2"}}, []string{"greedy", "dissemination"}},
		{plan.ReduceScatter, "random-tree:5,979", 8, [][2]string{{"ports", "single"}, {"startup", "100"}, {"flit", "2"}}, []string{"greedy", "recursive-halving"}},
		{plan.ReduceScatter, "ring:17", 2, [][2]string{{"ports", "single"}, {"nic.duplex", "half"}, {"flit", "2"}}, []string{"greedy", "recursive-halving"}},
	}) {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		j.Seed = 1
		for _, k := range row.keys {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		found := collectivetest.Run(t, row.kind, refine.Name, j)
		require.True(t, found.Delivered)
		for _, other := range row.others {
			require.Less(t, found.Cycles, collectivetest.Run(t, row.kind, other, j).Cycles, "%s %s", row.kind, other)
		}
		chosen := collectivetest.Run(t, row.kind, "auto", j)
		require.Equal(t, refine.Name, chosen.Plan.Algorithm)
		require.Equal(t, found.Cycles, chosen.Cycles)
	}
}

// The same job has the same schedule.
func TestDependsOnTheSeedAlone(t *testing.T) {
	for _, kind := range soak.Some(2, []string{plan.Allreduce, plan.Gossip}) {
		j := collectivetest.Equal(t, "binary:2", "wormhole", 0, 4)
		require.NoError(t, j.Machine.Set("startup", "5"))
		j.KeepList = true
		first, err := collective.Generate(t.Context(), kind, refine.Name, j)
		require.NoError(t, err)
		again, err := collective.Generate(t.Context(), kind, refine.Name, j)
		require.NoError(t, err)
		require.Equal(t, first.List, again.List)
	}
}

func TestRefuses(t *testing.T) {
	for _, row := range []struct {
		preset, spec, text string
	}{
		{"store-forward", "path:3", "broadcast refined does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"wormhole", "path:65", "broadcast refined for 65 nodes (expected at most 64)"},
	} {
		_, err := collective.Generate(t.Context(), plan.Broadcast, refine.Name, collectivetest.Equal(t, row.spec, row.preset, 0, 1))
		require.EqualError(t, err, row.text)
	}
}
