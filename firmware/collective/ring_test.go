// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
)

// On a ring through all nodes every node sends and receives all the time, and no two messages want the same link. So with a
// single port the algorithm meets the bound, whatever the network is.
func TestRingMeetsTheBoundOfASinglePort(t *testing.T) {
	for _, spec := range []string{"ring:5", "mesh:2x3", "mesh:4x3x2", "mesh:3x3x2", "torus:3x3", "torus:3x5", "hypercube:3", "star:4", "complete:5", "debruijn:4", "twisted-torus:4x2", "random:12,5,3"} {
		for _, kind := range []string{plan.Allreduce, plan.ReduceScatter, plan.Gossip} {
			t.Run(spec+" "+kind, func(t *testing.T) {
				job := collectivetest.Equal(t, spec, "bufferless", 0, 1)
				for n := range job.Lengths {
					if job.Lengths[n] = 4; kind != plan.Gossip {
						job.Lengths[n] = 4 * len(job.Lengths)
					}
				}
				r := collectivetest.Run(t, kind, "ring", job)
				require.Equal(t, r.Plan.LowerBound(), r.Cycles)
			})
		}
	}
}

// With half duplex the nodes at even places send while those at odd places receive. Then a ring of an even number of nodes takes a
// flit and a link longer in each step than the channels are busy.
func TestRingWithHalfDuplexTakesTurns(t *testing.T) {
	for _, row := range []struct {
		kind, spec, algorithm string
		above                 int // cycles
	}{
		{plan.Allreduce, "mesh:4x4", "ring", 2 * 2 * 15},
		{plan.Gossip, "mesh:4x4", "ring", 2 * 15},
		{plan.Gossip, "hypercube:3", "ring", 2 * 7},
		{plan.Gossip, "hypercube:3", "bucket", 2 * 3},
		{plan.Allreduce, "hypercube:3", "bucket", 2 * 2 * 3},
	} {
		t.Run(row.kind+" "+row.spec+" "+row.algorithm, func(t *testing.T) {
			job := collectivetest.Equal(t, row.spec, "bufferless", 0, 320)
			require.NoError(t, job.Machine.Set("nic.duplex", "half"))
			r := collectivetest.Run(t, row.kind, row.algorithm, job)
			require.LessOrEqual(t, int(r.Cycles-r.Plan.LowerBound()), row.above)
		})
	}
}

// A ring goes around known faults where what they leave has one.
func TestRinggoesAroundFaults(t *testing.T) {
	for _, row := range []struct{ spec, algorithm string }{
		{"torus:3x3", ""},
		{"torus:3x3", "ring"},
		{"mesh:3x3", "ring"}, // which has none without the fault
	} {
		job := collectivetest.Equal(t, row.spec, "bufferless", 0, 8)
		dead := fault.Fault{Kind: fault.Node, From: 4, To: 4, End: fault.Never}
		job.Machine.Faults = &fault.List{Faults: []fault.Fault{dead}, Known: true, Seed: 1}
		r := collectivetest.Run(t, plan.Gossip, row.algorithm, job)
		require.Equal(t, "ring", r.Plan.Algorithm)
		require.Equal(t, r.Plan.LowerBound(), r.Cycles)
		for _, kind := range []string{plan.Allreduce, plan.ReduceScatter} {
			r := collectivetest.Run(t, kind, "ring", job)
			require.True(t, r.Delivered, kind)
			require.Zero(t, r.Network.Losses(), kind)
		}
	}
}

// The times of the docs' formulas.
func TestRingTakesTheTimeOfItsFormula(t *testing.T) {
	for _, row := range []struct{ startup, flit, hop, length int }{{0, 1, 1, 512}, {10, 1, 1, 512}, {0, 1, 3, 16}, {3, 2, 5, 64}, {1, 3, 1, 160}} {
		job := collectivetest.Equal(t, "mesh:4x4", "wormhole", 0, row.length)
		job.Machine.Startup, job.Machine.Flit, job.Machine.Hop = row.startup, row.flit, row.hop
		require.NoError(t, job.Machine.Set("nic.channels", "1"))
		require.NoError(t, job.Machine.Set("buffer", "16"))
		for kind, want := range map[string]int{
			plan.Allreduce:     2*15*(row.startup+row.flit*row.length/16+row.hop-1) + 1,
			plan.ReduceScatter: 15*(row.startup+row.flit*row.length/16+row.hop-1) + 1,
			plan.Gossip:        15*(row.startup+row.flit*row.length+row.hop-1) + 1,
		} {
			require.Equal(t, want, int(collectivetest.Run(t, kind, "ring", job).Cycles), "%s %+v", kind, row)
		}
	}
}
