// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

// spread is the least sum of the lengths of the edges of slots j to h of any way to
// bring a word from node 0 to all nodes, by trying all: in each slot every node
// that has it sends at most each[0] messages of price cost[0], each[1] of cost[1] ...
func spread(nodes, root, h, j int, each []int, cost []func(from, to int) int) int {
	full := 1<<nodes - 1
	now := slices.Repeat([]int{math.MaxInt}, full+1)
	now[1<<root] = 0
	for slot := 1; slot <= h; slot++ {
		next := slices.Clone(now)
		for have, price := range now {
			if price == math.MaxInt {
				continue
			}
			for new, least := range reached1(nodes, have, each, cost) {
				if least < math.MaxInt {
					if slot < j {
						least = 0
					}
					next[have|new] = min(next[have|new], price+least)
				}
			}
		}
		now = next
	}
	return now[full]
}

// reached1 is the least price, by set of new nodes, of one slot.
func reached1(nodes, have int, each []int, cost []func(from, to int) int) map[int]int {
	least := map[int]int{0: 0}
	for from := range nodes {
		if have>>from&1 == 0 {
			continue
		}
		for way := range each {
			for range each[way] {
				for set, price := range cloned(least) {
					for to := range nodes {
						if bit := 1 << to; have&bit == 0 && set&bit == 0 {
							sum := price + cost[way](from, to)
							if old, ok := least[set|bit]; !ok || sum < old {
								least[set|bit] = sum
							}
						}
					}
				}
			}
		}
	}
	return least
}

func cloned(m map[int]int) map[int]int {
	c := make(map[int]int, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// ways are the two directions of a ring.
func ways(n int) []func(from, to int) int {
	return []func(int, int) int{
		func(from, to int) int { return (to - from + n) % n },
		func(from, to int) int { return (from - to + n) % n },
	}
}

func TestRingLoadIsTheLeastOfAllTrees(t *testing.T) {
	for _, row := range []struct{ n, h int }{{3, 1}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {7, 3}, {8, 2}, {8, 3}, {6, 5}, {9, 2}, {8, 4}} {
		least := spread(row.n, 0, row.h, 1, []int{1, 1}, ways(row.n))
		require.Equal(t, least, RingLoad(row.n, row.h, 1), "%v", row)
		for j := 2; j <= row.h; j++ {
			require.LessOrEqual(t, RingLoad(row.n, row.h, j), spread(row.n, 0, row.h, j, []int{1, 1}, ways(row.n)), "%v slot %d", row, j)
		}
	}
	require.Equal(t, math.MaxInt, RingLoad(10, 2, 1))
	require.Equal(t, 9*4/3, RingLoad(9, 2, 1)) // a full tree passes 2/3 of a node a slot
	require.Equal(t, 4095, RingLoad(4096, 2048, 1))
}

func TestGridLoadIsBelowAllTrees(t *testing.T) {
	for _, spec := range soak.Some(2, []string{"ring:7", "path:6", "torus:3x3", "mesh:3x3", "torus:2x4", "mesh:2x4", "hypercube:3"}) {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		balls := ballSizes(topo)
		require.Equal(t, topo.Nodes(), balls[len(balls)-1])
		g := 0
		for n := range router.NodeID(topo.Nodes()) {
			g = max(g, topo.Degree(n))
		}
		far := func(from, to int) int { return int(reach(topo, router.NodeID(from)).distance[to]) }
		for h := 2; h <= 3; h++ {
			for j := 1; j <= h; j++ {
				least := spread(topo.Nodes(), 0, h, j, []int{g}, []func(int, int) int{far})
				require.LessOrEqual(t, GridLoad(topo.Nodes(), g, balls, h, j), least, "%s %d slots from %d", spec, h, j)
			}
		}
	}
}

func TestBallsHoldWhatASearchFinds(t *testing.T) {
	for _, spec := range []string{"ring:8", "path:5", "torus:4x5", "mesh:3x4", "torus:2x3x4", "hypercube:4", "ring:2", "path:1"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		most := make([]int, topo.Nodes())
		for n := range router.NodeID(topo.Nodes()) {
			for k := range most {
				within := 0
				for _, d := range reach(topo, n).distance {
					if int(d) <= k {
						within++
					}
				}
				most[k] = max(most[k], within)
			}
		}
		for k, size := range ballSizes(topo) {
			require.Equal(t, most[k], size, "%s within %d", spec, k)
		}
	}
}

// Simple facts that the bound must not lose, and cannot exceed.
// On ring:9 with startup 20, flit 4 and one word a block: of two slots, the second begins 21 cycles after the first, and its edges have 6 links for each word. The 18 links carry
// 9 * 6 words in 3 * 4 cycles, until 21 + 20 + 1 + 12 = 54. With a single port 9 links work at once. The edges of both slots have 12 links, which takes until 20 + 1 + 12 * 4 = 69; three slots
// end in cycle 67.
func TestSlotsOfSinglePorts(t *testing.T) {
	topo, err := topology.Parse("ring:9")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Flit = 20, 4
	require.Equal(t, router.Cycle(54), GossipSlots(topo, m, 9))
	m.Ports = machine.SinglePort
	require.Equal(t, router.Cycle(67), GossipSlots(topo, m, 9))
}

func TestGossipSlotsBetweenSimpleBounds(t *testing.T) {
	for _, n := range []int{2, 3, 9, 27, 100, 1024} {
		for _, startup := range []int{0, 1, 30, 1000, 100000} {
			for _, length := range []int{1, 16} {
				m, err := machine.Preset("wormhole")
				require.NoError(t, err)
				m.Startup = startup
				topo, err := topology.Parse(fmt.Sprintf("ring:%d", n))
				require.NoError(t, err)
				got := int(GossipSlots(topo, m, n*length))
				rounds := int(math.Ceil(math.Log(float64(n))/math.Log(3) - 1e-9))
				require.GreaterOrEqual(t, got, rounds*(startup+1))
				if n > 2 {
					require.GreaterOrEqual(t, got, startup+1+(n-1)*length/2)
					require.LessOrEqual(t, got, rounds*(startup+1)+n*length*rounds+n) // three powers, one after the other
				}
			}
		}
	}
}

// In a grid with equal blocks it is hardest to gather at node 0.
func TestNodeZeroIsTheHardestOfGrids(t *testing.T) {
	for _, spec := range []string{"path:2", "path:7", "ring:6", "mesh:3x5", "mesh:4x1x3", "torus:2x5", "torus:4x4", "mesh:2x3x4", "hypercube:4"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		lengths := slices.Repeat([]int{3}, topo.Nodes())
		for _, preset := range []string{"wormhole", "bufferless"} {
			for _, channels := range []int{1, machine.Links} {
				m, err := machine.Preset(preset)
				require.NoError(t, err)
				m.Startup, m.Channels = 4, channels
				first := reach(topo, 0).gather(topo, m, 0, lengths)
				for n := range router.NodeID(topo.Nodes()) {
					require.LessOrEqual(t, reach(topo, n).gather(topo, m, n, lengths), first, "%s node %d", spec, n)
				}
			}
		}
	}
}

// Round a ring the intervals of RingLoad say more than the balls of GridLoad.
func TestRingLoadIsNeverBelowGridLoad(t *testing.T) {
	for _, n := range []int{3, 8, 9, 20, 81, 100, 365} {
		topo, err := topology.Parse(fmt.Sprintf("ring:%d", n))
		require.NoError(t, err)
		balls := ballSizes(topo)
		for h := 1; h <= n/2+1; h++ {
			for j := 1; j <= h && j < 8; j++ {
				require.GreaterOrEqual(t, RingLoad(n, h, j), GridLoad(n, 2, balls, h, j), "%d nodes, slots %d to %d", n, j, h)
			}
		}
	}
}

func TestGossipStepsIsSharperThanSlots(t *testing.T) {
	for _, spec := range []string{"ring:9", "ring:100", "ring:1024", "path:30", "torus:8x8", "torus:5x9", "mesh:4x4", "hypercube:5", "ring:2"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, startup := range []int{0, 7, 100, 3000} {
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			m.Startup = startup
			steps, slots := GossipSteps(topo, m, 10*topo.Nodes()), GossipSlots(topo, m, 10*topo.Nodes())
			require.GreaterOrEqual(t, steps, slots-1-router.Cycle(2*bitsOf(topo.Nodes())), "%s startup %d", spec, startup) // a slot is s+1 cycles, a step s + hop - 1 and flits
		}
	}
	topo, err := topology.Parse("ring:9")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Channels = 1000, machine.Links
	require.EqualValues(t, 2*1000+600+1, GossipSteps(topo, m, 900)) // two steps with all factors 3 meet it
}

func bitsOf(n int) int {
	bits := 0
	for ; n > 0; n /= 2 {
		bits++
	}
	return bits
}
