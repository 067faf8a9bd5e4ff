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
	"meshwright/internal/soak"
	"meshwright/router"
)

// oneChannelJob is a gossip of equal blocks on the Paragon.
func oneChannelJob(t *testing.T, spec string, flits int) collective.Job {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("paragon")
	require.NoError(t, err)
	j := collective.Job{Topology: topo, Machine: m, Seed: 3, Lengths: make([]int, topo.Nodes())}
	for n := range j.Lengths {
		j.Lengths[n] = flits
	}
	return j
}

// formula returns what a plan's formula says.
func formula(t *testing.T, p *collective.Plan) router.Cycle {
	t.Helper()
	for _, f := range p.Facts {
		if f.Key == "formula_cycles" {
			return f.Value
		}
	}
	t.Fatal("no formula")
	return 0
}

// With tokens a PE does one thing at a time, and the model takes to the cycle
// what the formulas say.
func TestOneChannelGossipsTakeWhatTheirFormulasSay(t *testing.T) {
	for _, spec := range soak.Some(2, []string{"mesh:4x8", "mesh:8x8", "torus:4x4", "mesh:16x4"}) {
		for _, row := range []struct {
			algorithm, start string
			a, b             int
			even             bool // exact only where both sides are alike
		}{
			{"approach1", "", 0, 0, false}, {"approach1", "columns", 0, 0, false}, {"approach1", "black-white", 0, 0, true},
			{"approach2", "", 0, 0, false}, {"approach2", "ring", 0, 0, false}, {"approach2", "black-white", 0, 0, true},
			{"highdimgos", "", 2, 0, false}, {"highdimgos", "", 1, 0, false}, {"torgos", "", 0, 0, false}, {"torgos", "columns", 2, 0, false}, {"vendor", "", 0, 0, false},
		} {
			for _, flits := range soak.Some(2, []int{1, 64, 5}) {
				j := oneChannelJob(t, spec, flits)
				j.Start, j.A, j.B, j.Sync = row.start, row.a, row.b, true
				name := fmt.Sprintf("%+v of %d flits on %s", row, flits, spec)
				p, err := collective.Generate(t.Context(), "gossip", row.algorithm, j)
				require.NoError(t, err, name)
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err)
				require.NoError(t, r.Failure, name)
				require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
				if row.even && j.Topology.Dims[0] != j.Topology.Dims[1] {
					require.InEpsilon(t, int(r.Cycles), int(formula(t, p)), 0.05, name)
				} else {
					require.Equal(t, r.Cycles, formula(t, p), name)
				}
			}
		}
	}
}

// Without tokens PEs send and take at once; flits wait a little for one another.
func TestOneChannelGossipsWithoutTokens(t *testing.T) {
	for _, algorithm := range []string{"approach1", "approach2", "circgos", "highdimgos", "torgos", "vendor"} {
		for _, flits := range soak.Some(2, []int{40, 1}) {
			p, err := collective.Generate(t.Context(), "gossip", algorithm, oneChannelJob(t, "mesh:8x8", flits))
			require.NoError(t, err)
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			require.NoError(t, r.Failure)
			require.InEpsilon(t, int(r.Cycles), int(formula(t, p)), 0.005, "%s, %d flits", algorithm, flits)
		}
	}
}

func TestOneChannelGossipsOfUnequalBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range soak.Number(12, 300) {
		specs := []string{"path:7", "ring:9", "mesh:5x7", "mesh:4x6", "torus:6x3", "mesh:3x2x3", "hypercube:3", "path:2", "path:1"}
		j := oneChannelJob(t, specs[random.IntN(len(specs))], 0)
		algorithm := []string{"approach1", "approach2", "circgos", "highdimgos", "torgos", "vendor"}[random.IntN(6)]
		if algorithm == "torgos" && len(j.Topology.Dims) != 2 {
			continue
		}
		for n := range j.Lengths {
			j.Lengths[n] = max(0, random.IntN(9)-3)
		}
		j.Machine.Startup, j.Machine.Hop = random.IntN(20), 1+random.IntN(3)
		j.Sync = random.IntN(2) == 0
		p, err := collective.Generate(t.Context(), "gossip", algorithm, j)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, r.Failure, "%s on %s, %v", algorithm, j.Topology, j.Lengths)
		require.GreaterOrEqual(t, r.Cycles, p.LowerBound())
	}
}

// Where PEs have one half-duplex channel auto is the fastest of the forms for it.
func TestAutoInOneChannelIsTheFastest(t *testing.T) {
	formulas := []string{"approach1", "approach2", "circgos", "highdimgos", "torgos", "vendor"}
	others := 0 // jobs for which an algorithm without a formula is chosen
	specs := []string{"mesh:4x4", "path:9", "mesh:3x2x2"}
	if soak.On() {
		specs = append(specs, "mesh:8x8", "mesh:4x4x2")
	}
	for _, spec := range specs {
		for _, flits := range soak.Some(3, []int{1, 2000, 64}) {
			j := oneChannelJob(t, spec, flits)
			j.Effort = collectivetest.Effort()
			auto, err := collective.Generate(t.Context(), "gossip", "auto", j)
			require.NoError(t, err)
			if !slices.Contains(formulas, auto.Algorithm) {
				others++
			}
			r, err := collective.Execute(t.Context(), auto)
			require.NoError(t, err)
			for _, other := range formulas {
				if other == "torgos" && len(j.Topology.Dims) != 2 {
					continue
				}
				p, err := collective.Generate(t.Context(), "gossip", other, j)
				require.NoError(t, err)
				require.LessOrEqual(t, float64(r.Cycles), 1.005*float64(formula(t, p)), "%s of %d flits: %s against %s", spec, flits, auto.Algorithm, other)
			}
		}
	}
	require.NotZero(t, others)
}

func TestBadOneChannelGossips(t *testing.T) {
	for _, row := range []struct {
		spec, algorithm, start string
		a, b                   int
		want                   string
	}{
		{"mesh:8x8", "torgos", "", 9, 0, "bridgeheads 9 (expected 2 to 8)"},
		{"mesh:8x8", "circgos", "", 0, 5, "round-steps 5 without bridgeheads (expected bridgeheads, too)"},
		{"mesh:8x8", "torgos", "", 4, 1, "round-steps 1 with bridgeheads 4 (expected 2, the logarithm of the bridgeheads, to 17, with which words go in 8 parts)"},
		{"mesh:8x8", "torgos", "", 4, 18, "round-steps 18 with bridgeheads 4 (expected 2, the logarithm of the bridgeheads, to 17, with which words go in 8 parts)"},
		{"mesh:8x8", "approach1", "diagonals", 0, 0, `unknown start "diagonals" (expected one of rows, columns, black-white, ring)`},
		{"mesh:8x8", "vendor", "rows", 0, 0, "start rows for gossip vendor (expected none, or algorithm approach2, highdimgos, approach1, circgos, torgos or cubgos)"},
		{"mesh:8x7", "approach2", "black-white", 0, 0, "start black-white on mesh:8x7 (expected two dimensions of even length)"},
		{"path:8", "approach2", "rows", 0, 0, "start rows on path:8 (expected none: it has one dimension)"},
		{"mesh:8x8", "approach2", "", 2, 0, "bridgeheads 2 for gossip approach2 (expected none, or algorithm highdimgos, circgos, torgos or cubgos)"},
		{"mesh:8x8", "highdimgos", "", 1, 3, "round-steps 3 with bridgeheads 1 (expected none: there are no rounds)"},
		{"path:8", "torgos", "", 0, 0, "gossip torgos does not run on path:8 (expected a topology of: 2-D meshes and tori)"},
	} {
		j := oneChannelJob(t, row.spec, 1)
		j.Start, j.A, j.B = row.start, row.a, row.b
		_, err := collective.Generate(t.Context(), "gossip", row.algorithm, j)
		require.EqualError(t, err, row.want)
	}
}

// In two dimensions cubgos is torgos in the half-duplex, one-channel form, too.
func TestCubgosOfTwoDimensionsIsTorgosInOneChannel(t *testing.T) {
	j := oneChannelJob(t, "mesh:8x8", 16)
	run := func(algorithm string) router.Cycle {
		p, err := collective.Generate(t.Context(), "gossip", algorithm, j)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		return r.Cycles
	}
	require.Equal(t, run("torgos"), run("cubgos"))
}
