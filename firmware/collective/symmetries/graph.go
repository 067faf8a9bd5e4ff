// SPDX-License-Identifier: Apache-2.0

package symmetries

import (
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/bitset"
)

const (
	// draws is how many symmetries are looked for at random.
	draws = 48
	// mostPlaces bounds the nodes that a search for a symmetry places, for each node of the network.
	mostPlaces = 32
)

// graph is a network as a search for symmetries sees it.
type graph struct {
	nodes      int
	neighbours [][]int32
	beside     []bitset.Set // by node: its neighbours
}

func newGraph(t *topology.Topology) *graph {
	g := &graph{nodes: t.Nodes(), neighbours: make([][]int32, t.Nodes())}
	for range g.nodes {
		g.beside = append(g.beside, bitset.New(g.nodes))
	}
	for _, l := range t.Links() {
		g.neighbours[l.From] = append(g.neighbours[l.From], int32(l.To))
		g.beside[l.From].Set(int32(l.To))
	}
	return g
}

// drawn lists random symmetries that are kept.
func (g *graph) drawn(keep func(Symmetry) bool, random *rand.Rand) (list []Symmetry) {
	for range draws {
		if s := g.draw(random); s != nil {
			if s = s.shortened(); keep(s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// draw looks for a random symmetry: it places one node after the other, each beside the place of a neighbour. It returns nil if it finds none in time.
func (g *graph) draw(random *rand.Rand) Symmetry {
	order, from, seen := []int32{0}, []int32{-1}, make([]bool, g.nodes)
	seen[0] = true
	for i := 0; i < len(order); i++ {
		for _, v := range g.neighbours[order[i]] {
			if !seen[v] {
				seen[v] = true
				order, from = append(order, v), append(from, order[i])
			}
		}
	}
	if len(order) < g.nodes {
		return nil
	}
	s, work, taken := make(Symmetry, g.nodes), 0, make([]bool, g.nodes)
	var place func(i int) bool
	place = func(i int) bool {
		if i == len(order) {
			return true
		}
		v := order[i]
		var places []int32
		if i == 0 {
			for to := range int32(g.nodes) {
				places = append(places, to)
			}
		} else {
			places = slices.Clone(g.neighbours[s[from[i]]])
		}
		random.Shuffle(len(places), func(a, b int) { places[a], places[b] = places[b], places[a] })
		for _, to := range places {
			if work++; work > mostPlaces*g.nodes {
				return false
			}
			if taken[to] || len(g.neighbours[v]) != len(g.neighbours[to]) || !g.agrees(s, order[:i], v, to) {
				continue
			}
			s[v], taken[to] = to, true
			if place(i + 1) {
				return true
			}
			taken[to] = false
		}
		return false
	}
	if !place(0) {
		return nil
	}
	return s
}

// agrees reports whether a node has the same neighbours among the placed ones as its place has.
func (g *graph) agrees(s Symmetry, placed []int32, v, to int32) bool {
	for _, u := range placed {
		if g.beside[v].Has(u) != g.beside[to].Has(s[u]) {
			return false
		}
	}
	return true
}
