// SPDX-License-Identifier: Apache-2.0

package scattergather_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/study"
)

// multiport makes a job on a bufferless machine on which all links work at once.
func multiport(t testing.TB, spec string, root router.NodeID, length func(n int) int) collective.Job {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	j := collective.Job{Topology: topo, Machine: m, Root: root % router.NodeID(topo.Nodes())}
	for n := range topo.Nodes() {
		j.Lengths = append(j.Lengths, length(n))
	}
	return j
}

func same(words int) func(int) int { return func(int) int { return words } }

// multiportSpec picks a topology of up to some 60 nodes.
func multiportSpec(random *rand.Rand) string {
	specs := []string{
		"path:2", "path:7", "ring:9", "mesh:5x6", "mesh:3x3x3", "mesh:1x8", "torus:5x5", "torus:4x6", "torus:2x5", "torus:3x3x3", "hypercube:1",
		"hypercube:5", "debruijn:5", "complete:9", "hub:8", "binary:4", "comb:4x4",
	}
	if k := random.IntN(len(specs) + 12); k < len(specs) {
		return specs[k]
	}
	nodes := 2 + random.IntN(40)
	return fmt.Sprintf("random:%d,%.6f,%d", nodes, 2*float64(min(nodes-1+random.IntN(2*nodes), nodes*(nodes-1)/2))/float64(nodes), random.IntN(1e6))
}

// Whatever the network, the root, the lengths and the machine's times: nothing
// collides, every word is right, and no plan beats the bound.
func TestMultiportPlansDeliverEveryWord(t *testing.T) {
	for seed := range soak.Number[uint64](60, 400) {
		random := rand.New(rand.NewPCG(seed, 21))
		spec := multiportSpec(random)
		long := 1 + random.IntN(40)
		j := multiport(t, spec, router.NodeID(random.IntN(1000)), func(int) int { return max(0, random.IntN(3*long)-long) })
		if random.IntN(3) == 0 {
			j.Machine.Startup, j.Machine.Hop, j.Machine.Flit = random.IntN(6), 1+random.IntN(3), 1+random.IntN(3)
		}
		if random.IntN(3) == 0 {
			j.Machine.Switching, j.Machine.Buffer = machine.Wormhole, 1+random.IntN(4)
		}
		for _, kind := range []string{"scatter", "gather"} {
			for _, algorithm := range []string{"edge-disjoint", "shared-edges"} {
				r := collectivetest.Run(t, kind, algorithm, j)
				require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound(), "seed %d %s %s %s", seed, kind, algorithm, collectivetest.Describe(j))
				collectivetest.RequireLog(t, r)
			}
		}
	}
}

// With spanning trees T_1..T_k, as many as the root has links, each gets a
// k-th of the words: ceil(M/k) + depth cycles are enough. Each may be asked for.
func TestSpanningCoversMeetTheirGuarantee(t *testing.T) {
	for _, row := range []struct {
		spec, cover string
	}{
		{"hypercube:5", "rotated-binomials"}, {"torus:6x6", "torus-pair"}, {"torus:6x6", "arborescences"}, {"mesh:6x6", "arborescences"},
		{"star:5", "star-trees"}, {"star:4", "arborescences"}, {"debruijn:5", "arborescences"}, {"complete:7", "arborescences"}, {"ring:9", "arborescences"}, {"torus:3x3x3", "arborescences"},
	} {
		random := rand.New(rand.NewPCG(1, 22))
		j := multiport(t, row.spec, 5, func(int) int { return random.IntN(50) })
		j.Cover = row.cover
		c, err := cover.Named(t.Context(), row.cover, j.Topology, j.Root, 0)
		require.NoError(t, err)
		words := 0
		for n, length := range j.Lengths {
			if n != int(j.Root) {
				words += length
			}
		}
		for _, kind := range []string{"scatter", "gather"} {
			r := collectivetest.Run(t, kind, "edge-disjoint", j)
			require.Equal(t, router.Cycle(len(c.Trees)), collectivetest.Fact(t, r.Plan, "trees"))
			require.LessOrEqual(t, int(r.Cycles), (words+len(c.Trees)-1)/len(c.Trees)+c.Depth(), "%s %s %s", kind, row.spec, row.cover)
		}
	}
}

// Multiport scatter and gather come close to the bound that the root's links
// give, and split only a few blocks.
func TestMultiportIsCloseToTheBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 23))
	for _, spec := range []string{
		"mesh:8x8", "torus:8x8", "torus:7x9", "hypercube:6", "debruijn:6", "random:64,4", "random:64,6,2", "torus:4x4x4", "ring:16", "complete:20", "star:5",
	} {
		for _, root := range []router.NodeID{0, 29} {
			for name, length := range map[string]func(int) int{
				"1": same(1), "4": same(4), "100": same(100), "random": func(int) int { return random.IntN(30) * random.IntN(30) },
			} {
				j := multiport(t, spec, root, length)
				for _, kind := range []string{"scatter", "gather"} {
					disjoint, shared := collectivetest.Run(t, kind, "edge-disjoint", j), collectivetest.Run(t, kind, "shared-edges", j)
					require.LessOrEqual(t, disjoint.Ratio(), 1.001, "%s %s from %d, length %s", kind, spec, root, name)
					require.LessOrEqual(t, shared.Ratio(), 1.2, "%s %s from %d, length %s", kind, spec, root, name)
					require.LessOrEqual(t, int(collectivetest.Fact(t, disjoint.Plan, "split_blocks")), 2*j.Topology.Degree(root%router.NodeID(j.Topology.Nodes())))
				}
			}
		}
	}
}

// A wormhole machine with two flits of buffer or more takes as long as one
// without buffers: nothing waits.
func TestBuffersAreOfNoUse(t *testing.T) {
	for _, spec := range []string{"mesh:5x5", "torus:5x5", "hypercube:4", "random:30,4"} {
		j := multiport(t, spec, 7, func(n int) int { return n * 7 % 10 })
		for _, kind := range []string{"scatter", "gather"} {
			j.Machine.Switching, j.Machine.Buffer = machine.Bufferless, 1
			without := collectivetest.Run(t, kind, "edge-disjoint", j)
			j.Machine.Switching, j.Machine.Buffer = machine.Wormhole, 2
			with := collectivetest.Run(t, kind, "edge-disjoint", j)
			require.Equal(t, without.Cycles, with.Cycles, "%s %s", kind, spec)
		}
	}
}

func TestMachinesThatAreNotMultiport(t *testing.T) {
	j := multiport(t, "mesh:3x3", 0, same(2))
	for _, row := range []struct {
		change func(j *collective.Job)
		want   string
	}{
		{func(j *collective.Job) { j.Machine.Ports = machine.SinglePort },
			"scatter edge-disjoint needs a machine on which every link works by itself (expected ports all and nic.channels links)"},
		{func(j *collective.Job) { j.Machine.Channels = 1 },
			"scatter edge-disjoint needs a machine on which every link works by itself (expected ports all and nic.channels links)"},
		{func(j *collective.Job) { j.Order = []router.NodeID{1} }, "order 1 for scatter edge-disjoint (expected none, or algorithm furthest-first)"},
		{func(j *collective.Job) { j.Tree = "breadth-first" }, "tree breadth-first for scatter edge-disjoint (expected none, or algorithm furthest-first or combining)"},
		{func(j *collective.Job) { j.Trees = 3 }, "3 trees from node 0 of mesh:3x3 (expected at most 2: there are no more without a common link)"},
		{func(j *collective.Job) { j.Cover = "torus-pair" }, "no pair of trees for mesh:3x3 (expected torus:AxB with A and B at least 3)"},
		{func(j *collective.Job) { j.Cover = "bogus" },
			`unknown cover "bogus" (expected one of breadth-first, dimension-orders, torus-pair, rotated-binomials, star-trees, star-paths, arborescences, shallow, partial-trees)`},
	} {
		bad := j
		row.change(&bad)
		_, err := collective.Generate(t.Context(), "scatter", "edge-disjoint", bad)
		require.EqualError(t, err, row.want)
	}
	large := multiport(t, "mesh:700x700", 0, same(1))
	_, err := collective.Generate(t.Context(), "scatter", "shared-edges", large)
	require.EqualError(t, err, "scatter shared-edges on mesh:700x700: routes of 342510000 links or more (expected at most 67108864: every block carries its own route)")
	j.Trees = 40
	_, err = collective.Generate(t.Context(), "gather", "shared-edges", j)
	require.ErrorContains(t, err, "40 trees for shared-edges from node 0 of mesh:3x3 (expected at most ")
}

func TestTreesMayBeAskedFor(t *testing.T) {
	j := multiport(t, "torus:5x5", 3, same(6))
	var times []router.Cycle
	for j.Trees = 1; j.Trees <= 4; j.Trees++ {
		r := collectivetest.Run(t, "scatter", "edge-disjoint", j)
		require.Equal(t, router.Cycle(j.Trees), collectivetest.Fact(t, r.Plan, "trees"))
		times = append(times, r.Cycles)
	}
	require.Less(t, times[1], times[0]) // two dimension orders
	require.LessOrEqual(t, times[3], times[2])
}

func ExampleSpeedUps() {
	torus, _ := topology.Parse("torus:8x8")
	m, _ := machine.Preset("bufferless")
	m.Ports, m.Channels = machine.AllPort, machine.Links
	job := collective.Job{Topology: torus, Machine: m, Lengths: slices.Repeat([]int{10}, 64)}
	rows, _ := study.SpeedUps(context.Background(), "scatter", job)
	for _, r := range rows {
		fmt.Printf("%-14s %2d trees %4d cycles, %.2f times as fast, %.3f of the bound\n", r.Algorithm, r.Trees, r.Cycles, r.SpeedUp, r.Ratio)
	}
	// Output:
	// furthest-first  1 trees  321 cycles, 1.00 times as fast, 2.019 of the bound
	// edge-disjoint   2 trees  159 cycles, 2.02 times as fast, 1.000 of the bound
	// shared-edges    8 trees  161 cycles, 1.99 times as fast, 1.013 of the bound
}

func TestARootWithoutLinksSendsNothing(t *testing.T) {
	for _, algorithm := range []string{"edge-disjoint", "shared-edges"} {
		p, err := collective.Generate(t.Context(), "scatter", algorithm, multiport(t, "path:1", 0, func(int) int { return 3 }))
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		require.Zero(t, r.Cycles)
	}
}
