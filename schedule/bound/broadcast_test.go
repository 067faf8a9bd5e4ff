// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func TestBroadcastBoundByHand(t *testing.T) {
	for _, row := range []struct {
		spec                      string
		root                      router.NodeID
		words, startup, flit, hop int
		channels                  int
		ports                     machine.Regime
		duplex                    machine.Duplex
		broadcast, reduce         router.Cycle
	}{
		{"path:5", 0, 10, 0, 1, 1, 0, "all", "full", 14, 14},       // one link, four hops
		{"path:5", 2, 10, 7, 1, 1, 0, "all", "full", 23, 22},       // 40 copies over two channels; reversed, 8 flits with the words of one node come to the root on each side, and six with those of two
		{"path:5", 2, 10, 0, 1, 1, 0, "single", "full", 22, 22},    // 20 flits through the root's port, and two hops
		{"path:33", 0, 4, 30, 2, 2, 0, "single", "full", 169, 123}, // reversed, flits that cross a link early have the words of few nodes
		{"ring:8", 0, 10, 0, 1, 1, 0, "all", "full", 9, 9},         // 5 over each link, 4 hops
		{"mesh:4x4", 5, 12, 0, 1, 1, 0, "all", "full", 10, 10},     // corner 15: 6 over each of its links, 4 hops
		{"torus:4x4", 0, 100, 0, 2, 3, 0, "all", "full", 62, 62},   // 25 over each link, 4 hops of 3
		{"hub:5", 0, 10, 0, 1, 1, 1, "single", "full", 41, 41},     // 4 times 10 words
		{"path:2", 0, 1, 100, 1, 1, 1, "all", "half", 102, 102},
		{"complete:16", 0, 1, 99, 1, 1, 1, "all", "full", 401, 0}, // four doublings
		{"complete:4", 0, 30, 0, 1, 1, 1, "all", "half", 47, 47},  // 2*90 flits share four PEs; the root is free for one cycle, and one and two and two pass before the others have a flit
		{"complete:3", 0, 16, 0, 2, 4, 0, "all", "full", 23, 23},  // 9 flits over each link of the root, and 7 from each of the others to the other, from cycle 5 on
		{"path:1", 0, 30, 0, 1, 1, 1, "all", "half", 0, 0},
		{"mesh:4x4", 5, 0, 0, 1, 1, 0, "all", "full", 0, 0},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, _ := machine.Preset("wormhole")
		m.Startup, m.Flit, m.Hop, m.Channels, m.Ports, m.Duplex = row.startup, row.flit, row.hop, row.channels, row.ports, row.duplex
		require.Equal(t, row.broadcast, Broadcast(topo, m, row.root, row.words).Cycles, "broadcast %v", row)
		if row.reduce > 0 || row.broadcast == 0 {
			require.Equal(t, row.reduce, Reduce(topo, m, row.root, row.words).Cycles, "reduce %v", row)
		}
	}
}

// What one node adds to all pieces has to come to their nodes: with one channel a reduce-scatter takes as many startups in a row as a broadcast.
func TestReduceScatterGrowsAsAScatter(t *testing.T) {
	for _, row := range []struct {
		spec           string
		words, startup int
		bound          Argument
	}{
		{"complete:16", 16, 99, Argument{412, ByStartups}}, // four startups in a row, and 8, 4, 2 and 1 words
		{"complete:16", 1, 99, Argument{115, ByGrowth}},    // one piece: 15 words come to its node
		{"complete:5", 5, 0, Argument{5, ByDistance}},
		{"path:3", 3, 10, Argument{23, ByGrowth}}, // two startups, the second for the other end
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, _ := machine.Preset("wormhole")
		m.Startup, m.Channels, m.Ports = row.startup, 1, machine.SinglePort
		require.Equal(t, row.bound, ReduceScatter(topo, m, row.words).Arguments()[0], "%v", row)
	}
}

// On tiny networks without startup the bound is held against the least time of
// all schedules, found by going through every choice of every link in every
// cycle; there a worm that passes a node is no faster than its flits one by one.
func TestBroadcastBoundAgainstAllSchedules(t *testing.T) {
	met := 0
	for _, row := range []struct {
		spec  string
		words int
	}{
		{"path:2", 3}, {"path:3", 1}, {"path:3", 3}, {"path:4", 2}, {"ring:3", 3}, {"ring:4", 1}, {"ring:4", 2}, {"ring:5", 2}, {"hub:4", 2}, {"complete:4", 2},
		{"mesh:2x2", 3}, {"mesh:2x3", 1},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		for _, ports := range []machine.Regime{machine.AllPort, machine.SinglePort} {
			m, _ := machine.Preset("wormhole")
			m.Ports = ports
			for root := range router.NodeID(topo.Nodes()) {
				t.Run(fmt.Sprintf("%s/%d/%s/%d", row.spec, row.words, ports, root), func(t *testing.T) {
					least := leastBroadcast(topo, ports == machine.SinglePort, root, row.words)
					b := Broadcast(topo, m, root, row.words).Cycles
					require.LessOrEqual(t, b, least)
					if b == least {
						met++
					}
				})
			}
		}
	}
	require.Greater(t, met, 40, "the bound is seldom met")
}

// leastBroadcast is the least time in which all nodes get the root's words.
func leastBroadcast(topo *topology.Topology, single bool, root router.NodeID, words int) router.Cycle {
	lengths := make([]int, topo.Nodes())
	lengths[root] = words
	return leastSharing(topo, single, lengths)
}

// leastSharing is the least time in which all nodes get the words of all. It goes through all states: which node has which words.
func leastSharing(topo *topology.Topology, single bool, lengths []int) router.Cycle {
	links := topo.Links()
	words, start := 0, uint32(0)
	for _, length := range lengths {
		words += length
	}
	first := 0
	for n, length := range lengths {
		start |= (uint32(1)<<length - 1) << (n*words + first)
		first += length
	}
	full := uint32(1)<<(topo.Nodes()*words) - 1
	states := map[uint32]bool{start: true}
	for time := router.Cycle(1); ; time++ {
		next := map[uint32]bool{}
		for before := range states {
			if before == full {
				return time
			}
			var choose func(i int, after, sent, took uint32)
			choose = func(i int, after, sent, took uint32) {
				if i == len(links) {
					next[after] = true
					return
				}
				from, to := int(links[i].From), int(links[i].To)
				useful := false
				if !single || sent>>from&1 == 0 && took>>to&1 == 0 {
					for w := range words {
						if before>>(from*words+w)&1 == 1 && after>>(to*words+w)&1 == 0 {
							useful = true
							choose(i+1, after|1<<(to*words+w), sent|1<<from, took|1<<to)
						}
					}
				}
				if !useful || single { // with all ports idling is no use
					choose(i+1, after, sent, took)
				}
			}
			choose(0, before, 0, 0)
		}
		states = undominated(next)
	}
}

// undominated drops states in which every node has less than in another.
func undominated(states map[uint32]bool) map[uint32]bool {
	kept := map[uint32]bool{}
next:
	for a := range states {
		for b := range states {
			if a != b && a&b == a {
				continue next
			}
		}
		kept[a] = true
	}
	return kept
}

// The spread is held against all ways to send one word between nodes that are
// all neighbours: whoever has it and a free channel sends or waits a cycle.
func TestSpreadAgainstAllSchedules(t *testing.T) {
	for nodes := 1; nodes <= 7; nodes++ {
		for period := router.Cycle(1); period <= 4; period++ {
			for flight := router.Cycle(1); flight <= 4; flight++ {
				last, informed := router.Cycle(0), 1
				for _, w := range spreadTimes(slices.Repeat([]int{1}, nodes), period, flight) {
					last, informed = w.at, informed+w.nodes
				}
				require.Equal(t, leastSpread(nodes, period, flight), last, "%d nodes, period %d, flight %d", nodes, period, flight)
				require.Equal(t, nodes, informed)
			}
		}
	}
}

// The growth with distances is held against all ways to send one word over a path or ring, when messages never meet: whoever has the word sends
// it to any node, message after message.
func TestGrowthOverDistancesAgainstAllSchedules(t *testing.T) {
	met := 0
	for _, spec := range []string{"path:4", "path:6", "ring:5", "ring:7", "mesh:2x3", "hub:5"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, startup := range []int{0, 2, 5} {
			for _, hop := range []int{1, 3, 9} {
				m, _ := machine.Preset("wormhole")
				m.Channels, m.Startup, m.Hop = 1, startup, hop
				r := reach(topo, 0)
				bound, least := r.informed(topo, m, nil, period(&m)), leastGrowth(topo, m)
				require.LessOrEqual(t, bound, least, "%s, startup %d, hop %d", spec, startup, hop)
				if bound == least {
					met++
				}
			}
		}
	}
	require.Greater(t, met, 20)
}

// leastGrowth is the least cycle in which all nodes have a word of node 0: it goes through all orders in which holders send it.
func leastGrowth(topo *topology.Topology, m machine.Machine) router.Cycle {
	nodes := topo.Nodes()
	var distance [][]int32
	for n := range router.NodeID(nodes) {
		distance = append(distance, reach(topo, n).distance)
	}
	best, model := router.Cycle(1<<30), timingOf(m)
	free := slices.Repeat([]router.Cycle{-1}, nodes) // when a holder can send
	free[0] = 0
	var try func(from int, last router.Cycle)
	try = func(from int, last router.Cycle) {
		switch {
		case last >= best:
			return
		case !slices.Contains(free, -1):
			best = last
			return
		case from == nodes:
			return
		}
		try(from+1, last) // it sends no more
		if free[from] < 0 {
			return
		}
		at := free[from]
		for to := range nodes {
			if free[to] >= 0 {
				continue
			}
			there := at + model.UntilWhole(int(distance[from][to]), 1)
			free[from], free[to] = at+period(&m), there
			if to < from { // it comes before the sender in the order of nodes
				try(to, max(last, there))
			} else {
				try(from, max(last, there))
			}
			free[from], free[to] = at, -1
		}
	}
	try(0, 0)
	return best
}

// leastSpread tries every order in which free nodes are given to informed ones.
func leastSpread(nodes int, period, flight router.Cycle) router.Cycle {
	best := router.Cycle(1 << 30)
	var try func(free []router.Cycle, last router.Cycle)
	try = func(free []router.Cycle, last router.Cycle) {
		if last >= best {
			return
		}
		if len(free) == nodes {
			best = last
			return
		}
		for i, at := range free { // i sends next, as soon as it can
			after := append(append([]router.Cycle(nil), free...), at+flight)
			after[i] += period
			try(after, max(last, at+flight))
		}
	}
	try([]router.Cycle{0}, 0)
	return best
}

// Of one word an allreduce is a gossip in which what a node knows is one flit:
// the bound is held against the least time of all choices of who sends where.
func TestAllReduceBoundAgainstAllSchedules(t *testing.T) {
	for _, spec := range []string{"path:2", "path:3", "path:4", "ring:3", "ring:4", "hub:4", "complete:4", "ring:5"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, ports := range []machine.Regime{machine.AllPort, machine.SinglePort} {
			m, _ := machine.Preset("wormhole")
			m.Ports = ports
			require.LessOrEqual(t, AllReduce(topo, m, 1).Cycles, leastAllReduce(topo, ports == machine.SinglePort), "%s, ports %s", spec, ports)
		}
	}
}

// A node with a single port between the parts of a network sends all words to each part, those of the nodes that are furthest from it, too.
func TestAllReducePartsByHand(t *testing.T) {
	for _, row := range []struct {
		spec                string
		words, startup, hop int
		bound               Argument
	}{
		{"path:5", 10, 0, 1, Argument{24, ByPort}},      // node 2: 20 flits, the first from 2 links away, the last to there
		{"hub:4", 6, 5, 3, Argument{5 + 18 + 9, ByCut}}, // the hub has to send something else than what it passes on; by the port alone 6 for the distances
		{"ring:4", 4, 0, 1, Argument{7, ByVolume}},      // no node holds a ring together
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, _ := machine.Preset("wormhole")
		m.Ports, m.Startup, m.Hop = machine.SinglePort, row.startup, row.hop
		require.Equal(t, row.bound, AllReduce(topo, m, row.words).Arguments()[0], "%v", row)
	}
}

// leastAllReduce goes through all states: which node knows of which.
func leastAllReduce(topo *topology.Topology, single bool) router.Cycle {
	links, nodes := topo.Links(), topo.Nodes()
	start, full := uint32(0), uint32(1)<<(nodes*nodes)-1
	for n := range nodes {
		start |= 1 << (n*nodes + n)
	}
	states := map[uint32]bool{start: true}
	for time := router.Cycle(1); ; time++ {
		next := map[uint32]bool{}
		for before := range states {
			if before == full {
				return time
			}
			var choose func(i int, after, sent, took uint32)
			choose = func(i int, after, sent, took uint32) {
				if i == len(links) {
					next[after] = true
					return
				}
				from, to := int(links[i].From), int(links[i].To)
				known := before >> (from * nodes) & (1<<nodes - 1)
				if !single || sent>>from&1 == 0 && took>>to&1 == 0 {
					choose(i+1, after|known<<(to*nodes), sent|1<<from, took|1<<to)
				}
				if single {
					choose(i+1, after, sent, took)
				}
			}
			choose(0, before, 0, 0)
		}
		states = undominated(next)
	}
}
