// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// symmetry says where each node is brought, so that neighbours stay neighbours.
type symmetry []int32

// group is symmetries: with two of them also the one that is both, one after the other. The first one leaves all nodes where they are.
type group []symmetry

const (
	// mostSymmetries bounds a group.
	mostSymmetries = 64
	// mostGroups bounds the groups with which a search is made.
	mostGroups = 3
	// drawn is how many symmetries are looked for at random, and how many groups are made of two of them.
	drawn = 48
	// mostPairs is with how many others each symmetry makes a group.
	mostPairs = 3
	// mostPlaces bounds the nodes that a search for a symmetry places, for each node of the network.
	mostPlaces = 32
)

// groups lists groups of symmetries with different orbits, the ones with the fewest orbits first: translations, those that are made of some translations, and those of random symmetries. Only some are kept.
func groups(t *topology.Topology, keep func(symmetry) bool, random *rand.Rand) []group {
	g := newGraph(t)
	var single []symmetry
	add := func(s symmetry) {
		if keep(s) {
			single = append(single, s)
		}
	}
	if t.Translates() {
		for u := range g.nodes {
			s := make(symmetry, g.nodes)
			for v := range s {
				s[v] = int32(t.Translate(router.NodeID(u), router.NodeID(v)))
			}
			add(s)
		}
	}
	translations := len(single)
	for range drawn {
		if s := g.draw(random); s != nil {
			add(s.shortened())
		}
	}
	var list []group
	if translations > 0 {
		list = with(list, closure(single[:translations]))
	}
	for i := range single {
		list = with(list, closure(single[i:i+1]))
		for range mostPairs {
			list = with(list, closure([]symmetry{single[i], single[random.IntN(len(single))]}))
		}
	}
	return inOrder(list)
}

// parts lists groups that are parts of a group, but for itself and the one that leaves all nodes where they are.
func (g group) parts(random *rand.Rand) (list []group) {
	for i := range g {
		list = with(list, closure(g[i:i+1]))
		list = with(list, closure([]symmetry{g[i], g[random.IntN(len(g))]}))
	}
	list = slices.DeleteFunc(list, func(part group) bool { return len(part) == len(g) })
	return inOrder(list)
}

// with adds a group to a list that has none with the same orbits.
func with(list []group, g group) []group {
	if len(g) < 2 || slices.ContainsFunc(list, func(other group) bool { return slices.Equal(g.orbits(), other.orbits()) }) {
		return list
	}
	return append(list, g)
}

// inOrder sorts groups, those with the fewest orbits first.
func inOrder(list []group) []group {
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(a.count(), b.count()) })
	return list
}

// closure is the group that some symmetries make; nil if it is too large.
func closure(of []symmetry) group {
	nodes := len(of[0])
	list := alone(nodes)
	for i := 0; i < len(list); i++ {
		for _, s := range of {
			both := make(symmetry, nodes)
			for v := range both {
				both[v] = s[list[i][v]]
			}
			if slices.ContainsFunc(list, func(other symmetry) bool { return slices.Equal(other, both) }) {
				continue
			}
			if list = append(list, both); len(list) > mostSymmetries {
				return nil
			}
		}
	}
	return list
}

// alone is the group that leaves all nodes where they are.
func alone(nodes int) group {
	one := make(symmetry, nodes)
	for v := range one {
		one[v] = int32(v)
	}
	return group{one}
}

// orbits gives each node the first one to which a symmetry brings it.
func (g group) orbits() []int32 {
	first := slices.Clone(g[0])
	for _, s := range g {
		for v, to := range s {
			first[v] = min(first[v], to)
		}
	}
	return first
}

// count counts the orbits.
func (g group) count() (orbits int) {
	for v, first := range g.orbits() {
		if int32(v) == first {
			orbits++
		}
	}
	return orbits
}

// largestOrbit lists the nodes of the largest orbit with at most so many nodes.
func (g group) largestOrbit(most int) (nodes []int) {
	byFirst := make([][]int, len(g[0]))
	for v, first := range g.orbits() {
		byFirst[first] = append(byFirst[first], v)
	}
	for _, orbit := range byFirst {
		if len(orbit) <= most && len(orbit) > len(nodes) {
			nodes = orbit
		}
	}
	return nodes
}

// graph is a network as a search for symmetries sees it.
type graph struct {
	nodes      int
	neighbours [][]int32
	beside     []uint64 // by node: its neighbours
}

func newGraph(t *topology.Topology) *graph {
	g := &graph{nodes: t.Nodes(), neighbours: make([][]int32, t.Nodes()), beside: make([]uint64, t.Nodes())}
	for _, l := range t.Links() {
		g.neighbours[l.From] = append(g.neighbours[l.From], int32(l.To))
		g.beside[l.From] |= 1 << l.To
	}
	return g
}

// draw looks for a random symmetry: it places one node after the other, each beside the place of a neighbour. It returns nil if it finds none in time.
func (g *graph) draw(random *rand.Rand) symmetry {
	order, from := []int32{0}, []int32{-1}
	for i, seen := 0, uint64(1); i < len(order); i++ {
		for _, v := range g.neighbours[order[i]] {
			if seen>>v&1 == 0 {
				seen |= 1 << v
				order, from = append(order, v), append(from, order[i])
			}
		}
	}
	if len(order) < g.nodes {
		return nil
	}
	s, work := make(symmetry, g.nodes), 0
	var place func(i int, taken uint64) bool
	place = func(i int, taken uint64) bool {
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
			if taken>>to&1 != 0 || len(g.neighbours[v]) != len(g.neighbours[to]) || !g.agrees(s, order[:i], v, to) {
				continue
			}
			if s[v] = to; place(i+1, taken|1<<to) {
				return true
			}
		}
		return false
	}
	if !place(0, 0) {
		return nil
	}
	return s
}

// agrees reports whether a node has the same neighbours among the placed ones as its place has.
func (g *graph) agrees(s symmetry, placed []int32, v, to int32) bool {
	for _, u := range placed {
		if g.beside[v]>>u&1 != g.beside[to]>>s[u]&1 {
			return false
		}
	}
	return true
}

// shortened is a symmetry, or, if it makes too large a group, so many times the symmetry that the group has as many as the longest cycle has nodes.
func (s symmetry) shortened() symmetry {
	cycle, times, longest := make([]int, len(s)), 1, 1 // cycle: the nodes of each one's cycle
	for v := range s {
		for at := s[v]; ; at = s[at] {
			if cycle[v]++; at == int32(v) {
				break
			}
		}
		times, longest = leastCommonMultiple(times, cycle[v]), max(longest, cycle[v])
	}
	if times <= mostSymmetries {
		return s
	}
	times /= longest
	short := make(symmetry, len(s))
	for v := range s {
		short[v] = int32(v)
		for range times % cycle[v] {
			short[v] = s[short[v]]
		}
	}
	return short
}

func leastCommonMultiple(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// of is where a symmetry brings a set of nodes.
func (s symmetry) of(set uint64) (moved uint64) {
	for ; set != 0; set &= set - 1 {
		moved |= 1 << s[bits.TrailingZeros64(set)]
	}
	return moved
}
