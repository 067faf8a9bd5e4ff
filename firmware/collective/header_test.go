// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

// A packet that is stored and forwarded pays for its header flit on every link what it would pay for a longer set-up. So
// all algorithms take the same time on both machines, with the same packets.
func TestAHeaderFlitIsAsLongASetUp(t *testing.T) {
	ran := 0
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 71))
		j := collectivetest.RandomPacketJob(t, random)
		j.Machine.Flit = 1 + random.IntN(2)
		longer := j
		j.Machine.Header = machine.HeadFlit
		text := fmt.Sprintf("%d/%d", int(j.Machine.Setup.Num())+j.Machine.Flit*int(j.Machine.Setup.Den()), j.Machine.Setup.Den())
		require.NoError(t, longer.Machine.Set("setup", text))
		for _, a := range collective.Table() {
			if a.Collective != "scatter" && a.Collective != "gather" || a.Name == "auto" {
				continue
			}
			with, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
			without, other := collective.Generate(t.Context(), a.Collective, a.Name, longer)
			require.Equal(t, other == nil, err == nil, "%s: %v, %v", a.Name, err, other)
			if err != nil {
				continue
			}
			got, err := collective.Execute(t.Context(), with)
			require.NoError(t, err)
			require.NoError(t, got.Failure, "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
			want, err := collective.Execute(t.Context(), without)
			require.NoError(t, err)
			require.Equal(t, want.Cycles, got.Cycles, "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
			require.Equal(t, without.LowerBound(), with.LowerBound())
			collectivetest.RequireLog(t, got)
			collectivetest.RequirePrediction(t, got, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j)))
			ran++
		}
	}
	require.Greater(t, ran, 30)
}

// With cut-through only the head pays for a link, so predictions are what is left to compare.
func TestHeaderFlitsOfPacketsThatAreCutThrough(t *testing.T) {
	predicted := 0
	for seed := range uint64(16) {
		random := rand.New(rand.NewPCG(seed, 72))
		j := collectivetest.RandomPacketJob(t, random)
		j.Machine.Switching, j.Machine.Header, j.Machine.Flit = machine.CutThrough, machine.HeadFlit, 1+random.IntN(2)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("ports", "all"))
		}
		for _, a := range collective.Table() {
			job := j
			if a.Collective != "scatter" && a.Collective != "gather" || a.Name == "edst" {
				job.Packets = nil // it splits no messages
			}
			plan, err := collective.Generate(t.Context(), a.Collective, a.Name, job)
			if a.Name == "auto" || err != nil {
				continue
			}
			r, err := collective.Execute(t.Context(), plan)
			require.NoError(t, err)
			require.NoError(t, r.Failure, "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
			require.GreaterOrEqual(t, r.Cycles, plan.LowerBound())
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j)))
			predicted++
		}
	}
	require.Greater(t, predicted, 40)
}

// Where routes do not fit into headers, auto takes an algorithm that has none.
func TestAutoKeepsToHeadersThatFit(t *testing.T) {
	j := collectivetest.Job(t, "mesh:3x3", "wormhole", 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
	j.Machine.Header, j.Machine.Width = machine.HeadFlit, 16
	_, err := collective.Generate(t.Context(), "scatter", "edge-disjoint", j)
	require.ErrorContains(t, err, "width 16: too small for the header")
	r := collectivetest.Run(t, "scatter", "auto", j)
	require.NotEqual(t, "edge-disjoint", r.Plan.Algorithm)
}

// Which header a plan needs is known before it runs: a plan runs where it is not refused, and at no width less than the least.
func TestHeadersAreKnownBeforeARun(t *testing.T) {
	for _, routing := range []machine.Routing{"", machine.Source} {
		j := collectivetest.Job(t, "mesh:2x3", "wormhole", 3, 2, 2, 2, 2, 2, 2)
		j.Machine.Header, j.Machine.Routing, j.Effort = machine.HeadFlit, routing, 0.01
		fitting := 0
		for _, a := range collective.Table() {
			if a.Collective == plan.Exchange && (a.Name == "timetable" || a.Name == "auto") && !soak.On() { // its search takes its time
				continue
			}
			wide := j
			wide.Machine.Width = 64
			if _, err := collective.Generate(t.Context(), a.Collective, a.Name, wide); err != nil {
				continue
			}
			narrow := wide
			for narrow.Machine.Width = 9; ; narrow.Machine.Width++ {
				p, err := collective.Generate(t.Context(), a.Collective, a.Name, narrow)
				if err != nil {
					require.ErrorContains(t, err, "too small for the header", "%s %s %s", a.Collective, a.Name, routing)
					continue
				}
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err, "%s %s %s width %d", a.Collective, a.Name, routing, narrow.Machine.Width)
				require.NoError(t, r.Failure, "%s %s", a.Collective, a.Name)
				if p.Machine.Routing != machine.Source { // with routes, the longest and the greatest tag may be in two messages, and a chip has room for both
					p.Machine.Width--
					_, err = collective.Execute(t.Context(), p)
					require.ErrorContains(t, err, "too small for the header", "%s %s %s width %d fits too", a.Collective, a.Name, routing, p.Machine.Width)
				}
				break
			}
			fitting++
		}
		require.Greater(t, fitting, 60, routing)
	}
}
