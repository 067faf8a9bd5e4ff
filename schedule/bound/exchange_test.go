// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

func ones(nodes int) []int { return slices.Repeat([]int{1}, nodes) }

func TestExchangeByHand(t *testing.T) {
	oneChannel := []string{"ports", "all", "nic.channels", "1"}
	for _, row := range []struct {
		name, spec string
		settings   []string
		lengths    []int
		want       router.Cycle
	}{
		{"nothing to do", "path:4", oneChannel, []int{0, 0, 0, 0}, 0},
		{"one node", "path:1", oneChannel, []int{7}, 0},
		{"two nodes", "path:2", oneChannel, []int{3, 5}, 6},
		{"the middle of a path", "path:8", oneChannel, ones(8), 4*4 + 1},
		{"one source only: its channel", "path:3", oneChannel, []int{2, 0, 0}, 4 + 1},
		{"startup, hop and flit", "path:2", append([]string{"startup", "5", "hop", "3", "flit", "2"}, oneChannel...), []int{4, 1}, 5 + 8 + 3},
		{"half duplex", "path:2", append([]string{"nic.duplex", "half"}, oneChannel...), []int{4, 4}, 8},
		{"half duplex, one port", "complete:3", []string{"nic.duplex", "half", "nic.channels", "links", "ports", "single"}, []int{2, 2, 2}, 8},
		{"a ring of one port", "ring:4", []string{"ports", "single"}, ones(4), 4 + 1},
		{"a tree's edge", "path:2", oneChannel, []int{4, 1}, 4 + 1},
		{"a node with two links for 12 flits each, one of them idle in the first cycle", "path:7", oneChannel, ones(7), 3*4 + 1 + 1},
		{"the same, 6 flits each", "path:5", oneChannel, ones(5), 2*3 + 1 + 1},
		{"the root of a tree, 12 flits each", "binary:2", oneChannel, ones(7), 3*4 + 1 + 1},
		{"three hops, in which one of two links is idle", "binary:2", append([]string{"hop", "3"}, oneChannel...), ones(7), 12 + 3 + 2},
		{"a channel per link: none is idle", "binary:2", []string{"ports", "all", "nic.channels", "links"}, ones(7), 12 + 1},
		{"channels: 15+ceil(32/15)", "torus:4x4", oneChannel, ones(16), 18},
		{"links, all of them, but for the first and last cycles", "torus:10x10", oneChannel, ones(100), 125 + 4},
		{"links alone", "torus:10x10", []string{"ports", "all", "nic.channels", "links"}, ones(100), 125 + 1},
		{"channels, long", "torus:4x8", oneChannel, ones(32), 31 + 4},
		{"one dimension's links", "torus:3x16", oneChannel, ones(48), 96 + 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			topo := parse(t, row.spec)
			given := slices.Clone(row.lengths)
			require.Equal(t, row.want, bound.Exchange(topo, preset(t, "bufferless", row.settings...), row.lengths).Cycles)
			require.Equal(t, given, row.lengths, "the lengths are the caller's")
		})
	}
}

// The floor of square tori with one channel and single flits, n = 2..10. That of
// channels and of links apart is 5, 10, 18, 27, 39, 52, 68, 91, 126.
func TestExchangeOnSquareTori(t *testing.T) {
	for i, want := range []router.Cycle{5, 10, 18, 27, 39, 52, 68, 94, 129} {
		topo := parse(t, fmt.Sprintf("torus:%dx%d", i+2, i+2))
		require.Equal(t, want, bound.Exchange(topo, preset(t, "bufferless", "ports", "all", "nic.channels", "1"), ones(topo.Nodes())).Cycles)
	}
}

// pending is one message of a brute-force search.
type pending struct {
	at, to router.NodeID
	inAir  bool
	done   bool
}

// fastest finds the least time of an exchange of single flits by trying
// everything that flits can do, waiting on the way included: a bound must not
// be above it. It returns limit+1 when it takes longer than limit.
func fastest(t *topology.Topology, m machine.Machine, limit int) int {
	var all []pending
	for a := range router.NodeID(t.Nodes()) {
		for b := range router.NodeID(t.Nodes()) {
			if a != b {
				all = append(all, pending{at: a, to: b})
			}
		}
	}
	level := map[string][]pending{key(all): all}
	for cycle := 1; cycle <= limit; cycle++ {
		next := map[string][]pending{}
		for _, state := range level {
			step(t, m, state, 0, slices.Clone(state), map[[3]router.NodeID]bool{}, next)
		}
		for _, state := range next {
			if !slices.ContainsFunc(state, func(p pending) bool { return !p.done }) {
				return cycle + 1
			}
		}
		level = next
	}
	return limit + 1
}

func key(state []pending) string { return fmt.Sprint(state) }

// step lets message i, and those behind it, stay or cross a link.
func step(t *topology.Topology, m machine.Machine, old []pending, i int, state []pending, used map[[3]router.NodeID]bool, next map[string][]pending) {
	if i == len(old) {
		next[key(state)] = slices.Clone(state)
		return
	}
	step(t, m, old, i+1, state, used, next)
	p := old[i]
	if p.done {
		return
	}
	for port := range router.Port(t.Ports(p.at)) {
		to := t.Neighbor(p.at, port)
		if to == router.None {
			continue
		}
		needs := [][3]router.NodeID{{0, p.at, to}}
		if m.Ports == machine.SinglePort {
			needs = append(needs, [3]router.NodeID{1, p.at}, [3]router.NodeID{2, to})
		}
		if !p.inAir && m.Channels == 1 {
			needs = append(needs, [3]router.NodeID{3, p.at})
		}
		if to == p.to && m.Channels == 1 {
			needs = append(needs, [3]router.NodeID{4, to})
		}
		if slices.ContainsFunc(needs, func(k [3]router.NodeID) bool { return used[k] }) {
			continue
		}
		for _, k := range needs {
			used[k] = true
		}
		state[i] = pending{at: to, to: p.to, inAir: true, done: to == p.to}
		step(t, m, old, i+1, state, used, next)
		state[i] = p
		for _, k := range needs {
			delete(used, k)
		}
	}
}

func TestExchangeIsNeverAboveTheFastest(t *testing.T) {
	for _, row := range []struct {
		spec  string
		tight bool
	}{{"path:2", true}, {"path:3", false}, {"ring:3", true}, {"hub:3", false}} {
		for _, settings := range [][]string{{"ports", "all", "nic.channels", "1"}, {"ports", "all", "nic.channels", "links"}, {"ports", "single"}} {
			topo, m := parse(t, row.spec), preset(t, "bufferless", settings...)
			fast, least := fastest(topo, m, 6), int(bound.Exchange(topo, m, ones(topo.Nodes())).Cycles)
			require.LessOrEqual(t, least, fast, "%s %v", row.spec, settings)
			require.Positive(t, least)
			if row.tight {
				require.Equal(t, fast, least, "%s %v", row.spec, settings)
			}
		}
	}
}

// What more has to be done takes no less time.
func TestExchangeGrowsWithLengths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	specs := []string{"path:5", "ring:6", "mesh:3x4", "torus:4x4", "binary:3", "random:9,3", "hypercube:3"}
	for range 300 {
		topo := parse(t, specs[random.IntN(len(specs))])
		m := preset(t, "wormhole", "nic.channels", []string{"1", "links"}[random.IntN(2)], "hop", fmt.Sprint(1+random.IntN(3)),
			"flit", fmt.Sprint(1+random.IntN(3)), "startup", fmt.Sprint(random.IntN(5)))
		less, more := make([]int, topo.Nodes()), make([]int, topo.Nodes())
		for n := range less {
			less[n] = random.IntN(4)
			more[n] = less[n] + random.IntN(2)
		}
		require.LessOrEqual(t, bound.Exchange(topo, m, less).Cycles, bound.Exchange(topo, m, more).Cycles)
	}
}
