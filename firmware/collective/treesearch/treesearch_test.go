// SPDX-License-Identifier: Apache-2.0

package treesearch_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
	"meshwright/router"
)

var jobs = flag.Int("jobs", 3, "random jobs of each collective")

var kinds = []string{plan.Broadcast, plan.Reduce, plan.Allreduce}

// Random jobs arrive, in the time that was predicted, on machines of any kind; where buffers are small and without words as well.
func TestRandomJobs(t *testing.T) {
	for _, kind := range kinds {
		for seed := range uint64(*jobs) {
			random := rand.New(rand.NewPCG(seed, 0x7266))
			j := collectivetest.RandomJob(t, random)
			j.Machine = collectivetest.RandomTransferMachine(t, random)
			if j.Machine.Switching == machine.Wormhole {
				j.Machine.Buffer = 1 + random.IntN(5)
			}
			j.Lengths = slices.Repeat([]int{random.IntN(9)}, j.Topology.Nodes())
			r := collectivetest.Run(t, kind, treesearch.Name, j)
			require.True(t, r.Delivered)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, kind+" "+collectivetest.Describe(j))
		}
	}
}

// The search leaves the trees behind that it began with, on machines on which one send follows the other.
func TestTheSearchBeatsKnownTrees(t *testing.T) {
	for _, kind := range kinds {
		j := collectivetest.Equal(t, "comb:2x9", "wormhole", 0, 16)
		for _, k := range [][2]string{{"ports", "single"}, {"nic.duplex", "half"}, {"startup", "3"}, {"buffer", "4"}} {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		found := collectivetest.Run(t, kind, treesearch.Name, j)
		for _, known := range []string{"tree", "pipelined", "doubling"} {
			require.Less(t, found.Cycles, collectivetest.Run(t, kind, known, j).Cycles, "%s %s", kind, known)
		}
	}
}

// No words take no time.
func TestNothingToSend(t *testing.T) {
	for _, kind := range kinds {
		require.Zero(t, collectivetest.Run(t, kind, treesearch.Name, collectivetest.Equal(t, "path:4", "wormhole", 0, 0)).Cycles)
	}
}

func TestTreeSearchRefuses(t *testing.T) {
	for _, row := range []struct {
		preset, spec, text string
	}{
		{"store-forward", "path:3", "broadcast tree-search does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"wormhole", "path:513", "broadcast tree-search for 513 nodes (expected at most 512)"},
	} {
		_, err := collective.Generate(t.Context(), plan.Broadcast, treesearch.Name, collectivetest.Equal(t, row.spec, row.preset, 0, 1))
		require.EqualError(t, err, row.text)
	}
}

// Leaps past nodes, in which some nodes get the words backwards, have fewer startups in a row than any known tree on a path of free links.
func TestLeapsOnLongPaths(t *testing.T) {
	j := collectivetest.Equal(t, "path:33", "wormhole", 0, 256)
	require.NoError(t, j.Machine.Set("startup", "30"))
	found := collectivetest.Run(t, plan.Broadcast, treesearch.Name, j)
	require.LessOrEqual(t, found.Cycles, router.Cycle(1000))
	for _, known := range []string{"pipelined", "doubling", "edge-disjoint"} {
		require.Less(t, found.Cycles, collectivetest.Run(t, plan.Broadcast, known, j).Cycles, known)
	}
}
