// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/router"
)

func ExampleGenerate_scatter() {
	path, _ := topology.Parse("path:6")
	bufferless, _ := machine.Preset("bufferless")
	plan, err := collective.Generate(context.Background(), "scatter", "furthest-first", collective.Job{
		Topology: path, Machine: bufferless, Root: 0, Lengths: []int{0, 0, 0, 0, 4, 3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := collective.Execute(context.Background(), plan)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("delivered", r.Delivered, "in", r.Cycles, "cycles, bound", plan.LowerBound())
	for _, sent := range r.Log {
		fmt.Println("to", sent.Destination, "dispatched", sent.Dispatch, "arrived", sent.Arrival)
	}
	// Output:
	// delivered true in 11 cycles, bound 11
	// to 5 dispatched 0 arrived 8
	// to 4 dispatched 3 arrived 11
}

func ExampleGenerate_gather() {
	path, _ := topology.Parse("path:6")
	bufferless, _ := machine.Preset("bufferless")
	job := collective.Job{Topology: path, Machine: bufferless, Root: 0, Lengths: []int{0, 2, 3, 0, 2, 1}}
	for _, algorithm := range []string{"shoulder-tap", "nearest-first", "certification"} {
		plan, _ := collective.Generate(context.Background(), "gather", algorithm, job)
		r, _ := collective.Execute(context.Background(), plan)
		fmt.Println(algorithm, r.Delivered, r.Cycles, "cycles")
	}
	// Output:
	// shoulder-tap true 12 cycles
	// nearest-first true 9 cycles
	// certification true 22 cycles
}

func ExampleGenerate_gossip() {
	torus, _ := topology.Parse("torus:4x4")
	wormhole, _ := machine.Preset("wormhole")
	lengths := make([]int, torus.Nodes())
	for n := range lengths {
		lengths[n] = 8
	}
	plan, _ := collective.Generate(context.Background(), "gossip", "", collective.Job{Topology: torus, Machine: wormhole, Lengths: lengths})
	r, _ := collective.Execute(context.Background(), plan)
	fmt.Printf("%s: %d messages, %d cycles, %.2f of the bound\n", plan.Algorithm, plan.Messages, r.Cycles, r.Ratio())
	// Output:
	// strides: 256 messages, 31 cycles, 1.00 of the bound
}

func TestRegistry(t *testing.T) {
	require.Equal(t, []string{"auto", "furthest-first", "edge-disjoint", "shared-edges", "search", "combining", "edst", "rerouted"}, collective.Algorithms("scatter"))
	require.Equal(t, []string{"auto", "shoulder-tap", "nearest-first", "edge-disjoint", "shared-edges", "certification", "certification-tight", "certification-parallel", "certification-ii", "search", "rerouted"}, collective.Algorithms("gather"))
	require.Equal(t, []string{"auto", "approach2", "highdimgos", "approach1", "circgos", "torgos", "cubgos", "strides", "crosses", "vendor", "recursive-doubling", "swing", "bine", "bucket", "ring", "dissemination", "balanced-trees", "staggered", "greedy", "rounds", "symmetric", "refined", "edst", "rerouted"}, collective.Algorithms("gossip"))
	for _, row := range []struct{ kind, spec, algorithm, want string }{
		{"scatter", "mesh:2x2", "fdf", "furthest-first"},
		{"gather", "mesh:2x2", "nrf", "nearest-first"},
		{"gather", "path:4", "", "nearest-first"},
		{"gossip", "ring:4", "", "approach2"},
	} {
		plan, err := collective.Generate(t.Context(), row.kind, row.algorithm, collectivetest.Job(t, row.spec, "wormhole", 0, 1, 1, 1, 1))
		require.NoError(t, err)
		require.Equal(t, row.want, plan.Algorithm)
	}
}

// TestPresets runs every collective on every preset.
func TestPresets(t *testing.T) {
	for _, name := range machine.PresetNames() {
		for _, kind := range []string{"scatter", "gather", "gossip"} {
			lengths := []int{3, 0, 9, 4, 1, 1, 0, 8, 2, 5, 5, 5}
			j := collectivetest.Job(t, "mesh:4x3", name, 5, lengths...)
			j.Effort = collectivetest.Effort()
			r := collectivetest.Run(t, kind, "", j)
			if name != "bufferless" && !(name == "store-forward" && kind == "gossip") { // there it is from neighbour to neighbour
				require.Positive(t, r.MaxBufferFlits)
			}
			require.GreaterOrEqual(t, r.Ratio(), 1.0)
		}
	}
}

// TestGossipSteps: with equal blocks of l words approach 2 (Juurlink et al.)
// takes floor(n/2) steps on a ring, n-1 on a path, and phases add up. A block is
// whole at the neighbour, and goes on, startup + l*flit + hop-1 cycles after it
// was sent.
func TestGossipSteps(t *testing.T) {
	for _, row := range []struct {
		spec  string
		steps []int // words of each
	}{
		{"ring:8", []int{10, 10, 10, 10}}, {"ring:9", []int{10, 10, 10, 10}}, {"path:4", []int{10, 10, 10}},
		{"torus:4x6", []int{10, 10, 40, 40, 40}}, {"hypercube:3", []int{10, 20, 40}},
	} {
		t.Run(row.spec, func(t *testing.T) {
			topo, err := topology.Parse(row.spec)
			require.NoError(t, err)
			lengths := make([]int, topo.Nodes())
			for n := range lengths {
				lengths[n] = 10
			}
			j := collectivetest.Job(t, row.spec, "bufferless", 0, lengths...)
			j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
			j.Machine.Startup, j.Machine.Hop, j.Machine.Flit = 5, 3, 2
			want := 1
			for _, words := range row.steps {
				want += 5 + 2*words + 3 - 1
			}
			require.Equal(t, router.Cycle(want), collectivetest.Run(t, "gossip", "highdimgos", j).Cycles)
		})
	}
}

// TestAMillionPEs: what does nothing costs nothing. Without a soak it is a quarter of a million.
func TestAMillionPEs(t *testing.T) {
	side := soak.Number(512, 1024)
	lengths := make([]int, side*side)
	lengths[side*side-1], lengths[77], lengths[5000] = 3, 2, 1
	r := collectivetest.Run(t, "scatter", "furthest-first", collectivetest.Job(t, fmt.Sprintf("mesh:%dx%d", side, side), "wormhole", 0, lengths...))
	require.InDelta(t, int(r.Plan.LowerBound()), int(r.Cycles), 3) // the bound reckons with both links of the root
}

// BenchmarkScatter is a scatter of 4 words to every node of a path of 1000,
// planning included.
func BenchmarkScatter(b *testing.B) {
	lengths := make([]int, 1000)
	for n := range lengths {
		lengths[n] = 4
	}
	for _, name := range []string{"bufferless", "wormhole"} {
		j := collectivetest.Job(b, "path:1000", name, 0, lengths...)
		b.Run(name, func(b *testing.B) {
			cycles := router.Cycle(0)
			for b.Loop() {
				cycles += collectivetest.Run(b, "scatter", "furthest-first", j).Cycles
			}
			b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
		})
	}
}
