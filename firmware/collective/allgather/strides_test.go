// SPDX-License-Identifier: Apache-2.0

package allgather_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/stages"
	"meshwright/internal/soak"
)

func independentLinks(t testing.TB, preset string, startup int) machine.Machine {
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	m.Ports, m.Channels, m.Startup = machine.AllPort, machine.Links, startup
	return m
}

// In the model strides and crosses take the formula's time to the cycle, on a machine that
// has buffers and on one where a worm that has to wait is lost.
func TestStridesAndCrossesTakeTheTimeOfTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, spec := range soak.Some(2, []string{"ring:3", "ring:9", "ring:26", "ring:31", "ring:64", "torus:3x3", "torus:4x6", "torus:8x8", "torus:5x5x3", "torus:2x6", "torus:3x20", "torus:16x4", "torus:5x12", "hypercube:3"}) {
		for _, preset := range []string{"wormhole", "bufferless"} {
			topo, err := topology.Parse(spec)
			require.NoError(t, err)
			m := independentLinks(t, preset, random.IntN(100))
			m.Hop, m.Flit = 1+random.IntN(3), 1+random.IntN(2)
			m.Buffer = m.Hop/m.Flit + 1
			j := collective.Job{Topology: topo, Machine: m, Seed: 1, Effort: collectivetest.Effort(), Lengths: slices.Repeat([]int{1 + random.IntN(12)}, topo.Nodes())}
			for _, algorithm := range []string{"strides", "crosses"} {
				plan, err := collective.Generate(t.Context(), "gossip", algorithm, j)
				if err != nil {
					require.ErrorContains(t, err, "does not run on")
					continue
				}
				r, err := collective.Execute(t.Context(), plan)
				require.NoError(t, err)
				name := fmt.Sprintf("%s: %s on %s, %+v, %d words", algorithm, spec, preset, m, j.Lengths[0])
				require.True(t, r.Delivered, name)
				require.Zero(t, r.CollisionCount, name)
				require.Equal(t, collectivetest.Facts(plan)["formula_cycles"], r.Cycles, name)
				require.GreaterOrEqual(t, r.Cycles, plan.LowerBound(), name)
			}
		}
	}
}

// With buffers too small for the full rate worms meet: no formula is shown. Where they could block one another for good,
// the timetable is that of slower flits.
func TestStridesAndCrossesWithSmallBuffers(t *testing.T) {
	topo, err := topology.Parse("torus:5x5")
	require.NoError(t, err)
	m := independentLinks(t, "wormhole", 10)
	m.Hop, m.Buffer = 8, 1
	j := collective.Job{Topology: topo, Machine: m, Seed: 1, Effort: collectivetest.Effort(), Lengths: slices.Repeat([]int{6}, topo.Nodes())}
	for _, row := range []struct {
		vcs       int
		algorithm string
	}{{1, "strides"}, {1, "crosses"}, {2, "strides"}, {2, "crosses"}, {2, "torgos"}, {2, "auto"}} {
		j.Machine.VCs = row.vcs
		algorithm := row.algorithm
		plan, err := collective.Generate(t.Context(), "gossip", algorithm, j)
		require.NoError(t, err)
		require.NotContains(t, collectivetest.Facts(plan), "formula_cycles")
		r, err := collective.Execute(t.Context(), plan)
		require.NoError(t, err)
		require.True(t, r.Delivered, algorithm)
	}
}

func TestAutoIsTheFastest(t *testing.T) {
	startups := []int{0, 30, 1000}
	for i, spec := range soak.Some(2, []string{"ring:9", "ring:27", "mesh:3x4", "torus:6x6", "path:9", "mesh:4x5"}) {
		for _, startup := range soak.Some(3, slices.Concat(startups[i%3:], startups[:i%3])) {
			topo, err := topology.Parse(spec)
			require.NoError(t, err)
			j := collective.Job{Topology: topo, Machine: independentLinks(t, "wormhole", startup), Seed: 1, Lengths: slices.Repeat([]int{8}, topo.Nodes()), Effort: collectivetest.Effort()}
			run := func(algorithm string) *collective.Result {
				plan, err := collective.Generate(t.Context(), "gossip", algorithm, j)
				if err != nil {
					require.Contains(t, err.Error(), "does not run on")
					return nil
				}
				r, err := collective.Execute(t.Context(), plan)
				require.NoError(t, err)
				require.True(t, r.Delivered)
				return r
			}
			auto := run("auto")
			for _, a := range collective.Algorithms("gossip") {
				if a == "edst" || a == "rerouted" {
					continue // auto takes them for copies and around faults only
				}
				if r := run(a); r != nil {
					require.LessOrEqual(t, auto.Cycles, r.Cycles, "%s startup %d: %s against %s", spec, startup, auto.Plan.Algorithm, a)
				}
			}
			require.NotEqual(t, "auto", auto.Plan.Algorithm)
			planned, err := stages.Choose(topo, auto.Plan.Machine, 8) // what plan formulas shows
			require.NoError(t, err)
			require.LessOrEqual(t, auto.Cycles, planned.Best.Predicted, "%s startup %d: %s", spec, startup, planned.Best)
		}
	}
}

// Where few blocks are long what suits the longest does not suit all.
func TestAutoWithUnequalBlocks(t *testing.T) {
	topo, err := topology.Parse("torus:4x5")
	require.NoError(t, err)
	j := collective.Job{Topology: topo, Machine: independentLinks(t, "wormhole", 100), Seed: 1, Lengths: make([]int, topo.Nodes()), Effort: collectivetest.Effort()}
	j.Lengths[0], j.Lengths[7] = 5, 900
	cycles := map[string]int{}
	for _, algorithm := range []string{"auto", "torgos", "strides", "crosses", "highdimgos", "cubgos"} {
		plan, err := collective.Generate(t.Context(), "gossip", algorithm, j)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), plan)
		require.NoError(t, err)
		require.True(t, r.Delivered, algorithm)
		cycles[algorithm] = int(r.Cycles)
	}
	for algorithm, c := range cycles {
		require.LessOrEqual(t, cycles["auto"], c, "%s: %v", algorithm, cycles)
	}
}
