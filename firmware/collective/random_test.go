// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/isa"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

var (
	seeds     = flag.Uint64("seeds", soak.Number[uint64](10, 60), "random jobs to run")
	firstSeed = flag.Uint64("first", 0, "seed of the first random job")
)

// withTimetables are algorithms whose messages may want the same link.
var withTimetables = []string{"recursive-halving", "recursive-doubling", "swing", "bine", "bucket", "pairwise", "bruck", "windows", "reversed-all-gather"}

// rejects reports whether an algorithm cannot run a job, with a clear error.
func rejects(a collective.Algorithm, j collective.Job) bool {
	m := j.Machine
	if a.Name == "edge-disjoint" || a.Name == "shared-edges" {
		return m.Ports != machine.AllPort || m.Channels != machine.Links || j.Topology.Degree(j.Root) == 0
	}
	if a.Name == "edst" || a.Name == "rerouted" {
		return m.Ports != machine.AllPort || m.Channels != machine.Links || m.Duplex == machine.Half ||
			m.Switching == machine.Wormhole && m.Buffer <= m.Hop/m.Flit
	}
	if a.Name == "translations" && (slices.Max(j.Lengths)*m.Flit > m.Hop || m.Duplex == machine.Half) {
		return true // worms that all nodes send over several links at the same time may meet
	}
	if a.Name == "balanced-trees" && m.Duplex == machine.Half {
		return true // neighbours may send to each other
	}
	slow := m.Switching == machine.Wormhole && m.Buffer <= m.Hop/m.Flit
	if slow && (a.Collective == "exchange" || a.Name == "doubling" || a.Name == "butterfly" || a.Name == "combining" || a.Name == "scatter-gossip" || a.Name == "strides" || a.Name == "crosses" || slices.Contains(withTimetables, a.Name)) {
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
		return ordered && (m.Startup > 0 || m.Hop > 1 || m.Flit > 1 || m.HeaderFlits() > 0 || m.Duplex == machine.Half || m.Width == 8) ||
			a.Name == "certification-parallel" && !perLink
	case "gossip":
		return m.Duplex == machine.Half
	}
	return false
}

// Every algorithm delivers random jobs. Those that no job met on one of its
// machines get more jobs, until each has run on each.
func TestRandomJobsAreDelivered(t *testing.T) {
	runs := map[string]int{}
	want := everyMachine()
	for seed := *firstSeed; seed < *firstSeed+*seeds || len(runs) < len(want); seed++ {
		require.Less(t, seed, *firstSeed+*seeds+5000, "no job for some of %v, only for %v", want, runs)
		j := collectivetest.RandomJob(t, rand.New(rand.NewPCG(seed, 1)))
		for _, a := range collective.Table() {
			key := machineKey(a, j.Machine.Switching)
			switch {
			case a.Name == "auto": // it is one of the others: see TestAutoIsNeverSlower
			case seed >= *firstSeed+*seeds && runs[key] > 0:
			case seed < *firstSeed+*seeds && a.Name == "timetable" && seed%100 != 0: // a search takes its time
			case seed < *firstSeed+*seeds && (a.Name == "greedy" || a.Name == "tree-search" || a.Name == "multi-leader" || a.Name == "translations" || a.Name == "symmetric" || a.Name == "rounds" || a.Name == "refined") && seed%16 != 0:
			case delivers(t, seed, a, fitted(t, a, j)):
				runs[key]++
			}
		}
	}
	t.Log(runs)
	require.Len(t, runs, len(want))
}

// everyMachine lists all pairs of an algorithm and a switching that random jobs may have.
func everyMachine() []string {
	var list []string
	for _, a := range collective.Table() {
		for _, s := range a.Switchings {
			if a.Name != "auto" && (s == machine.Bufferless || s == machine.Wormhole) {
				list = append(list, machineKey(a, s))
			}
		}
	}
	return list
}

func machineKey(a collective.Algorithm, s machine.Switching) string {
	return a.Collective + " " + a.Name + " " + string(s)
}

// delivers runs a job and reports whether the algorithm takes it.
func delivers(t *testing.T, seed uint64, a collective.Algorithm, j collective.Job) bool {
	t.Helper()
	plan, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
	if err != nil {
		large := j.Machine.HeaderFlits() > 0 && strings.Contains(err.Error(), "too small for the header")
		little := strings.Contains(err.Error(), "is found with so little search (expected more --effort")
		uneven := j.Machine.Links != nil && strings.Contains(err.Error(), "links even")
		if !large && !little && !uneven && !strings.Contains(err.Error(), "does not run on") {
			require.True(t, rejects(a, j), "seed %d %s: %v: %s", seed, a.Name, err, collectivetest.Describe(j))
		}
		return false
	}
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err, "seed %d %s", seed, a.Name)
	require.NoError(t, r.Failure, "seed %d %s %s: %v", seed, a.Name, collectivetest.Describe(j), r.Collisions)
	require.Zero(t, r.CollisionCount)
	require.GreaterOrEqual(t, r.Cycles, plan.LowerBound(), "seed %d %s %s", seed, a.Name, collectivetest.Describe(j))
	requireTimeWithoutWords(t, a, j, plan, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j)))
	collectivetest.RequireLog(t, r)
	collectivetest.RequirePrediction(t, r, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j)))
	if plan.Machine.Switching == machine.Wormhole {
		require.LessOrEqual(t, r.MaxBufferFlits, plan.Machine.Buffer)
	}
	return true
}

// requireTimeWithoutWords plans a job again without its words: the plan tells the same time.
func requireTimeWithoutWords(t *testing.T, a collective.Algorithm, j collective.Job, with *plan.Plan, name string) {
	t.Helper()
	kind, err := plan.KindOf(a.Collective)
	require.NoError(t, err)
	if !kind.HasTimes() || a.Name == "edst" || a.Name == "rerouted" && (a.Collective == plan.Broadcast || a.Collective == plan.Gossip) {
		return
	}
	if slices.ContainsFunc(with.Programs, func(p *isa.Program) bool { return strings.HasPrefix(p.Name, "gossip-") }) { // place by place, the words decide what a PE does next
		return
	}
	if a.Name == refine.Name { // without words it begins with another schedule, where the fastest one's time needs a run
		return
	}
	j.TimeOnly = true
	without, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
	require.NoError(t, err, name)
	require.Equal(t, with.Predicted, without.Predicted, name)
	require.Equal(t, with.LowerBound(), without.LowerBound(), name)
	require.Equal(t, []int{with.Messages, with.Flits}, []int{without.Messages, without.Flits}, name)
}

// Without words auto chooses the same algorithm with the same time, but for refined schedules, vectors may be of any length, and what cannot be known is refused.
func TestTimesWithoutWords(t *testing.T) {
	on := func(spec string, buffer, length int) collective.Job {
		j := collectivetest.Equal(t, spec, "wormhole", 0, length)
		require.NoError(t, j.Machine.Set("ports", "all"))
		require.NoError(t, j.Machine.Set("nic.channels", "links"))
		j.Machine.Hop, j.Machine.Buffer = 5, buffer
		j.Effort = collectivetest.Effort()
		return j
	}
	for _, spec := range soak.Some(3, []string{"ring:9", "torus:4x4", "mesh:3x4", "path:6"}) {
		for _, kind := range []string{plan.Gossip, plan.Broadcast, plan.Reduce, plan.Allreduce, plan.ReduceScatter} {
			j := on(spec, 8, 70)
			with, err := collective.Generate(t.Context(), kind, "", j)
			require.NoError(t, err)
			r, err := collective.Execute(t.Context(), with)
			require.NoError(t, err)
			require.NoError(t, r.Failure)
			j.TimeOnly = true
			without, err := collective.Generate(t.Context(), kind, "", j)
			require.NoError(t, err)
			if with.Algorithm == refine.Name { // without words it begins with another schedule, where the fastest one's time needs a run
				require.GreaterOrEqual(t, without.Predicted.Least, r.Cycles, spec+" "+kind)
			} else {
				require.Equal(t, with.Algorithm, without.Algorithm, spec+" "+kind)
				require.Equal(t, r.Cycles, without.Predicted.Least, spec+" "+kind)
			}
			_, err = collective.Execute(t.Context(), without)
			require.EqualError(t, err, "a plan without words (expected a plan of a job without TimeOnly)")
		}
	}
	long := on("torus:4x4", 8, 1<<28)
	_, err := collective.Generate(t.Context(), plan.Allreduce, "windows", long)
	require.EqualError(t, err, "4294967296 words in all PEs together (expected at most 2^28; meshwright plan gives the times of larger jobs)")
	long.TimeOnly = true
	p, err := collective.Generate(t.Context(), plan.Allreduce, "windows", long)
	require.NoError(t, err)
	require.True(t, p.Predicted.Exact)
	require.InEpsilon(t, float64(p.LowerBound()), float64(p.Predicted.Least), 0.01)

	small := on("path:6", 3, 70)
	small.TimeOnly, small.Machine.Claim = true, 1
	_, err = collective.Generate(t.Context(), plan.Allreduce, "", small)
	require.ErrorContains(t, err, "the time of allreduce needs a run, and no run is without words")
	_, err = collective.Generate(t.Context(), plan.Exchange, "", small)
	require.EqualError(t, err, "the time of a exchange without its words (expected gossip, broadcast, reduce, allreduce or reduce-scatter)")
	among := on("path:6", 8, 70)
	among.Among = []string{"pipelined", "tree"}
	p, err = collective.Generate(t.Context(), plan.Allreduce, "", among)
	require.NoError(t, err)
	require.Equal(t, "pipelined", p.Algorithm)
	among.Among = []string{"swing"}
	_, err = collective.Generate(t.Context(), plan.Allreduce, "", among)
	require.ErrorContains(t, err, `no algorithm for allreduce on path:6 among ["swing"]`)
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
