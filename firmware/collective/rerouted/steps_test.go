// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
)

func graphOf(t testing.TB, spec string) *graph {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return newGraph(t.Context(), topo)
}

// carried follows hops step by step: what each node has in the end. It demands that a link carries one
// unit in a step, and that a node sends only what it has.
func carried(t testing.TB, g *graph, sources [][]int32, hops []hop) []map[int32]bool {
	t.Helper()
	has := make([]map[int32]bool, g.nodes)
	for n := range has {
		has[n] = map[int32]bool{}
	}
	for u, list := range sources {
		for _, n := range list {
			has[n][int32(u)] = true
		}
	}
	hops = slices.Clone(hops)
	slices.SortStableFunc(hops, func(a, b hop) int { return int(a.step) - int(b.step) })
	for from := 0; from < len(hops); {
		to, used := from, map[int32]bool{}
		for ; to < len(hops) && hops[to].step == hops[from].step; to++ {
			h := hops[to]
			require.False(t, used[h.arc], "two units on a link: %v", h)
			require.True(t, has[g.from[h.arc]][h.unit], "a unit that the sender does not have: %v", h)
			used[h.arc] = true
		}
		for _, h := range hops[from:to] {
			has[g.to[h.arc]][h.unit] = true
		}
		from = to
	}
	return has
}

var graphs = []string{"path:2", "path:5", "ring:6", "mesh:3x4", "torus:4x3", "torus:3x3x3", "hypercube:4", "star:4", "complete:5", "debruijn:3", "random:9,3", "binary:2", "hub:6", "twisted-torus:3x4,1"}

// Units for one node each reach it: from one node, to one node, and from all to all.
func TestUnitsReachTheirNodes(t *testing.T) {
	for _, spec := range graphs {
		g := graphOf(t, spec)
		var out, all []unit
		for a := range int32(g.nodes) {
			for b := range int32(g.nodes) {
				if a == b {
					continue
				}
				all = append(all, unit{source: a, to: b})
				for range int(b) % 3 {
					if a == 1 {
						out = append(out, unit{source: a, to: b})
					}
				}
			}
		}
		for _, c := range []struct {
			name  string
			units []unit
			least int
			hops  []hop
		}{
			{"scatter", out, leastScatter(g, out), scatter(g, out)},
			{"scatter along ways", out, leastScatter(g, out), alongWays(g, out)},
			{"gather", turned(out), leastScatter(g, out), gather(g, turned(out))},
			{"exchange", all, leastLoad(g, all), alongWays(g, all)},
		} {
			name := spec + " " + c.name
			require.GreaterOrEqual(t, steps(c.hops), c.least, name)
			for n, got := range carried(t, g, sourcesOf(c.units), c.hops) {
				for u := range c.units {
					if c.units[u].to == int32(n) {
						require.True(t, got[int32(u)], "%s: unit %d at node %d", name, u, n)
					}
				}
			}
		}
		require.LessOrEqual(t, steps(scatter(g, out)), steps(alongWays(g, out)), spec)
	}
}

// Units for all nodes reach them, each node once.
func TestUnitsSpread(t *testing.T) {
	for _, spec := range graphs {
		g := graphOf(t, spec)
		gossip, broadcast, shared := [][]int32{}, slices.Repeat([][]int32{{1}}, 7), [][]int32{{0, 1}, {1}}
		for n := range int32(g.nodes) {
			gossip = append(gossip, []int32{n}, []int32{n})
		}
		for _, sources := range [][][]int32{gossip, broadcast, shared} {
			hops := spread(g, sources)
			require.GreaterOrEqual(t, steps(hops), leastSteps(g, sources), spec)
			count := 0
			for _, got := range carried(t, g, sources, hops) {
				require.Len(t, got, len(sources), spec)
				count += len(got)
			}
			for _, list := range sources {
				count -= len(list)
			}
			require.Len(t, hops, count, "%s: a unit comes twice", spec)
		}
	}
}

// leastBySearch is the least number of steps of a scatter of a unit for each other node, by a search through all
// positions of all units.
func leastBySearch(g *graph, root int32) int {
	units := g.nodes - 1
	goal := make([]int32, 0, units)
	start := make([]int32, units)
	for n := range int32(g.nodes) {
		if n != root {
			goal = append(goal, n)
		}
	}
	for i := range start {
		start[i] = root
	}
	level, seen := [][]int32{start}, map[string]bool{fmt.Sprint(start): true}
	for step := 0; ; step++ {
		var next [][]int32
		for _, at := range level {
			if slices.Equal(at, goal) {
				return step
			}
			used := make([]bool, len(g.from))
			now := slices.Clone(at)
			var move func(unit int)
			move = func(unit int) {
				if unit == units {
					if key := fmt.Sprint(now); !seen[key] {
						seen[key] = true
						next = append(next, slices.Clone(now))
					}
					return
				}
				move(unit + 1)
				for _, a := range g.out[at[unit]] {
					if !used[a] {
						used[a], now[unit] = true, g.to[a]
						move(unit + 1)
						used[a], now[unit] = false, at[unit]
					}
				}
			}
			move(0)
		}
		level = next
	}
}

// The flow finds the least number of steps of all schedules.
func TestScatterIsTheFastest(t *testing.T) {
	for _, spec := range []string{"path:4", "ring:4", "ring:5", "mesh:2x2", "hub:5", "complete:4", "random:5,2", "random:5,3", "binary:1"} {
		g := graphOf(t, spec)
		for root := range int32(g.nodes) {
			var units []unit
			for n := range int32(g.nodes) {
				if n != root {
					units = append(units, unit{source: root, to: n})
				}
			}
			require.Equal(t, leastBySearch(g, root), steps(scatter(g, units)), "%s from %d", spec, root)
		}
	}
}

// mostTrees is the number of edge-disjoint spanning trees by the theorem of Nash-Williams and Tutte: for every
// partition of the nodes into p parts there are k(p-1) edges between parts.
func mostTrees(g *graph) int {
	part, best := make([]int, g.nodes), len(g.from)
	var divide func(n, parts int)
	divide = func(n, parts int) {
		if n < g.nodes {
			for p := range parts + 1 {
				part[n] = p
				divide(n+1, max(parts, p+1))
			}
			return
		}
		between := 0
		for a := range g.from {
			if g.from[a] < g.to[a] && part[g.from[a]] != part[g.to[a]] {
				between++
			}
		}
		if parts > 1 {
			best = min(best, between/(parts-1))
		}
	}
	divide(0, 0)
	return best
}

func TestSpanningTrees(t *testing.T) {
	for _, spec := range []string{"path:2", "path:5", "ring:6", "mesh:3x2", "mesh:3x3", "hypercube:3", "complete:5", "complete:6", "debruijn:3", "random:8,3", "random:8,5", "hub:6"} {
		g := graphOf(t, spec)
		most := mostTrees(g)
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 1))
			trees := spanning(g, most+1, ordered(g, int32(seed)%int32(g.nodes), random))
			require.Len(t, trees, most, spec)
			used := map[[2]int32]bool{}
			for _, tree := range trees {
				r := central(tree)
				require.Len(t, r.order, g.nodes, "%s: a tree that does not reach all nodes", spec)
				for _, n := range r.order[1:] {
					edge := [2]int32{min(n, r.parent[n]), max(n, r.parent[n])}
					require.False(t, used[edge], "%s: two trees have %v", spec, edge)
					require.GreaterOrEqual(t, g.arc(edge[0], edge[1]), int32(0))
					used[edge] = true
				}
			}
		}
	}
}

// Each node is near a hub, as near as demanded.
func TestHubs(t *testing.T) {
	for _, spec := range graphs {
		g := graphOf(t, spec)
		for radius := range g.furthest(0) + 1 {
			hubs := hubsWithin(g, radius, 3)
			for n := range g.nodes {
				require.True(t, slices.ContainsFunc(hubs, func(hub int32) bool { return g.away[hub][n] <= radius }), "%s %d", spec, radius)
			}
		}
	}
}
