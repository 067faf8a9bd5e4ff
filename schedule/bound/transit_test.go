// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// A node that all words pass is the bottleneck of a single port. The least times of the small exchanges are known
// from exhaustive search.
func TestTransitByHand(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		words      int
		want       router.Cycle
	}{
		{"gossip", "hub:51", 1, 10 + 50*50 + 1},
		{"gossip", "path:3", 2, 10 + 8 + 1},       // the middle sends 4 words to each side
		{"exchange", "path:3", 1, 10 + 2 + 2 + 1}, // its own 2, and 2 that pass it
		{"exchange", "hub:4", 1, 10 + 3 + 6 + 1},
		{"exchange", "hub:8", 1, 10 + 7 + 42 + 1},
	} {
		topo, m := parse(t, row.spec), preset(t, "wormhole", "ports", "single", "startup", "10")
		lengths := slices.Repeat([]int{row.words}, topo.Nodes())
		if row.kind == "gossip" {
			require.LessOrEqual(t, row.want, bound.Gossip(topo, m, lengths).Cycles, row.spec)
		} else {
			require.LessOrEqual(t, row.want, bound.Exchange(topo, m, lengths).Cycles, row.spec)
		}
	}
}

// No gossip of single words among neighbours on a single port beats the bound: all schedules of small trees are tried.
func TestGossipTransitAgainstAllSchedules(t *testing.T) {
	for _, spec := range []string{"path:3", "path:4", "hub:4", "ring:4"} {
		topo := parse(t, spec)
		least := leastGossip(topo)
		lower := bound.Gossip(topo, preset(t, "wormhole", "ports", "single"), slices.Repeat([]int{1}, topo.Nodes())).Cycles
		require.LessOrEqual(t, lower, least, spec)
		if topo.Nodes() < 5 && spec != "ring:4" {
			require.LessOrEqual(t, least-lower, router.Cycle(1), spec)
		}
	}
}

// leastGossip finds the least time of a gossip of one word a node, by a search over all states breadth first: in each
// cycle a node sends at most one word to a neighbour and receives at most one. Without startup a word arrives a cycle later.
func leastGossip(topo *topology.Topology) router.Cycle {
	nodes := topo.Nodes()
	type state [4]uint8
	var start, full state
	for n := range nodes {
		start[n], full[n] = 1<<n, 1<<nodes-1
	}
	level := map[state]bool{start: true}
	for time := router.Cycle(1); ; time++ {
		next := map[state]bool{}
		for s := range level {
			if s == full {
				return time // the last word is delivered in cycle time-1
			}
			var step func(n int, now state, taken int)
			step = func(n int, now state, taken int) {
				if n == nodes {
					next[now] = true
					return
				}
				step(n+1, now, taken)
				for p := range router.Port(topo.Ports(router.NodeID(n))) {
					v := topo.Neighbor(router.NodeID(n), p)
					if v == router.None || taken>>v&1 == 1 {
						continue
					}
					for w := range nodes {
						if s[n]>>w&1 == 1 && s[v]>>w&1 == 0 {
							then := now
							then[v] |= 1 << w
							step(n+1, then, taken|1<<v)
						}
					}
				}
			}
			step(0, s, 0)
		}
		level = next
	}
}

// No all-to-all of single words on a single port beats the bound, and on these trees it is met or missed by a cycle: all schedules are tried.
func TestExchangeTransitAgainstAllSchedules(t *testing.T) {
	for _, spec := range []string{"path:2", "path:3", "path:4", "hub:4", "ring:3", "ring:4"} {
		topo := parse(t, spec)
		least := leastExchange(topo)
		lower := bound.Exchange(topo, preset(t, "wormhole", "ports", "single"), ones(topo.Nodes())).Cycles
		require.LessOrEqual(t, lower, least, spec)
		require.LessOrEqual(t, least-lower, router.Cycle(1), spec)
	}
}

// leastExchange finds the least time of an all-to-all of one word for each pair of up to four nodes, by a search over all states breadth first. A state counts
// the words at each node by destination. In each cycle a node sends at most one word to a neighbour that is nearer to the destination, and receives at most one.
func leastExchange(topo *topology.Topology) router.Cycle {
	nodes := topo.Nodes()
	one := func(at, to int) uint32 { return 1 << (2 * (at*nodes + to)) }
	start, distance := uint32(0), make([][]int32, nodes)
	for at := range nodes {
		distance[at] = topology.BreadthFirst(topo, router.NodeID(at)).Depth
		for to := range nodes {
			if at != to {
				start |= one(at, to)
			}
		}
	}
	seen, now := map[uint32]bool{start: true}, []uint32{start}
	for time := router.Cycle(1); ; time++ {
		var next []uint32
		var choose func(at int, left, after uint32, taken int)
		choose = func(at int, left, after uint32, taken int) {
			if at == nodes {
				if state := left + after; !seen[state] {
					seen[state] = true
					next = append(next, state)
				}
				return
			}
			choose(at+1, left, after, taken)
			for to := range nodes {
				if left/one(at, to)&3 == 0 {
					continue
				}
				for p := range router.Port(topo.Ports(router.NodeID(at))) {
					via := topo.Neighbor(router.NodeID(at), p)
					if via == router.None || taken>>via&1 == 1 || distance[to][via] >= distance[to][at] {
						continue
					}
					arrived := uint32(0)
					if int(via) != to {
						arrived = one(int(via), to)
					}
					choose(at+1, left-one(at, to), after+arrived, taken|1<<via)
				}
			}
		}
		for _, state := range now {
			if state == 0 {
				return time
			}
			choose(0, state, 0, 0)
		}
		now = next
	}
}
