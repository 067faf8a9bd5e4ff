// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
)

// Under random loads around random known faults no packet is lost, and none stays behind where the checker of deadlocks says that the routes are free of
// them: those of routing updown always are.
func TestLoadsGoAroundKnownFaults(t *testing.T) {
	networks := []string{"mesh:5x4", "torus:4x4", "mesh:6x6", "hypercube:4", "star:4", "debruijn:4", "random:24,4,3", "twisted-torus:3x6", "ring:9"}
	patterns := []string{"uniform", "hotspot:3,5@0.3", "uniform", "transpose", "bitrev", "neighbor"}
	ran, free := 0, 0
	for seed := range soak.Number[uint64](60, 1500) {
		random := rand.New(rand.NewPCG(seed, 8))
		s := loadStudy(t, networks[seed%uint64(len(networks))], 1)
		s.Machine.Routing = []machine.Routing{machine.UpDown, machine.UpDown, machine.Table}[random.IntN(3)]
		s.Machine.Faults = &fault.List{Known: true, Random: []fault.Random{{Count: 1 + random.IntN(4), Nodes: true, Links: true}}, Seed: seed}
		name := fmt.Sprintf("seed %d: %s, routing %s", seed, s.Topology, s.Machine.Routing)
		if p, err := traffic.ParsePattern(patterns[random.IntN(len(patterns))], s.Topology); err == nil {
			s.Load.Pattern = p
		}
		around, err := s.GoAround()
		if err != nil {
			require.ErrorContains(t, err, "leave no", name)
			continue
		}
		for _, n := range s.Load.Pattern.Sources() {
			require.True(t, around.Live(n), name)
		}
		n, err := fabric.New(s.Topology, s.Machine)
		require.NoError(t, err, name)
		v, err := deadlock.Check(t.Context(), n)
		require.NoError(t, err, name)
		if s.Machine.Routing == machine.UpDown {
			require.Nil(t, v.Cycle, name)
		}
		s.Phases.Drain = 200000
		c, err := s.Curve(t.Context(), []float64{0.02 + 0.1*random.Float64()})
		require.NoError(t, err, name)
		run := c.Points[0].Runs[0]
		ran++
		require.Zero(t, run.Lost, name)
		if v.Cycle == nil {
			free++
			require.NoError(t, run.Deadlock, name)
		}
		if run.Cause != traffic.Deadlocked && run.Drain > 0 {
			require.Zero(t, run.Missing, name)
		}
		for pair := range run.Pairs {
			require.True(t, around.Live(pair.Source) && around.Live(pair.Destination), name)
		}
	}
	t.Log(ran, "ran,", free, "free of deadlock")
	require.Greater(t, free, 20)
}

// Routes that do not go around known faults are refused, and so are patterns and traces of which nothing is left.
func TestLoadsAroundFaultsThatAreRefused(t *testing.T) {
	dead := func(n router.NodeID) fault.Fault {
		return fault.Fault{Kind: fault.Node, From: n, To: n, End: fault.Never}
	}
	for _, c := range []struct {
		routing machine.Routing
		pattern string
		faults  []fault.Fault
		want    string
	}{
		{machine.DimensionOrder, "uniform", []fault.Fault{dead(1)}, "routing dor does not go around known faults (expected routing updown or table)"},
		{machine.Adaptive, "uniform", []fault.Fault{dead(1)}, "routing adaptive does not go around known faults (expected routing updown or table)"},
		{machine.UpDown, "hotspot:1", []fault.Fault{dead(1)}, "the faults leave no hot node (expected a hot node that is live, or pattern uniform)"},
		{machine.UpDown, "transpose", []fault.Fault{dead(1)}, "the faults leave no node that sends (expected a pattern in which a live node sends to another)"},
	} {
		s := loadStudy(t, "mesh:2x2", 1)
		p, err := traffic.ParsePattern(c.pattern, s.Topology)
		require.NoError(t, err)
		s.Load.Pattern, s.Machine.Routing, s.Machine.Faults = p, c.routing, &fault.List{Known: true, Faults: c.faults}
		_, err = s.Curve(t.Context(), []float64{0.1})
		require.EqualError(t, err, c.want)
	}
}
