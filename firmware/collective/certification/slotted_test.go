// SPDX-License-Identifier: Apache-2.0

package certification_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// facts returns a plan's facts by key.
// TestCertificationIIKeepsItsBound: on random trees every word is delivered in
// the time of lemma 22, and no packet waits in a chip.
func TestCertificationIIKeepsItsBound(t *testing.T) {
	best := 1.0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 27))
		j := collectivetest.RandomPacketJob(t, random)
		if random.IntN(2) == 0 {
			j.Packets, j.Split = nil, plan.BestSplit
		}
		if random.IntN(4) == 0 {
			j.Machine.Packet = 12
		}
		j.Machine.Flit, j.Machine.Startup = 1+random.IntN(3), max(0, random.IntN(8)-3)
		r := collectivetest.Run(t, "gather", "certification-ii", j)
		f := collectivetest.Facts(r.Plan)
		require.Equal(t, 2*f["broadcast"]+f["certificates"]+f["lag"]+f["slots"], f["certification_bound"])
		require.LessOrEqual(t, r.Cycles, f["certification_bound"], "seed %d", seed)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound())
		require.Zero(t, r.MaxBufferFlits, "seed %d", seed)
		requireStream(t, r)
		collectivetest.RequireLog(t, r)
		best = min(best, 1-float64(r.Cycles)/float64(f["certification_bound"]))
	}
	t.Logf("never less than %.0f %% below the bound", 100*best)
}

// requireStream checks that every packet crosses each link at once, and that the
// root receives them without a pause.
func requireStream(t *testing.T, r *collective.Result) {
	s, f := router.Cycle(r.Plan.Machine.SetupTicks()+r.Plan.Machine.StartupTicks()), router.Cycle(r.Plan.Machine.FlitTicks())
	var end router.Cycle
	for _, sent := range r.Log {
		if sent.Kind != router.Data {
			continue
		}
		cost := s + router.Cycle(sent.Length)*f
		require.Equal(t, sent.Cycle+cost, sent.Arrival)
		if sent.Destination == r.Plan.Root {
			if end > 0 {
				require.Equal(t, end, sent.Cycle)
			}
			end = sent.Arrival
		}
	}
}

// TestCertificationIIOnAPath: the figures of a small case, worked out by hand.
// Nodes 1 and 2 of a path send 2 and 1 flits with a set-up of 1, so that E = 2,
// D = 3. Tokens are there in 2 and 4, the certificates (0, 2) and (2+3-3, 5) in
// 6 and 8. The root's order is 2+3+2 = 7 and node 1 has it, as 7-3-2 = 2, in 10. Its
// packet begins in 12 and is there in 15, that of node 2 in 17.
func TestCertificationIIOnAPath(t *testing.T) {
	j := collectivetest.PacketJob(t, "path:3", "1", 0, 2, 1)
	r := collectivetest.Run(t, "gather", "certification-ii", j)
	var times [][2]router.Cycle
	for _, sent := range r.Log {
		times = append(times, [2]router.Cycle{sent.Cycle, sent.Arrival})
	}
	require.Equal(t, [][2]router.Cycle{{0, 2}, {2, 4}, {4, 6}, {6, 8}, {8, 10}, {10, 12}, {12, 15}, {12, 14}, {15, 17}}, times)
	require.Equal(t, map[string]router.Cycle{"broadcast": 4, "certificates": 4, "lag": 8, "slots": 5, "certification_bound": 25, "uncombined_bound": 5}, collectivetest.Facts(r.Plan))
}

func TestCertificationIIErrors(t *testing.T) {
	for _, row := range []struct {
		change func(*collective.Job)
		want   string
	}{
		{func(j *collective.Job) { j.Machine.Width = 8; j.Lengths = []int{0, 0, 300, 300} },
			"certification-ii: lag or order 305 does not fit width 8 (expected a larger width, or nearest-first)"},
		{func(j *collective.Job) { require.NoError(t, j.Machine.Set("switching", "cut-through")) },
			"gather certification-ii does not run on a cut-through machine (expected switching store-forward)"},
	} {
		j := collectivetest.PacketJob(t, "path:4", "1", 0, 1, 2, 3)
		row.change(&j)
		_, err := collective.Generate(t.Context(), "gather", "certification-ii", j)
		require.EqualError(t, err, row.want)
	}
}

// TestNothingToCertify: nodes without anything below them get no order.
func TestNothingToCertify(t *testing.T) {
	for _, lengths := range [][]int{{0, 0, 0, 0}, {0, 0, 3, 0}} {
		r := collectivetest.Run(t, "gather", "certification-ii", collectivetest.PacketJob(t, "path:4", "1", lengths...))
		for _, sent := range r.Log {
			require.False(t, sent.Kind == router.Order && sent.Destination == 3)
		}
	}
}
