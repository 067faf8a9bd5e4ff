// SPDX-License-Identifier: Apache-2.0

package allgather_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/router"
)

var gossips = flag.Int("gossips", soak.Number(25, 300), "random gossips to run")

// gossipJob is a job on a machine with a channel for every link.
func gossipJob(t testing.TB, spec string, startup int, length func() int) plan.Job {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup = startup
	j := plan.Job{Topology: topo, Machine: m, Lengths: make([]int, topo.Nodes())}
	for n := range j.Lengths {
		j.Lengths[n] = length()
	}
	return j
}

func always(length int) func() int { return func() int { return length } }

func requireDelivered(t testing.TB, name, algorithm string, j plan.Job) (*plan.Plan, router.Cycle) {
	t.Helper()
	p, err := collective.Generate(t.Context(), "gossip", algorithm, j)
	require.NoError(t, err, name)
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err, name)
	require.NoError(t, r.Failure, name)
	require.LessOrEqual(t, p.LowerBound(), r.Cycles, name)
	return p, r.Cycles
}

// On regular grids the formulas are the time of the model, to the cycle.
func TestGossipsTakeTheTimeOfTheirFormulas(t *testing.T) {
	for _, row := range []struct {
		algorithm, spec string
		a, b, colours   int
	}{
		{"approach1", "ring:27", 0, 0, 0}, {"approach1", "path:9", 0, 0, 0}, {"approach1", "ring:81", 0, 0, 0},
		{"circgos", "ring:27", 3, 1, 0}, {"circgos", "ring:27", 3, 2, 0}, {"circgos", "ring:81", 9, 5, 0}, {"circgos", "ring:12", 4, 3, 0},
		{"circgos", "ring:48", 16, 8, 0}, {"circgos", "ring:15", 5, 3, 0}, {"circgos", "ring:10", 10, 5, 0}, {"circgos", "ring:4", 3, 1, 0}, {"circgos", "path:17", 17, 8, 0},
		{"highdimgos", "torus:9x9", 3, 1, 1}, {"highdimgos", "torus:9x9", 3, 2, 2}, {"highdimgos", "torus:4x4x4", 4, 2, 3}, {"highdimgos", "torus:9x9", 1, 0, 2},
		{"highdimgos", "mesh:5x5", 5, 2, 2}, {"highdimgos", "mesh:9x9", 1, 0, 1}, {"highdimgos", "hypercube:4", 0, 0, 2},
		{"torgos", "torus:9x9", 3, 1, 1}, {"torgos", "torus:9x9", 3, 2, 2}, {"torgos", "torus:8x8", 8, 4, 2}, {"torgos", "torus:12x12", 4, 3, 2},
		{"torgos", "torus:12x12", 4, 2, 1}, {"torgos", "torus:27x27", 3, 2, 2}, {"torgos", "mesh:6x6", 6, 3, 2},
		{"cubgos", "torus:3x3x3x3", 3, 1, 4}, {"cubgos", "torus:9x9x9", 3, 2, 3}, {"cubgos", "torus:6x6x6", 2, 1, 3}, {"cubgos", "torus:4x4x4", 2, 1, 1},
	} {
		for _, at := range []struct{ startup, length, hop, flit int }{{0, 6, 1, 1}, {40, 12, 1, 1}, {7, 12, 3, 2}} {
			j := gossipJob(t, row.spec, at.startup, always(at.length))
			j.A, j.B, j.Colours, j.Machine.Hop, j.Machine.Flit = row.a, row.b, row.colours, at.hop, at.flit
			name := fmt.Sprintf("%+v %+v", row, at)
			if j.Topology.Nodes() > soak.Number(80, 200) && at.startup > 0 {
				continue // the large ones once
			}
			p, cycles := requireDelivered(t, name, row.algorithm, j)
			require.Equal(t, collectivetest.Fact(t, p, "formula_cycles"), cycles, name)
		}
	}
}

// On any grid and machine, with blocks of any lengths, everything arrives in the
// time predicted, and with channels for all links no later than the formula says
// for blocks of the largest length.
func TestGossipsOfAnyBlocks(t *testing.T) {
	for seed := range uint64(*gossips) {
		random := rand.New(rand.NewPCG(seed, 7))
		algorithm, spec := randomGossip(random)
		most := 1 + random.IntN(12)
		length := always(most)
		if random.IntN(2) == 0 {
			length = func() int { return random.IntN(most + 1) }
		}
		j := gossipJob(t, spec, random.IntN(30)*random.IntN(3), length)
		g := stages.GridOf(j.Topology)
		least := j.Topology.Nodes()
		for _, a := range g {
			least = min(least, a.Size)
		}
		if algorithm != "approach1" {
			j.A = 2 + random.IntN(least-1)
			j.B = min(j.A/2+random.IntN(5), max(j.A, j.Topology.Nodes()))
			if algorithm != "circgos" {
				j.Colours = 1 + random.IntN(len(g))
			}
		}
		regular := random.IntN(3) > 0
		if !regular {
			j.Machine = collectivetest.RandomTransferMachine(t, random)
			j.Sync = j.Machine.Switching == machine.Wormhole && random.IntN(2) == 0
		}
		name := fmt.Sprintf("seed %d: %s on %s a %d b %d colours %d, up to %d flits, startup %d, %s", seed, algorithm, spec, j.A, j.B, j.Colours, most, j.Machine.Startup, j.Machine.Describe())
		p, cycles := requireDelivered(t, name, algorithm, j)
		if !j.Sync {
			require.Equal(t, collectivetest.Fact(t, p, "predicted_cycles"), cycles, name)
		}
		if regular {
			require.LessOrEqual(t, cycles, gossipFormula(g, algorithm, j, most), name)
		}
	}
}

func randomGossip(random *rand.Rand) (algorithm, spec string) {
	side := func(most int) int { return 2 + random.IntN(most-1) }
	switch random.IntN(5) {
	case 0:
		return "approach1", fmt.Sprintf("%s:%d", []string{"path", "ring"}[random.IntN(2)], side(40))
	case 1:
		return "circgos", fmt.Sprintf("%s:%d", []string{"path", "ring"}[random.IntN(2)], side(40))
	case 2:
		return "highdimgos", fmt.Sprintf("%s:%dx%d", []string{"mesh", "torus"}[random.IntN(2)], side(10), side(10))
	case 3:
		return "torgos", fmt.Sprintf("%s:%dx%d", []string{"mesh", "torus"}[random.IntN(2)], side(12), side(12))
	}
	return "cubgos", fmt.Sprintf("%s:%dx%dx%d", []string{"mesh", "torus"}[random.IntN(2)], side(6), side(6), side(6))
}

func gossipFormula(g stages.Grid, algorithm string, j plan.Job, words int) router.Cycle {
	f := stages.Factors{A: j.A, B: j.B}
	switch algorithm {
	case "approach1":
		return stages.AxesCost(g, words, 1, stages.ThroughCentre{}).Cycles(&j.Machine)
	case "circgos", "highdimgos":
		return stages.AxesCost(g, words, max(1, j.Colours), stages.Circular(f)).Cycles(&j.Machine)
	}
	return stages.Diagonal(f).Cost(g, words, j.Colours).Cycles(&j.Machine)
}

func TestBadGossips(t *testing.T) {
	for _, row := range []struct {
		algorithm, spec string
		a, b, colours   int
		want            string
	}{
		{"circgos", "ring:9", 1, 1, 0, "bridgeheads 1 (expected 2 to 9, the nodes along the longest dimension)"},
		{"circgos", "ring:9", 10, 5, 0, "bridgeheads 10 (expected 2 to 9, the nodes along the longest dimension)"},
		{"circgos", "ring:9", 4, 1, 0, "round-steps 1 with bridgeheads 4 (expected 2, half of the bridgeheads, to 9)"},
		{"circgos", "path:9", 4, 10, 0, "round-steps 10 with bridgeheads 4 (expected 2, half of the bridgeheads, to 9)"},
		{"circgos", "path:9", 0, 3, 0, "round-steps 3 without bridgeheads (expected bridgeheads, too)"},
		{"circgos", "path:1", 0, 0, 0, "bridgeheads on 1 node (expected at least 2 nodes)"},
		{"circgos", "ring:9", 3, 1, 1, "colours 1 for gossip circgos (expected none, or algorithm highdimgos)"},
		{"approach1", "ring:9", 3, 1, 0, "bridgeheads 3 for gossip approach1 (expected none, or algorithm highdimgos or circgos)"},
		{"highdimgos", "mesh:3x9", 10, 5, 0, "bridgeheads 10 (expected 2 to 9, the nodes along the longest dimension)"},
		{"highdimgos", "mesh:3x9", 0, 5, 0, "round-steps 5 without bridgeheads (expected bridgeheads, too)"},
		{"highdimgos", "mesh:3x9", 1, 5, 0, "round-steps 5 with bridgeheads 1 (expected none: there are no rounds)"},
		{"highdimgos", "mesh:3x9", 3, 1, 3, "a gossip in 3 colours (expected 1 to 2, one for each dimension)"},
		{"torgos", "torus:4x8", 5, 2, 0, "bridgeheads 5 (expected 2 to 4, the nodes along the shortest dimension)"},
		{"torgos", "torus:4x8", 4, 1, 0, "round-steps 1 with bridgeheads 4 (expected 2, half of the bridgeheads, to 32)"},
		{"torgos", "mesh:1x8", 0, 0, 0, "a diagonal in 1 dimension (expected at least 2 dimensions of more than one node)"},
		{"torgos", "torus:4x4x4", 0, 0, 0, "gossip torgos does not run on torus:4x4x4 (expected a topology of: 2-D meshes and tori)"},
		{"cubgos", "ring:8", 0, 0, 0, "gossip cubgos does not run on ring:8 (expected a topology of: meshes, tori, hypercubes)"},
		{"cubgos", "torus:4x4x4", 2, 1, 4, "a gossip in 4 colours (expected 1 to 3, one for each dimension)"},
	} {
		j := gossipJob(t, row.spec, 0, always(1))
		j.A, j.B, j.Colours = row.a, row.b, row.colours
		_, err := collective.Generate(t.Context(), "gossip", row.algorithm, j)
		require.EqualError(t, err, row.want, "%+v", row)
		require.ErrorAs(t, err, new(*input.Error))
	}
}
