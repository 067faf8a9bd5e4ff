// SPDX-License-Identifier: Apache-2.0

package symmetric_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/symmetric"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/soak"
)

var jobs = flag.Int("jobs", 8, "random jobs")

// Random jobs arrive, in the time that was predicted, on machines of any kind, or are refused.
func TestRandomJobs(t *testing.T) {
	specs := []string{"ring:7", "ring:2", "path:5", "mesh:3x2", "torus:4x3", "twisted-torus:3x4,1", "hypercube:3", "star:3", "complete:5", "binary:2", "hub:4", "comb:2x2", "path:3", "random-tree:9,3", "debruijn:3"}
	kinds := []string{plan.Gossip, plan.ReduceScatter, plan.Allreduce}
	planned := 0
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x73796d))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, 1+random.IntN(12))
		if random.IntN(4) == 0 {
			for v := range j.Lengths {
				j.Lengths[v] = random.IntN(4)
			}
		}
		kind := kinds[random.IntN(len(kinds))]
		if kind != plan.Gossip {
			for v := range j.Lengths {
				j.Lengths[v] = j.Lengths[0]
			}
		}
		j.Machine, j.Effort = collectivetest.RandomTransferMachine(t, random), collectivetest.Effort()
		p, err := collective.Generate(t.Context(), kind, symmetric.Name, j)
		if err != nil {
			var refused *input.Error
			require.ErrorAs(t, err, &refused)
			continue
		}
		planned++
		collectivetest.RequireDelivery(t, p, fmt.Sprintf("seed %d: %s", seed, collectivetest.Describe(j)))
	}
	require.Greater(t, planned, *jobs/2)
}

// Large networks with translations are planned, too.
func TestLargeNetworks(t *testing.T) {
	for _, row := range soak.Some(2, []struct{ kind, spec, duplex string }{
		{plan.ReduceScatter, "ring:66", "full"}, {plan.Gossip, "torus:9x8", "half"}, {plan.Allreduce, "torus:11x6", "half"},
	}) {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 130)
		j.Effort = collectivetest.Effort()
		require.NoError(t, j.Machine.Set("nic.duplex", row.duplex))
		require.NoError(t, j.Machine.Set("startup", "20"))
		r := collectivetest.Run(t, row.kind, symmetric.Name, j)
		require.True(t, r.Delivered, row.spec)
		collectivetest.RequireLog(t, r)
		collectivetest.RequirePrediction(t, r, row.spec)
	}
}

// Where nodes look alike, schedules in which they do the same are found that a search over all messages does not find.
func TestFasterThanGreedy(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		length     int
		keys       [][2]string
	}{
		{plan.Gossip, "torus:4x3", 1, [][2]string{{"ports", "single"}, {"startup", "3"}, {"hop", "2"}, {"buffer", "8"}}},
		{plan.ReduceScatter, "hypercube:4", 16, [][2]string{{"ports", "single"}, {"startup", "30"}, {"buffer", "8"}}},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.length)
		for _, key := range row.keys {
			require.NoError(t, j.Machine.Set(key[0], key[1]))
		}
		found, err := collective.Generate(t.Context(), row.kind, symmetric.Name, j)
		require.NoError(t, err)
		greedy, err := collective.Generate(t.Context(), row.kind, "greedy", j)
		require.NoError(t, err)
		require.Less(t, found.Predicted.Least, greedy.Predicted.Least, row.spec)
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct{ kind, spec, want string }{
		{plan.Gossip, "random-tree:42,882", "expected a topology of: those with symmetries"},
		{plan.Gossip, "path:65", "expected at most 64; on a ring, torus, hypercube, star graph or complete graph 1024"},
		{plan.Gossip, "ring:1025", "gossip symmetric for 1025 nodes"},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 1)
		_, err := collective.Generate(t.Context(), row.kind, symmetric.Name, j)
		require.ErrorContains(t, err, row.want, row.spec)
	}
}
