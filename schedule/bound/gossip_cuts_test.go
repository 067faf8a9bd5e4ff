// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// graph is a network of the edges given.
func graph(t *testing.T, edges [][2]int) *topology.Topology {
	t.Helper()
	var b strings.Builder
	for _, e := range edges {
		fmt.Fprintf(&b, "%d,%d\n", e[0], e[1])
	}
	file := filepath.Join(t.TempDir(), "graph.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	topo, err := topology.Parse("graph:" + file)
	require.NoError(t, err)
	return topo
}

// randomGraph has a spanning tree and some edges more.
func randomGraph(t *testing.T, random *rand.Rand, nodes int) *topology.Topology {
	var edges [][2]int
	for n := 1; n < nodes; n++ {
		edges = append(edges, [2]int{random.IntN(n), n})
	}
	for range random.IntN(2 * nodes) {
		a, b := random.IntN(nodes), random.IntN(nodes)
		if a < b && !slices.Contains(edges, [2]int{a, b}) {
			edges = append(edges, [2]int{a, b})
		}
	}
	return graph(t, edges)
}

// cliques are two groups of nodes that are all neighbours, joined by a link or several.
func cliques(nodes, links int) (edges [][2]int) {
	for b := range nodes {
		for a := range b {
			edges = append(edges, [2]int{a, b}, [2]int{nodes + a, nodes + b})
		}
	}
	for n := range links {
		edges = append(edges, [2]int{n, nodes + n})
	}
	return edges
}

func TestGossipCutsByHand(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Channels = machine.Links
	joined := graph(t, cliques(16, 2))
	ones := slices.Repeat([]int{1}, 32)
	require.EqualValues(t, 16/2+1, gossipCuts(joined, m, ones), "16 words over two links")
	require.EqualValues(t, 16/2+1+1, Gossip(joined, m, ones).Cycles, "the last words over the links reach two nodes only")
	require.Less(t, reach(joined, 0).gather(joined, m, 0, ones), router.Cycle(5), "31 words come to a node by 15 or 16 links")
	m.Startup, m.Flit, m.Hop = 10, 2, 3
	require.EqualValues(t, 10+2*8+3, gossipCuts(joined, m, ones))
	m.Startup, m.Flit, m.Hop, m.Channels = 0, 1, 1, 1
	require.EqualValues(t, 31+1, gossipCuts(joined, m, ones), "31 words come to a node by one channel")
	grid, err := topology.Parse("mesh:4x4")
	require.NoError(t, err)
	require.Zero(t, gossipCuts(grid, m, ones[:16]), "corners are as narrow")
	require.EqualValues(t, 20+1, gossipCuts(grid, m, append([]int{20}, make([]int, 15)...)))
	require.Zero(t, gossipCuts(joined, m, make([]int, 32)))
}

// With links alone the search finds what all parts of the nodes come to, one by one.
func TestGossipCutsAreThoseOfAllParts(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Channels = machine.Links
	random := rand.New(rand.NewPCG(5, 1))
	wide := 0
	for i := range 200 {
		topo := randomGraph(t, random, 3+random.IntN(6))
		if i%4 == 0 {
			topo = graph(t, cliques(4, 1+i%8/4))
		}
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = random.IntN(9)
		}
		lengths[0]++
		most, alone := 0, 0 // alone: of the parts without one node
		for part := 1; part < 1<<topo.Nodes()-1; part++ {
			words, out := 0, 0
			size := 0
			for n, length := range lengths {
				if part>>n&1 == 1 {
					words += length
					size++
				}
			}
			for _, l := range topo.Links() {
				if part>>l.From&1 == 1 && part>>l.To&1 == 0 {
					out++
				}
			}
			if q := (words + out - 1) / out; size == topo.Nodes()-1 {
				alone = max(alone, q)
			} else {
				most = max(most, q)
			}
		}
		require.EqualValues(t, max(most, alone), mostAcross(topo, m, topo.Links(), lengths))
		if most > alone {
			wide++
		}
	}
	require.Greater(t, wide, 20, "parts of all sizes matter")
}

// No schedule is faster than the bound: it is held against all schedules on small networks.
func TestGossipCutsAgainstAllSchedules(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	met := 0
	for i := range 40 {
		nodes := 3 + random.IntN(2)
		topo := randomGraph(t, random, nodes)
		lengths := make([]int, nodes)
		for range 1 + random.IntN(4) {
			lengths[random.IntN(nodes)]++
		}
		single := i%2 == 1
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Channels = machine.Links
		if single {
			m.Ports = machine.SinglePort
		}
		least := leastSharing(topo, single, lengths)
		require.LessOrEqual(t, Gossip(topo, m, lengths).Cycles, least, "%v %v", topo, lengths)
		if router.Cycle(mostAcross(topo, m, topo.Links(), lengths))+1 == least {
			met++
		}
	}
	require.Greater(t, met, 10, "the cut is seldom met")
}
