// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// The links that leave the branches of a spanning tree are those that are found by looking at each link and each branch.
func TestLinksThatLeaveBranches(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0x6c656176))
		topo := randomGraph(t, random, 2+random.IntN(9))
		tree := topology.BreadthFirst(topo, router.NodeID(random.IntN(topo.Nodes())))
		within := func(branch, n router.NodeID) bool {
			for ; n != router.None; n = tree.Parent[n] {
				if n == branch {
					return true
				}
			}
			return false
		}
		want := make([]router.Cycle, topo.Nodes())
		for branch := range want {
			for _, l := range topo.Links() {
				if within(router.NodeID(branch), l.From) && !within(router.NodeID(branch), l.To) {
					want[branch]++
				}
			}
		}
		require.Equal(t, want, leaving(topo, tree), "seed %d", seed)
	}
}

// No routes are better than the cuts say.
func TestNoRoutesAreBelowTheirCuts(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0x63757473))
		topo := randomGraph(t, random, 3+random.IntN(8))
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = random.IntN(4)
		}
		for _, ports := range []machine.Regime{machine.AllPort, machine.SinglePort} {
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			m.Ports = ports
			require.LessOrEqual(t, newExchanged(topo, m, lengths).cuts(), router.Cycle(busiest(topo, random, ports, lengths))+1, "seed %d, ports %s", seed, ports)
		}
	}
}

// Where two groups of nodes are joined by one link, or by two, all words between the groups cross it, on large networks, too, where no prices are looked for.
func TestGroupsBehindFewLinks(t *testing.T) {
	for _, row := range []struct{ nodes, links int }{{5, 1}, {5, 2}, {40, 1}} {
		topo := graph(t, cliques(row.nodes, row.links))
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Ports, m.Channels, m.Startup, m.Hop = machine.AllPort, machine.Links, 20, 3
		lengths, words := slices.Repeat([]int{3}, 2*row.nodes), 3*row.nodes*row.nodes
		require.GreaterOrEqual(t, Exchange(topo, m, lengths).Cycles, 20+3+router.Cycle(words+row.links-1)/router.Cycle(row.links))
		if row.links == 1 {
			require.EqualValues(t, 20+3+words, newExchanged(topo, m, lengths).cuts())
		}
	}
}

// allCuts is the bound by the best of all cuts.
func allCuts(x *exchanged) (best router.Cycle) {
	s := newSide(x)
	for step := 1; step < 1<<(len(s.inside)-1); step++ { // all sets without the last node, one node at a time (Gray code)
		s.move(router.NodeID(bits.TrailingZeros(uint(step))))
		best = max(best, x.across(s.nodes, s.words, s.ways(), s.links))
	}
	return best
}

// The cuts that are looked at are mostly the best of all, and never better.
func TestGrownCutsAgainstAllCuts(t *testing.T) {
	found := 0
	const graphs = 200
	for seed := range uint64(graphs) {
		random := rand.New(rand.NewPCG(seed, 0x67726f77))
		topo := randomGraph(t, random, 3+random.IntN(9))
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = 1 + random.IntN(4)
		}
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Ports = []machine.Regime{machine.AllPort, machine.SinglePort}[seed%2]
		x := newExchanged(topo, m, lengths)
		grown, all := x.grownCuts(), allCuts(x)
		require.LessOrEqual(t, grown, all, "seed %d", seed)
		if grown == all {
			found++
		}
	}
	t.Log(found)
	require.Greater(t, found, graphs*95/100)
}

// On a network whose nodes are all alike the bound does not depend on which of them is dead.
func TestAnyDeadNodeIsAsGoodAsAnother(t *testing.T) {
	for _, spec := range []string{"torus:5x5", "ring:7", "star:4"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Channels = machine.Links
		bounds := map[router.Cycle][]int{}
		for dead := range topo.Nodes() {
			var edges [][2]int
			number := func(n router.NodeID) int {
				if int(n) > dead {
					return int(n) - 1
				}
				return int(n)
			}
			for l := range topo.EachLink() {
				if l.From < l.To && int(l.From) != dead && int(l.To) != dead {
					edges = append(edges, [2]int{number(l.From), number(l.To)})
				}
			}
			time := Exchange(graph(t, edges), m, slices.Repeat([]int{16}, topo.Nodes()-1)).Cycles
			bounds[time] = append(bounds[time], dead)
		}
		require.Len(t, bounds, 1, "%s: %v", spec, bounds)
	}
}
