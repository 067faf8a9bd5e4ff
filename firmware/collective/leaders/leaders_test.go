// SPDX-License-Identifier: Apache-2.0

package leaders_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/leaders"
	"meshwright/firmware/plan"
)

var jobs = flag.Int("jobs", 3, "random jobs")

// Random jobs arrive, in the time that was predicted, on machines of any kind.
func TestRandomJobs(t *testing.T) {
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x6c656164))
		j := collectivetest.RandomJob(t, random)
		j.Machine = collectivetest.RandomTransferMachine(t, random)
		if j.Machine.Switching == machine.Wormhole {
			j.Machine.Buffer = 1 + random.IntN(5)
		}
		j.Lengths = slices.Repeat([]int{random.IntN(9)}, j.Topology.Nodes())
		r := collectivetest.Run(t, plan.Allreduce, leaders.Name, j)
		require.True(t, r.Delivered)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
		collectivetest.RequireLog(t, r)
		collectivetest.RequirePrediction(t, r, collectivetest.Describe(j))
	}
}

// Several leaders save messages in a row: the schedules are faster than those of all other algorithms.
func TestFasterThanTheOthers(t *testing.T) {
	for _, row := range []struct {
		spec  string
		words int
		keys  [][2]string
	}{
		{"path:9", 2, [][2]string{{"startup", "10"}}},
		{"torus:4x3", 1, [][2]string{{"ports", "single"}, {"startup", "3"}, {"hop", "2"}, {"buffer", "8"}}},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		for _, k := range row.keys {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		found := collectivetest.Run(t, plan.Allreduce, leaders.Name, j)
		require.True(t, found.Delivered)
		for _, other := range []string{"greedy", "tree-search", "butterfly", "recursive-halving"} {
			require.Less(t, found.Cycles, collectivetest.Run(t, plan.Allreduce, other, j).Cycles, "%s on %s", other, row.spec)
		}
	}
}

// The same job has the same schedule.
func TestDependsOnTheSeedAlone(t *testing.T) {
	j := collectivetest.Equal(t, "binary:2", "wormhole", 0, 4)
	j.KeepList = true
	first, err := collective.Generate(t.Context(), plan.Allreduce, leaders.Name, j)
	require.NoError(t, err)
	again, err := collective.Generate(t.Context(), plan.Allreduce, leaders.Name, j)
	require.NoError(t, err)
	require.Equal(t, first.List, again.List)
}

// Schedules of other algorithms begin the search, if their sums are nested.
func TestImprove(t *testing.T) {
	for _, row := range []struct {
		algorithm, spec string
		improved        bool
	}{
		{"tree-search", "path:10", true},
		{"swing", "ring:8", false}, // its sums are windows that overlap
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 4)
		require.NoError(t, j.Machine.Set("startup", "20"))
		j.KeepList = true
		known, err := collective.Generate(t.Context(), plan.Allreduce, row.algorithm, j)
		require.NoError(t, err)
		kind, err := plan.KindOf(plan.Allreduce)
		require.NoError(t, err)
		task, err := plan.NewTask(t.Context(), j, kind)
		require.NoError(t, err)
		p, err := leaders.Improve(task, known)
		require.NoError(t, err)
		require.Equal(t, row.improved, p != nil, row.algorithm)
		if p != nil {
			require.Less(t, p.Predicted.Least, known.Predicted.Least)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, row := range []struct {
		preset, spec, text string
	}{
		{"store-forward", "path:3", "allreduce multi-leader does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"wormhole", "path:65", "allreduce multi-leader for 65 nodes (expected at most 64)"},
	} {
		_, err := collective.Generate(t.Context(), plan.Allreduce, leaders.Name, collectivetest.Equal(t, row.spec, row.preset, 0, 1))
		require.EqualError(t, err, row.text)
	}
}
