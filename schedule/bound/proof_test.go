// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

// randomBounds returns the bounds of a random job by collective.
func randomBounds(t *testing.T, g *rand.Rand) (name string, bounds map[string]Proven) {
	t.Helper()
	specs := []string{"path:2", "path:5", "ring:6", "mesh:3x3", "torus:4x4", "hypercube:3", "hub:5", "complete:5", "debruijn:3", "random-tree:9,4", "star:3"}
	spec := specs[g.IntN(len(specs))]
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset([]string{"wormhole", "bufferless"}[g.IntN(2)])
	require.NoError(t, err)
	m.Startup, m.Hop, m.Flit, m.Buffer = g.IntN(3)*g.IntN(30), 1+g.IntN(4), 1+g.IntN(3), 1+g.IntN(4)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	if g.IntN(2) == 0 {
		m.Ports, m.Channels = machine.SinglePort, 1
	}
	if g.IntN(3) == 0 {
		m.Duplex = machine.Half
	}
	words, root := g.IntN(4)*g.IntN(40), router.NodeID(g.IntN(topo.Nodes()))
	lengths := slices.Repeat([]int{words}, topo.Nodes())
	if g.IntN(2) == 0 {
		for n := range lengths {
			lengths[n] = g.IntN(words + 1)
		}
	}
	return fmt.Sprintf("%s, %+v, root %d, lengths %v", spec, m, root, lengths), map[string]Proven{
		"scatter": Scatter(topo, m, root, lengths), "gather": Gather(topo, m, root, lengths), "gossip": Gossip(topo, m, lengths),
		"broadcast": Broadcast(topo, m, root, words), "reduce": Reduce(topo, m, root, words), "allreduce": AllReduce(topo, m, words),
		"reduce-scatter": ReduceScatter(topo, m, words), "exchange": Exchange(topo, m, lengths),
	}
}

// The bound is the largest of what all arguments show, and each of them is named once.
func TestBoundIsItsLargestArgument(t *testing.T) {
	several := map[string]int{}
	for seed := range soak.Number[uint64](30, 80) {
		name, bounds := randomBounds(t, rand.New(rand.NewPCG(seed, 0x6172677565)))
		for kind, p := range bounds {
			list := p.Arguments()
			if p.Cycles == 0 {
				require.Empty(t, list, "%s, %s", kind, name)
				continue
			}
			require.Equal(t, Argument{p.Cycles, p.Proof}, list[0], "%s, %s", kind, name)
			require.Equal(t, p.Cycles, slices.Max(p.each[:]), "%s, %s", kind, name)
			seen := map[Proof]bool{}
			for i, a := range list {
				require.Positive(t, a.Cycles, "%s, %s", kind, name)
				require.False(t, seen[a.Proof], "%s, %s: %s twice", kind, name, a.Proof)
				require.True(t, i == 0 || a.Cycles <= list[i-1].Cycles, "%s, %s: %v", kind, name, list)
				seen[a.Proof] = true
			}
			if len(list) > 1 {
				several[kind]++
			}
		}
	}
	require.Len(t, several, 8)
	for kind, jobs := range several {
		require.Greater(t, jobs, soak.Number(7, 20), kind)
	}
}

// An argument is listed with what it shows by itself: not with the bound at which it began.
func TestArgumentsOfProven(t *testing.T) {
	var p Proven
	require.Empty(t, p.Arguments())
	p.raise(10, ByDistance)
	p.raise(10, ByCut)
	p.raise(0, ByPort)
	p.exceed(10, ByTrees)
	require.Equal(t, []Argument{{10, ByDistance}, {10, ByCut}}, p.Arguments())
	copied := p
	p.exceed(12, ByStartups)
	p.raise(7, ByStartups)
	p.raise(11, ByCut)
	require.Equal(t, []Argument{{12, ByStartups}, {11, ByCut}, {10, ByDistance}}, p.Arguments())
	require.Equal(t, []Argument{{10, ByDistance}, {10, ByCut}}, copied.Arguments())
	copied.Include(p)
	require.Equal(t, p, copied)
	require.Equal(t, []Argument{{9, ByPackets}}, Proven{Cycles: 9, Proof: ByPackets}.Arguments())
}
