// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// set returns a wormhole machine with settings.
func set(t *testing.T, settings ...string) machine.Machine {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

func TestGossipTreesByHand(t *testing.T) {
	for _, row := range []struct {
		spec     string
		length   int
		settings []string
		least    router.Cycle
	}{
		// Node 1 gets two words from node 2, and sends three to node 0 in other cycles.
		{"path:4", 1, []string{"nic.channels", "links", "nic.duplex", "half"}, 5},
		// The nodes behind the hub need 3 words each by a link.
		{"hub:4", 1, []string{"nic.channels", "links", "hop", "3"}, 3 + 3},
		{"hub:4", 2, []string{"nic.channels", "links", "flit", "2", "startup", "7"}, 7 + 2*6 + 1},
		// With a single port the hub passes its own word on three times, and those of the others twice.
		{"hub:4", 1, []string{"nic.channels", "links", "ports", "single"}, 3 + 3*2 + 1},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		lengths := slices.Repeat([]int{row.length}, topo.Nodes())
		require.Equal(t, row.least, gossipTrees(topo, set(t, row.settings...), lengths, 0), "%v", row)
	}
}

// Half-duplex PEs on a path need the cycles that a SAT solver found at most, and half as many again as the words that come to the ends: where these receive, their neighbours do not.
func TestGossipTreesOfPaths(t *testing.T) {
	m := set(t, "nic.channels", "links", "nic.duplex", "half", "vcs", "1")
	for _, row := range []struct {
		spec        string
		least, most router.Cycle
	}{
		{"path:4", 5, 5}, {"path:6", 8, 8}, {"path:7", 9, 10}, {"path:8", 11, 11}, {"path:10", 14, 15},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		bound := gossipTrees(topo, m, slices.Repeat([]int{1}, topo.Nodes()), 0)
		require.GreaterOrEqual(t, bound, row.least, row.spec)
		require.LessOrEqual(t, bound, row.most, row.spec)
	}
}

// With links alone no prices give more than the narrowest cut (Edmonds, Edge-disjoint branchings, 1973), and the prices that are found give nearly as much.
func TestGossipTreesAndCuts(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	m := set(t, "nic.channels", "links")
	for range 100 {
		topo := randomGraph(t, random, 4+random.IntN(12))
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = 1000 * random.IntN(9)
		}
		lengths[0]++
		cut := mostAcross(topo, m, topo.Links(), lengths) + 1
		trees := int64(gossipTrees(topo, m, lengths, 0))
		require.LessOrEqual(t, trees, cut, "%v", lengths)
		require.GreaterOrEqual(t, float64(trees), 0.95*float64(cut), "%v", lengths)
	}
}

// halfGossip goes through all schedules of half-duplex PEs with a channel for each link, whose messages are single words that may pass nodes, without startup, with a hop of 1.
type halfGossip struct {
	topo  *topology.Topology
	words int
	ways  [][]halfWay // by link: the routes that begin with it
}

// halfWay leads over links to a node.
type halfWay struct {
	links []int
	to    int
}

// mostWay is the links of the longest route that is tried.
const mostWay = 3

// halfState tells what has come, what of it in this cycle, what will come in the next cycles, and which links are taken in this cycle and the next ones.
type halfState struct {
	has, now uint32
	comes    [mostWay]uint32
	taken    [mostWay]uint32
}

func newHalfGossip(topo *topology.Topology, words int) *halfGossip {
	h := &halfGossip{topo: topo, words: words}
	links := topo.Links()
	var grow func(way halfWay, ways *[]halfWay)
	grow = func(way halfWay, ways *[]halfWay) {
		*ways = append(*ways, way)
		for i, l := range links {
			if int(l.From) == way.to && len(way.links) < mostWay && !slices.ContainsFunc(way.links, func(x int) bool { return links[x].From == l.To || links[x].To == l.To }) {
				grow(halfWay{append(slices.Clone(way.links), i), int(l.To)}, ways)
			}
		}
	}
	for i, l := range links {
		var ways []halfWay
		grow(halfWay{[]int{i}, int(l.To)}, &ways)
		h.ways = append(h.ways, ways)
	}
	return h
}

// least returns the least time, at most limit.
func (h *halfGossip) least(lengths []int, limit router.Cycle) router.Cycle {
	links, full, first := h.topo.Links(), uint32(1)<<(h.topo.Nodes()*h.words)-1, 0
	var start halfState
	for n, length := range lengths {
		start.has |= (uint32(1)<<length - 1) << (n*h.words + first)
		first += length
	}
	mine := uint32(1)<<h.words - 1
	states := map[halfState]bool{start: true}
	for time := router.Cycle(0); time < limit; time++ {
		next := map[halfState]bool{}
		for s := range states {
			if s.has == full {
				return time + 1
			}
			var choose func(link int, after halfState)
			choose = func(link int, after halfState) {
				if link == len(links) {
					next[halfState{
						has: after.has | after.comes[0], now: after.comes[0],
						comes: [mostWay]uint32{after.comes[1], after.comes[2]}, taken: [mostWay]uint32{after.taken[1], after.taken[2]},
					}] = true
					return
				}
				choose(link+1, after)
				from := int(links[link].From)
				if s.now>>(from*h.words)&mine != 0 {
					return
				}
				for _, way := range h.ways[link] {
					free := true
					for k, l := range way.links {
						free = free && after.taken[k]>>l&1 == 0
					}
					lacks := s.has >> (from * h.words) & mine &^ ((after.has | after.comes[0] | after.comes[1] | after.comes[2]) >> (way.to * h.words))
					for w := range h.words {
						if free && lacks>>w&1 == 1 {
							own := after
							for k, l := range way.links {
								own.taken[k] |= 1 << l
							}
							own.comes[len(way.links)-1] |= 1 << (way.to*h.words + w)
							choose(link+1, own)
						}
					}
				}
			}
			choose(0, s)
		}
		states = next
	}
	return limit
}

// No schedule is faster than the bound: it is held against all schedules on small networks.
func TestGossipTreesAgainstAllSchedules(t *testing.T) {
	m := set(t, "nic.channels", "links", "nic.duplex", "half", "vcs", "1")
	met := 0
	for _, row := range []struct {
		edges   [][2]int
		lengths []int
	}{
		{[][2]int{{0, 1}, {1, 2}}, []int{1, 1, 1}},
		{[][2]int{{0, 1}, {1, 2}}, []int{2, 0, 1}},
		{[][2]int{{0, 1}, {1, 2}}, []int{0, 3, 1}},
		{[][2]int{{0, 1}, {1, 2}, {0, 2}}, []int{1, 1, 1}},
		{[][2]int{{0, 1}, {1, 2}, {0, 2}}, []int{2, 1, 0}},
		{[][2]int{{0, 1}, {0, 2}, {0, 3}}, []int{1, 1, 1, 0}},
		{[][2]int{{0, 1}, {0, 2}, {0, 3}}, []int{0, 1, 1, 1}},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}}, []int{1, 0, 1, 1}},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}}, []int{0, 2, 1, 0}},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}}, []int{1, 1, 1, 1}},
		{[][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}}, []int{1, 0, 1, 1}},
	} {
		topo, words := graph(t, row.edges), 0
		for _, length := range row.lengths {
			words += length
		}
		least := newHalfGossip(topo, words).least(row.lengths, 12)
		bound := gossipTrees(topo, m, row.lengths, 0)
		require.LessOrEqual(t, bound, least, "%v", row)
		require.LessOrEqual(t, Gossip(topo, m, row.lengths).Cycles, least, "%v", row)
		if bound == least {
			met++
		}
	}
	require.GreaterOrEqual(t, met, 3, "the trees are seldom met")
}
