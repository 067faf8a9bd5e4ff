// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/stages"
	"meshwright/router"
)

func parse(t testing.TB, spec string) *topology.Topology {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// Each unit comes to every node but its own, once, over its shortest routes.
func TestShortestTrees(t *testing.T) {
	for _, spec := range []string{"path:2", "ring:6", "mesh:3x4", "debruijn:4", "random:20,3,7", "random-tree:17,3", "star:4", "twisted-torus:3x4,1"} {
		topo := parse(t, spec)
		for _, both := range []bool{false, true} {
			s := newShortest(topo, 2, both)
			step := map[[2]int32]int32{} // by node and unit
			for u := range int32(2 * s.nodes) {
				step[[2]int32{u % int32(s.nodes), u}] = 0
			}
			for _, m := range s.messages() {
				require.True(t, slices.IsSorted(m.units))
				adjacent := false
				for p := range router.Port(topo.Ports(router.NodeID(m.from))) {
					adjacent = adjacent || topo.Neighbor(router.NodeID(m.from), p) == router.NodeID(m.to)
				}
				require.True(t, adjacent, "%s: %d > %d", spec, m.from, m.to)
				for _, u := range m.units {
					before, there := step[[2]int32{m.from, u}]
					require.True(t, there, "%s: node %d does not have unit %d", spec, m.from, u)
					require.NotContains(t, step, [2]int32{m.to, u}, spec)
					step[[2]int32{m.to, u}] = before + 1
					require.Equal(t, s.depth[u%int32(s.nodes)][m.to], before+1, spec)
				}
			}
			require.Len(t, step, 2*s.nodes*s.nodes, spec)
		}
	}
}

// Where there is a choice of shortest routes, all links have nearly the same to do; in both directions together, if a reduce-scatter takes them backwards.
func TestLoadsAreEqual(t *testing.T) {
	for _, row := range []struct {
		spec string
		both bool
		most float64 // load of a link, of the average of all links
	}{
		{"debruijn:6", true, 1.06}, {"mesh:8x8", true, 1.04}, {"mesh:6x4x3", true, 1.06}, {"star:4", true, 1.1}, {"twisted-torus:6x6,2", true, 1.1},
		{"torus:5x5", false, 1.15}, {"star:4", false, 1.15}, {"hypercube:5", false, 1.1},
	} {
		topo := parse(t, row.spec)
		s := newShortest(topo, 2, row.both)
		links := make([]int, s.nodes*s.ports)
		for u, tree := range s.trees {
			for v, p := range tree {
				if v != u%s.nodes {
					links[s.link(router.NodeID(v), p)]++
				}
			}
		}
		most, sum, count := 0, 0, 0
		for v := range router.NodeID(s.nodes) {
			for p := range router.Port(topo.Ports(v)) {
				if topo.Neighbor(v, p) == router.None {
					continue
				}
				load := links[s.link(v, p)]
				if row.both {
					load += links[s.link(topo.Neighbor(v, p), topo.BackPort(v, p))]
				}
				most, sum, count = max(most, load), sum+load, count+1
			}
		}
		require.Less(t, float64(most), row.most*float64(sum)/float64(count), row.spec)
	}
}

// patterns are all-gathers of several forms, with their units.
func patterns(t *testing.T) map[string]func(scatters, gathers bool) *pattern {
	grids := map[string]func(scatters, gathers bool) *pattern{}
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup = 20
	for _, spec := range []string{"path:5", "ring:4", "ring:9", "mesh:3x3", "torus:4x3", "torus:4x4", "mesh:2x3x2"} {
		topo := parse(t, spec)
		g := stages.GridOf(topo)
		add := func(spec string, f form) {
			out, err := f.along(g, stages.PaceOf(&m), topo.Nodes())
			require.NoError(t, err)
			grids[fmt.Sprintf("%s %v", spec, f.Form)] = func(scatters, gathers bool) *pattern {
				return newPattern(topo.Nodes(), f.each, out, scatters, gathers)
			}
		}
		for colours := 1; colours <= len(g); colours += max(1, len(g)-1) {
			f := stages.AxisByAxis{Method: stages.Circular(stages.BestAxes(g, 4, colours, 0, &m)), Colours: colours, Dims: len(g)}
			add(spec, form{Form: f, each: 2 * colours})
		}
		if turns, _, found := stages.BestTurns(g, 40, stages.PaceOf(&m)); found {
			add(spec, form{Form: turns, each: 2 * len(g), words: 40})
		}
	}
	topo := parse(t, "random:9,3,2")
	grids["trees"] = func(scatters, gathers bool) *pattern {
		return newPattern(9, 2, newShortest(topo, 2, true).messages(), scatters, gathers)
	}
	grids["alone"] = func(scatters, gathers bool) *pattern {
		return newPattern(9, 2, newShortest(topo, 2, true).alone(), scatters, gathers)
	}
	return grids
}

// A message waits for all that bring one of its units to its sender, of the same half; and in an allreduce a unit's own node waits for all sums of it. Carried out in any order that heeds this, all sums are complete and all nodes
// get them.
func TestPatternsAreComplete(t *testing.T) {
	for name, of := range patterns(t) {
		for _, halves := range [][2]bool{{true, true}, {true, false}, {false, true}} {
			p := of(halves[0], halves[1])
			held := carryOut(t, p, halves[0], lastFirst(p))
			for v := range p.nodes {
				for u := range p.units() {
					own := u%p.nodes == v
					if halves[1] || own {
						require.Len(t, held[[2]int{v, u}], map[bool]int{true: p.nodes, false: 1}[halves[0]], "%s: node %d, unit %d", name, v, u)
					}
				}
			}
		}
	}
}

// lastFirst is an order in which messages of large numbers come early, as far as they do not wait for others.
func lastFirst(p *pattern) (order []int) {
	done := make([]bool, len(p.messages))
	for len(order) < len(done) {
		for i := len(done) - 1; i >= 0; i-- {
			if !done[i] && !slices.ContainsFunc(p.messages[i].after, func(b int32) bool { return !done[b] }) {
				done[i] = true
				order = append(order, i)
				break
			}
		}
	}
	return order
}

// carryOut returns the nodes over which each node has the sum of a unit, by node and unit. Without sums it is the node from which a unit comes.
func carryOut(t *testing.T, p *pattern, sums bool, order []int) map[[2]int]map[int]bool {
	held := map[[2]int]map[int]bool{}
	for v := range p.nodes {
		for u := range p.units() {
			if sums || u%p.nodes == v {
				held[[2]int{v, u}] = map[int]bool{v: true}
			}
		}
	}
	for _, i := range order {
		m := &p.messages[i]
		for _, u := range m.units {
			from, to := [2]int{int(m.from), int(u)}, [2]int{int(m.to), int(u)}
			require.NotEmpty(t, held[from])
			if i >= p.sums {
				held[to] = held[from]
				continue
			}
			for v := range held[from] {
				require.False(t, held[to][v], "counted twice")
				held[to][v] = true
			}
		}
	}
	return held
}

func TestNumbersOfParts(t *testing.T) {
	var list []int
	for parts := 1; parts < 100; parts = next(parts) {
		list = append(list, parts)
	}
	require.Equal(t, []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}, list)
}
