// SPDX-License-Identifier: Apache-2.0

package rounds_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/rounds"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

var jobs = flag.Int("jobs", soak.Number(3, 8), "random jobs")

// Random jobs arrive, in the time that was predicted, on machines of any kind, also where nodes have blocks of different lengths or none.
func TestRandomJobs(t *testing.T) {
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x726e6473))
		j := collectivetest.RandomJob(t, random)
		j.Machine = collectivetest.RandomTransferMachine(t, random)
		kind := []string{plan.Gossip, plan.ReduceScatter, plan.Allreduce}[seed%3]
		words := random.IntN(20)
		for v := range j.Lengths {
			if j.Lengths[v] = words; kind == plan.Gossip && seed%2 == 0 {
				j.Lengths[v] = random.IntN(4)
			}
		}
		r := collectivetest.Run(t, kind, rounds.Name, j)
		require.True(t, r.Delivered, "seed %d", seed)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
		collectivetest.RequireLog(t, r)
		collectivetest.RequirePrediction(t, r, kind+" "+collectivetest.Describe(j))
	}
}

// Where startups are long and nodes have several channels, a search for a few rounds finds schedules that do not grow message by message.
func TestFasterThanGreedy(t *testing.T) {
	for _, row := range soak.Some(3, []struct {
		kind  string
		words int
	}{{plan.Gossip, 2}, {plan.ReduceScatter, 32}, {plan.Allreduce, 256}}) {
		kind := row.kind
		j := collectivetest.Equal(t, "random:16,3,1", "wormhole", 0, row.words)
		for _, key := range [][2]string{{"ports", "all"}, {"nic.channels", "links"}, {"startup", "100"}, {"buffer", "8"}} {
			require.NoError(t, j.Machine.Set(key[0], key[1]))
		}
		found, err := collective.Generate(t.Context(), kind, rounds.Name, j)
		require.NoError(t, err)
		greedy, err := collective.Generate(t.Context(), kind, "greedy", j)
		require.NoError(t, err)
		t.Log(kind, found.Predicted.Least, greedy.Predicted.Least)
		require.Less(t, found.Predicted.Least, greedy.Predicted.Least, kind)
	}
}

func TestTooManyNodes(t *testing.T) {
	_, err := collective.Generate(t.Context(), plan.Gossip, rounds.Name, collectivetest.Equal(t, "path:65", "wormhole", 0, 1))
	require.ErrorContains(t, err, "expected at most 64")
}
