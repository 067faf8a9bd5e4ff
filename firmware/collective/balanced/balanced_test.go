// SPDX-License-Identifier: Apache-2.0

package balanced_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/balanced"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

var jobs = flag.Int("jobs", 24, "random jobs")

// Random jobs arrive, in the time that was predicted, on machines of any kind, or are refused.
func TestRandomJobs(t *testing.T) {
	specs := []string{"ring:7", "ring:2", "ring:8", "torus:4x3", "torus:3x3x2", "torus:2x5", "twisted-torus:3x4,1", "hypercube:3", "hypercube:1", "star:3", "star:4", "complete:5"}
	kinds := []string{plan.Gossip, plan.ReduceScatter, plan.Allreduce}
	planned := 0
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x62616c))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, random.IntN(40))
		kind := kinds[random.IntN(len(kinds))]
		if kind == plan.Gossip && random.IntN(3) == 0 {
			for v := range j.Lengths {
				j.Lengths[v] = random.IntN(9)
			}
		}
		j.Machine, j.Effort = collectivetest.RandomTransferMachine(t, random), collectivetest.Effort()
		p, err := collective.Generate(t.Context(), kind, balanced.Name, j)
		if err != nil {
			var refused *input.Error
			require.ErrorAs(t, err, &refused)
			continue
		}
		planned++
		collectivetest.RequireDelivery(t, p, fmt.Sprintf("seed %d: %s %s", seed, kind, collectivetest.Describe(j)))
	}
	require.Greater(t, planned, *jobs/3)
}

// Where links are long, all blocks have come as soon as the one from the furthest node can; where blocks are long, all links are busy to the end. Then the time is the lower bound.
func TestTimesAtTheBound(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		hop, words int
	}{
		{plan.Gossip, "torus:16x16", 4, 1}, {plan.Gossip, "torus:8x8x8", 10, 3}, {plan.Gossip, "torus:5x7", 2, 30}, {plan.Gossip, "hypercube:7", 20, 1}, {plan.Gossip, "ring:30", 5, 2},
		{plan.ReduceScatter, "torus:16x16", 20, 256}, {plan.ReduceScatter, "torus:5x7", 2, 1050},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		for key, value := range map[string]string{"ports": "all", "nic.channels": "links", "buffer": "64", "hop": fmt.Sprint(row.hop)} {
			require.NoError(t, j.Machine.Set(key, value))
		}
		r := collectivetest.Run(t, row.kind, balanced.Name, j)
		require.Equal(t, r.Plan.LowerBound(), r.Cycles, "%v", row)
	}
}

// On long rings nearly every block needs a message of its own: the plan is refused, and auto takes another one.
func TestTooManyMessagesAreRefused(t *testing.T) {
	j := collectivetest.Equal(t, "ring:4096", "wormhole", 0, 1)
	_, err := collective.Generate(t.Context(), plan.Gossip, balanced.Name, j)
	require.EqualError(t, err, "gossip balanced-trees on ring:4096: too many messages (expected at most 8388608 for all nodes)")
}
