// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
)

// With buffers too small for the full rate, on networks whose routes can close a circle, timetables count with the stalls of worms. Nothing is refused, and
// no words are lost.
func TestSmallBuffersGetSlowerTimetables(t *testing.T) {
	for _, row := range []struct {
		kind, algorithm, spec string
		words, buffer         int
		cycles                router.Cycle // 0: not known by hand
	}{
		{plan.Reduce, "doubling", "complete:16", 1, 4, 1000 + 15 + 4}, // the bound: the flits come over 15 links, each of which rests after its own
		{plan.Reduce, "doubling", "complete:16", 1, 5, 1000 + 15 + 4},
		{plan.Scatter, "combining", "complete:32", 1, 4, 0},
		{plan.Exchange, "direct", "ring:8", 3, 1, 0},
		{plan.Gossip, "dissemination", "debruijn:3", 2, 2, 0},
		{plan.Allreduce, "butterfly", "complete:7", 3, 1, 0},
		{plan.Allreduce, "windows", "ring:8", 9, 1, 0},
		{plan.Allreduce, "recursive-halving", "debruijn:3", 9, 2, 0},
		{plan.ReduceScatter, "bucket", "torus:3x3", 9, 1, 0},
		{plan.Gossip, "swing", "ring:8", 3, 3, 0},
		{plan.Gossip, "bucket", "torus:3x4", 3, 2, 0},
		{plan.Exchange, "timetable", "mesh:3x3", 3, 1, 0},
	} {
		t.Run(row.kind+" "+row.algorithm+" "+row.spec, func(t *testing.T) {
			j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
			j.Machine.Hop, j.Machine.Startup, j.Machine.Buffer, j.Machine.VCs = 4, 1000, row.buffer, 1
			require.NoError(t, j.Machine.Set("ports", "single"))
			require.NoError(t, j.Machine.Set("nic.duplex", "half"))
			r := collectivetest.Run(t, row.kind, row.algorithm, j)
			require.True(t, r.Delivered)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
			if row.algorithm != "direct" { // its messages may wait for one another
				collectivetest.RequirePrediction(t, r, row.spec)
				require.True(t, r.Plan.Predicted.Exact)
			}
			if row.cycles > 0 {
				require.Equal(t, row.cycles, r.Cycles)
				require.Equal(t, r.Plan.LowerBound(), r.Cycles)
			}
		})
	}
}

// A time that is not exact is a lower bound of the plan's time: no run with small buffers takes less.
func TestInexactTimesAreLowerBounds(t *testing.T) {
	specs := []string{"ring:5", "torus:3x3", "path:6", "torus:2x2", "mesh:3x2", "hypercube:3", "hub:5", "debruijn:3", "complete:5", "random-tree:9,3", "star:3"}
	for i := range soak.Number(uint64(6), 500) {
		seed := 41 + i
		random := rand.New(rand.NewPCG(seed, 0x6c65617374))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, 1+random.IntN(14))
		j.Machine = collectivetest.RandomTransferMachine(t, random)
		j.Machine.Buffer, j.Machine.Hop = 1+random.IntN(2), 2+random.IntN(4)
		for p := range quickPlans(t, j) {
			if p.Predicted.Exact {
				continue // another test's
			}
			r, err := collective.Execute(t.Context(), p)
			if err != nil || !r.Delivered {
				continue // worms that wait for one another in a circle, or collide
			}
			require.LessOrEqual(t, p.Predicted.Least, r.Cycles, "seed %d: %s %s %s", seed, p.Collective, p.Algorithm, collectivetest.Describe(j))
		}
	}
}
