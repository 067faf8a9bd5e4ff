// SPDX-License-Identifier: Apache-2.0

package greedy_test

import (
	"flag"
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

var jobs = flag.Int("jobs", 3, "random jobs of each collective")

// job is a job of equal blocks with keys of the machine.
func job(t *testing.T, spec string, words int, keys ...string) collective.Job {
	t.Helper()
	j := collectivetest.Equal(t, spec, "wormhole", 0, words)
	j.Seed = 1 // as on the command line
	for i := 0; i < len(keys); i += 2 {
		require.NoError(t, j.Machine.Set(keys[i], keys[i+1]))
	}
	return j
}

// The times of known jobs, most of them equal to the bound. The others are the best that a satisfiability solver found, or
// close to it.
func TestKnownSchedules(t *testing.T) {
	half := []string{"nic.duplex", "half"}
	type known struct {
		kind, spec string
		words      int
		keys       []string
		cycles     router.Cycle
		bound      bool // it is the bound
	}
	rows := []known{
		{plan.Gossip, "hypercube:3", 1, nil, 4, true},
		{plan.Gossip, "hypercube:4", 1, nil, 5, true},
		{plan.Gossip, "mesh:3x5", 1, nil, 8, true},
		{plan.Gossip, "mesh:4x4", 1, nil, 9, true},
		{plan.Gossip, "torus:4x4", 1, nil, 5, true},
		{plan.Gossip, "torus:3x3x3", 1, nil, 6, true},
		{plan.Gossip, "hypercube:4", 1, half, 8, true},
		{plan.Gossip, "mesh:2x3", 32, []string{"ports", "single", "nic.channels", "links", "startup", "30", "hop", "2"}, 192, true},
		{plan.Gossip, "path:9", 1, []string{"startup", "40"}, 138, false},                              // 168 if pieces from far away were worth as much as others
		{plan.Gossip, "path:8", 1, half, 11, true},                                                     // 14 between neighbours
		{plan.Gossip, "path:20", 4, append([]string{"startup", "2"}, half...), 121, false},             // 161 if pieces that follow one another closely all went to neighbours
		{plan.ReduceScatter, "star:4", 8, []string{"ports", "single", "nic.channels", "1"}, 11, false}, // 12 if the best were lost on the way
		{plan.ReduceScatter, "path:12", 24, []string{"startup", "30", "nic.channels", "1"}, 177, false},
		{plan.Exchange, "path:13", 16, []string{"startup", "100", "nic.channels", "links"}, 996, false}, // 1000 in phases
		{plan.Exchange, "debruijn:3", 4, []string{"startup", "100"}, 230, false},                        // 318 in phases
		{plan.Exchange, "random:24,3", 1, []string{"ports", "single"}, 129, false},                      // 200 with worms over several links
		{plan.Broadcast, "hub:6", 8, half, 9, true},
		{plan.Broadcast, "hypercube:3", 64, []string{"ports", "single", "nic.channels", "1", "nic.duplex", "half", "startup", "3", "hop", "4", "buffer", "4"}, 163, false}, // 200 without rounds
		{plan.Broadcast, "twisted-torus:2x8,7", 256, []string{"nic.duplex", "half", "hop", "4", "flit", "2", "buffer", "4"}, 296, false},                                   // 580 where nodes do not send and receive together
		{plan.Reduce, "mesh:4x3", 128, []string{"nic.duplex", "half", "hop", "2"}, 144, false},                                                                             // 192
		{plan.Allreduce, "mesh:5x4", 1, []string{"nic.channels", "1"}, 8, true},
		{plan.Allreduce, "star:3", 1, []string{"nic.channels", "1", "startup", "1000"}, 3005, false},             // three startups in a row, with six nodes
		{plan.Allreduce, "twisted-torus:3x3,1", 16, []string{"startup", "30", "nic.duplex", "half"}, 127, false}, // 137 without halves
		{plan.Reduce, "complete:16", 1, []string{"ports", "single", "nic.duplex", "half", "startup", "1000", "hop", "4", "buffer", "4"}, 1019, true},
	}
	if soak.On() { // it takes long
		rows = append(rows, known{plan.Exchange, "ring:39", 1, []string{"nic.channels", "1", "startup", "10", "hop", "4"}, 349, false}) // 389 with digits that are not negative
	}
	for _, row := range soak.Some(2, rows) {
		t.Run(row.kind+" "+row.spec, func(t *testing.T) {
			r := collectivetest.Run(t, row.kind, greedy.Name, job(t, row.spec, row.words, row.keys...))
			require.Equal(t, row.cycles, r.Cycles)
			require.Equal(t, row.bound, r.Cycles == r.Plan.LowerBound())
			collectivetest.RequirePrediction(t, r, row.spec)
		})
	}
}

// Random jobs arrive, in the time that was predicted, on machines of any kind; where buffers are small as well.
func TestRandomJobs(t *testing.T) {
	for _, kind := range []string{plan.Gossip, plan.Broadcast, plan.Reduce, plan.Allreduce, plan.ReduceScatter, plan.Exchange} {
		for seed := range uint64(*jobs) {
			random := rand.New(rand.NewPCG(seed, 0x6eed))
			j := collectivetest.RandomJob(t, random)
			j.Machine = collectivetest.RandomTransferMachine(t, random)
			if j.Machine.Switching == machine.Wormhole {
				j.Machine.Buffer = 1 + random.IntN(5)
			}
			if kind != plan.Gossip && kind != plan.Exchange { // a vector, which in a reduce-scatter has less words than nodes at times
				j.Lengths = slices.Repeat([]int{random.IntN(9)}, j.Topology.Nodes())
			}
			r := collectivetest.Run(t, kind, greedy.Name, j)
			require.True(t, r.Delivered)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, kind+" "+collectivetest.Describe(j))
		}
	}
}

func TestGreedyRefuses(t *testing.T) {
	for _, row := range []struct {
		preset, spec, text string
	}{
		{"store-forward", "path:129", "gossip greedy in packets for 129 nodes (expected at most 128)"},
		{"wormhole", "path:2049", "gossip greedy for 2049 nodes (expected at most 2048)"},
	} {
		_, err := collective.Generate(t.Context(), plan.Gossip, greedy.Name, collectivetest.Equal(t, row.spec, row.preset, 0, 1))
		require.EqualError(t, err, row.text)
	}
}
