// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/schedule/workload"
	"meshwright/study"
)

// setting is a key of the machine with its value.
type setting struct{ key, value string }

// changedJob is a job with flits of some length on a machine that is set key by key.
func changedJob(t *testing.T, spec, preset string, length int, faults []string, settings ...setting) (collective.Job, error) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for _, k := range machine.Keys() { // in their order, as flags are
		for _, s := range settings {
			if s.key == k.Name {
				require.NoError(t, m.Set(s.key, s.value))
			}
		}
	}
	m.Faults, err = fault.Parse(faults, 1)
	require.NoError(t, err)
	if m, err = m.Resolve(topo); err != nil {
		return collective.Job{}, err
	}
	j := collective.Job{Topology: topo, Machine: m, Seed: 1, Root: topo.Root}
	j.Lengths, err = workload.EqualLengths(length, topo.Nodes(), -1)
	require.NoError(t, err)
	return j, nil
}

// Every time of a changed machine is that of a run on this machine, and the elasticity follows from these times.
func TestSensitivityIsThatOfRuns(t *testing.T) {
	for _, row := range soak.Some(3, []struct {
		kind, spec, preset string
		length             int
		faults             []string
		settings           []setting
	}{
		{plan.Gossip, "ring:5", "paragon", 8, nil, []setting{{"startup", "10"}}},
		{plan.Gossip, "mesh:4x2", "wormhole", 16, nil, []setting{{"startup", "40"}}},
		{plan.Scatter, "mesh:4x3", "wormhole", 7, nil, []setting{{"ports", "single"}, {"nic.channels", "1"}, {"buffer", "1"}, {"hop", "2"}}},
		{plan.Scatter, "binary:2", "store-forward", 6, nil, []setting{{"setup", "3/2"}, {"packet", "12"}}},
		{plan.Gather, "star:3", "bufferless", 5, nil, nil},
		{plan.Broadcast, "debruijn:3", "wormhole", 9, nil, []setting{{"width", "64"}, {"flit", "2"}}},
		{plan.Reduce, "hypercube:3", "wormhole", 4, nil, []setting{{"vcs", "2"}}},
		{plan.Allreduce, "mesh:3x3", "wormhole", 6, nil, []setting{{"header", "flit"}}},
		{plan.Broadcast, "torus:4x4", "wormhole", 8, []string{"random:1,links", "known"}, nil},
		{plan.Exchange, "ring:4", "bufferless", 2, nil, []setting{{"ports", "all"}}},
	}) {
		t.Run(row.kind+" "+row.spec, func(t *testing.T) {
			j, err := changedJob(t, row.spec, row.preset, row.length, row.faults, row.settings...)
			require.NoError(t, err)
			s := &study.Sensitivity{Collective: row.kind, Job: j, Keys: []string{study.FaultsKey}}
			for _, k := range machine.Keys() {
				s.Keys = append(s.Keys, k.Name)
			}
			other := func(length int, key, value string) (collective.Job, error) {
				faults := row.faults
				if key == study.FaultsKey {
					faults = nil
				}
				settings := []setting{{key, value}}
				for _, given := range row.settings {
					if given.key != key {
						settings = append(settings, given)
					}
				}
				return changedJob(t, row.spec, row.preset, length, faults, settings...)
			}
			s.Machine = func(key, value string) (machine.Machine, error) {
				j, err := other(row.length, key, value)
				return j.Machine, err
			}
			now, effects, err := s.Effects(t.Context())
			require.NoError(t, err)
			j.Effort = s.Effort()
			require.Equal(t, now, timeOf(t, row.kind, j))
			timed := 0
			for i, e := range effects {
				least := math.Inf(1)
				times := map[string]float64{e.Now: float64(now.Cycles) / float64(now.Ticks)}
				for _, c := range e.Changes {
					if c.Refused != nil {
						continue
					}
					timed++
					length := row.length
					if e.Key == "width" {
						after, err := strconv.Atoi(c.Value)
						require.NoError(t, err)
						length = int(math.Ceil(float64(row.length*j.Machine.Width) / float64(after)))
					}
					direct, err := other(length, e.Key, c.Value)
					require.NoError(t, err)
					direct.Effort = s.Effort()
					require.Equal(t, timeOf(t, row.kind, direct), c.Timed, "%s %s", e.Key, c.Value)
					times[c.Value] = float64(c.Cycles) / float64(c.Ticks)
					least = min(least, times[c.Value])
				}
				if e.LeftOut != nil {
					require.Zero(t, e.Faster)
					require.True(t, math.IsInf(least, 1))
					continue
				}
				require.InDelta(t, times[e.Now]/least, e.Faster, 1e-9)
				require.True(t, i == 0 || effects[i-1].Faster >= e.Faster)
				if e.Key == "startup" {
					require.InDelta(t, math.Log(times[twice(e.Now)]/times[half(e.Now)])/math.Log(4), e.Elasticity, 1e-9)
				}
			}
			require.Greater(t, timed, 3)
		})
	}
}

// half and twice are the multiples of the startups of the test.
func half(now string) string  { return map[string]string{"40": "20", "10": "5"}[now] }
func twice(now string) string { return map[string]string{"40": "80", "10": "20"}[now] }

// timeOf runs a job.
func timeOf(t *testing.T, kind string, j collective.Job) study.Timed {
	t.Helper()
	p, err := collective.Generate(t.Context(), kind, "", j)
	require.NoError(t, err)
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err)
	require.True(t, r.Delivered)
	return study.Timed{Algorithm: p.Algorithm, Cycles: r.Cycles, Ticks: r.Network.Machine.Ticks()}
}

func TestWhatDoesNotApplyIsLeftOut(t *testing.T) {
	j, err := changedJob(t, "mesh:3x3", "bufferless", 2, nil)
	require.NoError(t, err)
	s := &study.Sensitivity{Collective: plan.Gather, Job: j, Keys: []string{"buffer", "vcs", "startup", "watchdog", "header"}}
	s.Machine = func(key, value string) (machine.Machine, error) {
		j, err := changedJob(t, "mesh:3x3", "bufferless", 2, nil, setting{key, value})
		return j.Machine, err
	}
	_, effects, err := s.Effects(t.Context())
	require.NoError(t, err)
	reasons := map[string]string{}
	for _, e := range effects {
		if e.LeftOut != nil {
			reasons[e.Key] = e.LeftOut.Error()
		}
	}
	require.Equal(t, map[string]string{
		"buffer": "a machine of switching bufferless does not use it", "vcs": "vcs 2: a bufferless chip has no virtual channels (expected vcs 1)",
		"startup": "0 has no half and no double", "watchdog": "no time depends on it",
	}, reasons)
}

// The many plans of other machines are made with an eighth of the effort, but for scatters and gathers, whose searches are short.
func TestEffortOfOtherMachines(t *testing.T) {
	for _, row := range []struct {
		kind           string
		effort, spends float64
	}{
		{plan.Gossip, 0, 0.125},
		{plan.Allreduce, 8, 1},
		{"allgather", 0.02, plan.LeastEffort},
		{plan.Scatter, 0, 1},
		{plan.Gather, 3, 3},
	} {
		s := &study.Sensitivity{Collective: row.kind, Job: plan.Job{Effort: row.effort}}
		require.InDelta(t, row.spends, s.Effort(), 1e-12, row.kind)
	}
}
