// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
)

var (
	seeds     = flag.Uint64("seeds", 1500, "random jobs to run")
	firstSeed = flag.Uint64("first", 0, "seed of the first random job")
)

// rejects reports whether an algorithm cannot run a job, with a clear error.
func rejects(a collective.Algorithm, j collective.Job) bool {
	m := j.Machine
	if a.Name == "edge-disjoint" || a.Name == "shared-edges" {
		return m.Ports != machine.AllPort || m.Channels != machine.Links || j.Topology.Degree(j.Root) == 0
	}
	slow := m.Switching == machine.Wormhole && m.Buffer <= m.Hop/m.Flit
	if slow && (a.Collective == "exchange" || a.Name == "doubling" || a.Name == "combining" || a.Name == "scatter-gossip" || a.Name == "strides" || a.Name == "crosses") {
		return true // may deadlock on rings and graphs
	}
	if a.Name == "timetable" && m.Switching == machine.Wormhole && m.Buffer < 1+(m.Hop+m.Flit-1)/m.Flit {
		return true // wants some room to spare
	}
	ordered := a.Collective == "gather" && a.Name != "nearest-first"
	if m.Switching != machine.Bufferless {
		return ordered && m.Width == 8 // orders may not fit
	}
	switch a.Collective {
	case "gather":
		perLink := m.Ports == machine.AllPort && m.Channels == machine.Links
		return ordered && (m.Startup > 0 || m.Hop > 1 || m.Flit > 1 || m.Duplex == machine.Half || m.Width == 8) ||
			a.Name == "certification-parallel" && !perLink
	case "gossip":
		return m.Duplex == machine.Half
	}
	return false
}

func TestRandomJobsAreDelivered(t *testing.T) {
	runs := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		random := rand.New(rand.NewPCG(seed, 1))
		j := collectivetest.RandomJob(t, random)
		for _, a := range collective.Table() {
			if a.Name == "auto" {
				continue // it is one of the others: see TestAutoIsNeverSlower
			}
			searches := a.Name == "timetable"
			if searches && seed%100 != 0 {
				continue // a search takes its time
			}
			j := fitted(t, a, j)
			plan, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
			if err != nil {
				if !strings.Contains(err.Error(), "does not run on") {
					require.True(t, rejects(a, j), "seed %d %s: %v: %s", seed, a.Name, err, collectivetest.Describe(j))
				}
				continue
			}
			r, err := collective.Execute(t.Context(), plan)
			require.NoError(t, err, "seed %d %s", seed, a.Name)
			require.NoError(t, r.Failure, "seed %d %s %s: %v", seed, a.Name, collectivetest.Describe(j), r.Collisions)
			require.Zero(t, r.CollisionCount)
			require.GreaterOrEqual(t, r.Cycles, plan.LowerBound, "seed %d %s %s", seed, a.Name, collectivetest.Describe(j))
			collectivetest.RequireLog(t, r)
			collectivetest.RequirePrediction(t, r, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j)))
			if plan.Machine.Switching == machine.Wormhole {
				require.LessOrEqual(t, r.MaxBufferFlits, plan.Machine.Buffer)
			}
			runs[a.Collective+" "+a.Name+" "+string(j.Machine.Switching)]++
		}
	}
	t.Log(runs)
	if *seeds < 1000 { // too few to meet every algorithm on every machine
		return
	}
	want := 0
	for _, a := range collective.Table() {
		for _, s := range a.Switchings {
			if a.Name != "auto" && (s == machine.Bufferless || s == machine.Wormhole) {
				want++
			}
		}
	}
	require.Len(t, runs, want)
}

// fitted gives a job the lengths that a collective can have.
func fitted(t *testing.T, a collective.Algorithm, j collective.Job) collective.Job {
	kind, err := plan.KindOf(a.Collective)
	require.NoError(t, err)
	if kind.Holders == plan.Equal {
		j.Lengths = slices.Repeat(j.Lengths[j.Root:j.Root+1], len(j.Lengths))
	}
	return j
}

// TestMessagesOfAPairDoNotOvertake: gossip takes its blocks by source, in the
// order of sending, whatever the virtual channels.
func TestMessagesOfAPairDoNotOvertake(t *testing.T) {
	j := collectivetest.Job(t, "mesh:5x1x3", "wormhole", 0, 2, 3, 25, 0, 4, 1, 3, 0, 4, 1, 1, 9, 25, 4, 3)
	j.Machine.VCs, j.Machine.Channels, j.Machine.Startup, j.Machine.Hop = 4, 1, 3, 2
	collectivetest.Run(t, "gossip", "highdimgos", j)
}
