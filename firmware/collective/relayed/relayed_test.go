// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// specs are small networks, regular ones and others.
var specs = []string{"path:7", "mesh:3x4", "ring:6", "random-tree:9,3", "hypercube:4", "random:12,3,4", "comb:3x2", "complete:5", "path:2", "debruijn:3", "hub:5", "torus:2x3"}

// job is a random machine on a network, with the words of each source.
func job(t *testing.T, random *rand.Rand) (*topology.Topology, machine.Machine, []int) {
	t.Helper()
	topo, err := topology.Parse(specs[random.IntN(len(specs))])
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	pick := func(key string, values ...string) { require.NoError(t, m.Set(key, values[random.IntN(len(values))])) }
	pick("ports", "all", "single")
	pick("nic.channels", "1", "links")
	pick("nic.duplex", "full", "half")
	pick("startup", "0", "1", "12", "60")
	pick("hop", "1", "3")
	pick("flit", "1", "2")
	pick("buffer", "1", "4", "16")
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	words := make([]int, topo.Nodes())
	for v := range words {
		words[v] = random.IntN(4)
	}
	words[random.IntN(len(words))] = 5
	return topo, m, words
}

// routes are those of a machine.
func routes(t *testing.T, topo *topology.Topology, m machine.Machine) *fabric.Routes {
	t.Helper()
	net, err := fabric.NewRoutes(topo, m)
	require.NoError(t, err)
	return net
}

// forever is a try that nothing ends.
func forever(how Try) Try {
	how.Limit, how.Work, how.Ended = never, math.MaxInt, func() bool { return false }
	return how
}

// Messages of all tries do not meet, bring what their senders have by then, no more words than allowed, and bring every block to its destination once.
func TestSchedulesBringAllBlocks(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0x72656c61796564))
		topo, m, words := job(t, random)
		b := newTrees(topo, m, words)
		for range random.IntN(3) {
			b.balance()
		}
		ways := b.long(1+random.IntN(3), routes(t, topo, m))
		for _, how := range []Try{{Most: math.MaxInt}, {Most: 1}, {Most: 7}, {Most: math.MaxInt, Rounds: true}, {Most: 9, Rounds: true}, {Most: math.MaxInt, Least: 6}, {Most: 20, Least: 12}} {
			made := ways.Run(topo, m, words, forever(how))
			follow(t, topo, m, words, how, &made)
			require.Positive(t, made.Cycles)
			again := ways.Run(topo, m, words, forever(how))
			require.Equal(t, made, again)
			how = forever(how)
			how.Limit = made.Cycles
			require.Zero(t, ways.Run(topo, m, words, how).Cycles, "as long as the limit")
			how.Limit++
			require.Equal(t, made.Cycles, ways.Run(topo, m, words, how).Cycles)
			how.Work = made.Work / 2
			require.Zero(t, ways.Run(topo, m, words, how).Cycles, "too much work")
		}
	}
}

// follow books the messages of a schedule, and follows its blocks.
func follow(t *testing.T, topo *topology.Topology, m machine.Machine, words []int, how Try, made *Schedule) {
	t.Helper()
	nodes := int32(topo.Nodes())
	book := booking.NewBook(topo, m).Stalling()
	since := make(map[[2]int32]router.Cycle) // by node and block
	for block := range nodes * nodes {
		since[[2]int32{block / nodes, block}] = 0
	}
	last, end := router.Cycle(0), router.Cycle(0)
	for _, x := range made.Messages {
		require.GreaterOrEqual(t, x.Handed, last, "in the order in which they go")
		last = x.Handed
		sum := 0
		for _, block := range x.Blocks {
			at, has := since[[2]int32{x.From, block}]
			require.True(t, has && at <= x.Handed, "block %d is at node %d", block, x.From)
			delete(since, [2]int32{x.From, block})
			since[[2]int32{x.To, block}] = x.Whole
			require.Positive(t, words[block/nodes])
			sum += words[block/nodes]
		}
		require.LessOrEqual(t, sum, max(how.Most, slices.Max(words)))
		handed, whole, ok := book.ReserveAt(router.NodeID(x.From), x.Route, sum, x.Handed)
		require.True(t, ok, "no message in the way")
		require.Equal(t, [2]router.Cycle{x.Handed, x.Whole}, [2]router.Cycle{handed, whole})
		end = max(end, whole+1)
	}
	require.Equal(t, end, made.Cycles)
	for block := range nodes * nodes {
		if words[block/nodes] > 0 {
			require.Contains(t, since, [2]int32{block % nodes, block}, "block %d has arrived", block)
		}
	}
	if how.Rounds {
		inRounds(t, made.Messages)
	}
}

// inRounds checks that a block that arrives in a round does not go on in it: between the two all messages have arrived that had gone.
func inRounds(t *testing.T, messages []Message) {
	t.Helper()
	quiet := func(at router.Cycle) bool { // all that went before it have arrived
		return !slices.ContainsFunc(messages, func(m Message) bool { return m.Handed < at && m.Whole > at })
	}
	arrived := map[int32]router.Cycle{}
	for _, m := range messages {
		for _, block := range m.Blocks {
			if at, again := arrived[block]; again {
				found := false
				for now := at; now <= m.Handed && !found; now++ {
					found = quiet(now)
				}
				require.True(t, found, "a round ends between %d and %d", at, m.Handed)
			}
			arrived[block] = m.Whole
		}
	}
}

// Every block comes to its destination along the legs of a tree, whose loads are those that the trees say.
func TestTreesLeadToTheirRoots(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 0x7472656573))
		topo, m, words := job(t, random)
		b := newTrees(topo, m, words)
		for sweep := range 5 {
			if sweep == 1 {
				b.again()
			}
			load := make([]int, len(b.legs))
			for reach := 1; reach <= 3; reach++ {
				ways := b.long(reach, routes(t, topo, m))
				for from := range int32(b.nodes) {
					for to := range int32(b.nodes) {
						at, links := from, 0
						for place := ways.class(from*int32(b.nodes) + to); at != to; {
							l := ways.legs[ways.next[place+int(at)]]
							require.Equal(t, at, l.from)
							next := l.to
							left := ways.left[place+int(at)]
							require.LessOrEqual(t, len(l.route), reach, "no leg is longer")
							for _, p := range l.route {
								at = int32(topo.Neighbor(router.NodeID(at), p))
							}
							require.Equal(t, next, at)
							if reach == 1 {
								load[ways.next[place+int(l.from)]] += words[from]
							}
							require.Equal(t, left, ways.left[place+int(at)]+1)
							links += len(l.route)
						}
						require.LessOrEqual(t, links, int(b.links[int(to)*b.nodes+int(from)]))
						require.True(t, reach > 1 || links == int(b.links[int(to)*b.nodes+int(from)]))
						if sweep < 2 {
							require.Equal(t, int(topology.BreadthFirst(topo, router.NodeID(to)).Depth[from]), links, "the shortest route")
						}
					}
				}
			}
			require.Equal(t, load, b.load)
			if sweep > 0 {
				b.balance()
			}
		}
	}
}

// Routes of their own are taken as they are given, also around.
func TestAlong(t *testing.T) {
	topo, err := topology.Parse("ring:5")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	var blocks []int32
	var ways [][]router.Port
	want := 0
	for from := range int32(5) {
		for to := range int32(5) {
			if from == to {
				continue
			}
			port := router.Port((from + to) % 2)
			var way []router.Port
			for at := router.NodeID(from); at != router.NodeID(to); at = topo.Neighbor(at, port) {
				way = append(way, port)
			}
			blocks, ways = append(blocks, from*5+to), append(ways, way)
			want += len(way)
		}
	}
	words := []int{1, 1, 1, 1, 1}
	made := Along(topo, blocks, ways).Run(topo, m, words, forever(Try{Most: 1}))
	follow(t, topo, m, words, Try{Most: 1}, &made)
	require.Len(t, made.Messages, want)
	for _, x := range made.Messages {
		block := x.Blocks[0]
		require.Equal(t, []router.Port{router.Port((block/5 + block%5) % 2)}, x.Route)
	}
}

// Balanced routes take no longer than the shortest where all words of a node go through one port, and shortest routes crowd at some nodes.
func TestBalanceEqualizesLoads(t *testing.T) {
	for _, row := range []struct {
		spec, channels string
		times          float64 // less load than shortest routes, at least
	}{{"random:60,4,7", "1", 1.5}, {"debruijn:6", "links", 1.1}, {"mesh:9x9", "links", 1.2}} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		require.NoError(t, m.Set("nic.channels", row.channels))
		m, err = m.Resolve(topo)
		require.NoError(t, err)
		b := newTrees(topo, m, slices.Repeat([]int{1}, topo.Nodes()))
		before, crowded := b.busiest(), b.crowding()
		for range mostSweeps {
			b.balance()
		}
		require.Greater(t, crowded, b.crowding(), row.spec)
		require.GreaterOrEqual(t, float64(before), row.times*float64(b.busiest()), row.spec)
	}
}
