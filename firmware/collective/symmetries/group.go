// SPDX-License-Identifier: Apache-2.0

package symmetries

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Symmetry says where each node is brought, so that neighbours stay neighbours.
type Symmetry []int32

// Group is symmetries: with two of them also the one that is both, one after the other. The first one leaves all nodes where they are.
type Group []Symmetry

const (
	// fewNodes bounds the small networks.
	fewNodes = 64
	// leastSymmetries is how many symmetries a group may have on a small network. On others it may have one for each node.
	leastSymmetries = 64
	// mostPairs is with how many others each symmetry makes a group.
	mostPairs = 3
	// mostWays bounds the orbits of a group times the nodes, on networks of more than fewNodes nodes.
	mostWays = fewNodes * fewNodes
	// mostSubgroups is how often a group is made of more and more translations, mostOrbits bounds the orbits of those.
	mostSubgroups, mostOrbits = 16, 32
)

// Groups lists groups of symmetries with different orbits, the ones with the fewest orbits first: translations, those that are made of some translations, and on small networks those of random symmetries. Only some are kept.
func Groups(t *topology.Topology, keep func(Symmetry) bool, random *rand.Rand) (list []Group) {
	g := newGraph(t)
	var moved []Symmetry
	if t.Translates() {
		moved = translations(t, g, keep)
	}
	single := moved
	if g.nodes <= fewNodes { // on larger ones the groups of others have too many orbits
		single = slices.Concat(moved, g.drawn(keep, random))
	}
	var c collection
	switch len(moved) {
	case 0:
	case g.nodes:
		c.add(moved)
	default:
		c.add(Closure(moved))
	}
	c.addSome(single, mostPairs, random)
	if len(moved) == g.nodes {
		c.addSubgroups(moved, random)
	}
	return c.inOrder()
}

// translations lists the translations that are kept. If those to the neighbours of node 0 are, all are, since they are made of these.
func translations(t *topology.Topology, g *graph, keep func(Symmetry) bool) (kept []Symmetry) {
	all := make([]Symmetry, g.nodes)
	for u := range all {
		all[u] = make(Symmetry, g.nodes)
		for v := range all[u] {
			all[u][v] = int32(t.Translate(router.NodeID(u), router.NodeID(v)))
		}
	}
	for _, u := range g.neighbours[0] {
		if keep(all[u]) {
			kept = append(kept, all[u])
		}
	}
	switch {
	case len(kept) == len(g.neighbours[0]):
		return all
	case g.nodes > fewNodes:
		return kept
	}
	return slices.DeleteFunc(all, func(s Symmetry) bool { return !keep(s) })
}

// collection is groups with different orbits. On networks of more than fewNodes nodes they have few orbits.
type collection []collected

// collected is a group with its orbits.
type collected struct {
	Group
	orbits []int32
	count  int
}

// add adds a group, unless there is one with the same orbits, or it has too many.
func (c *collection) add(g Group) {
	if len(g) < 2 || len(g[0]) > fewNodes && len(g[0])*len(g[0]) > mostWays*len(g) { // orbits have as many nodes as there are symmetries, at most
		return
	}
	orbits := g.Orbits()
	count := count(orbits)
	if len(orbits) > fewNodes && count*len(orbits) > mostWays {
		return
	}
	if !slices.ContainsFunc(*c, func(other collected) bool { return other.count == count && slices.Equal(other.orbits, orbits) }) {
		*c = append(*c, collected{g, orbits, count})
	}
}

// inOrder lists the groups, those with the fewest orbits first.
func (c collection) inOrder() []Group {
	slices.SortStableFunc(c, func(a, b collected) int { return cmp.Compare(a.count, b.count) })
	list := make([]Group, len(c))
	for i := range c {
		list[i] = c[i].Group
	}
	return list
}

// addSubgroups adds groups that are made of more and more of some translations.
func (c *collection) addSubgroups(of []Symmetry, random *rand.Rand) {
	for range mostSubgroups {
		var by []Symmetry
		for size := 1; size < len(of); {
			by = append(by, of[random.IntN(len(of))])
			g := Closure(by)
			if len(g) == size { // it was in the group before
				by = by[:len(by)-1]
				continue
			}
			if size = len(g); size < len(of) && len(of) <= mostOrbits*size {
				c.add(g)
			}
		}
	}
}

// addSome adds groups that are made of one of some symmetries, and of each with so many others. Of many symmetries only some are looked at.
func (c *collection) addSome(of []Symmetry, pairs int, random *rand.Rand) {
	for i := range min(len(of), leastSymmetries) {
		if len(of) > leastSymmetries {
			i = random.IntN(len(of))
		}
		c.add(Closure(of[i : i+1]))
		for range pairs {
			c.add(Closure([]Symmetry{of[i], of[random.IntN(len(of))]}))
		}
	}
}

// Parts lists groups that are parts of a group, but for itself and the one that leaves all nodes where they are.
func (g Group) Parts(random *rand.Rand) []Group {
	var c collection
	c.addSome(g, 1, random)
	c = slices.DeleteFunc(c, func(part collected) bool { return len(part.Group) == len(g) })
	return c.inOrder()
}

// Closure is the group that some symmetries make; nil if it is too large.
func Closure(of []Symmetry) Group {
	nodes := len(of[0])
	list := Alone(nodes)
	for i := 0; i < len(list); i++ {
		for _, s := range of {
			both := make(Symmetry, nodes)
			for v := range both {
				both[v] = s[list[i][v]]
			}
			if slices.ContainsFunc(list, func(other Symmetry) bool { return slices.Equal(other, both) }) {
				continue
			}
			if list = append(list, both); len(list) > max(leastSymmetries, nodes) {
				return nil
			}
		}
	}
	return list
}

// Alone is the group that leaves all nodes where they are.
func Alone(nodes int) Group {
	one := make(Symmetry, nodes)
	for v := range one {
		one[v] = int32(v)
	}
	return Group{one}
}

// Orbits gives each node the first one to which a symmetry brings it.
func (g Group) Orbits() []int32 {
	first := slices.Clone(g[0])
	for _, s := range g {
		for v, to := range s {
			first[v] = min(first[v], to)
		}
	}
	return first
}

// Count counts the orbits.
func (g Group) Count() int { return count(g.Orbits()) }

// count counts orbits.
func count(orbits []int32) (number int) {
	for v, first := range orbits {
		if int32(v) == first {
			number++
		}
	}
	return number
}

// LargestOrbit lists the nodes of the largest orbit with at most so many nodes.
func (g Group) LargestOrbit(most int) (nodes []int) {
	byFirst := make([][]int, len(g[0]))
	for v, first := range g.Orbits() {
		byFirst[first] = append(byFirst[first], v)
	}
	for _, orbit := range byFirst {
		if len(orbit) <= most && len(orbit) > len(nodes) {
			nodes = orbit
		}
	}
	return nodes
}

// shortened is a symmetry, or, if it makes too large a group, so many times the symmetry that the group has as many as the longest cycle has nodes.
func (s Symmetry) shortened() Symmetry {
	cycle, times, longest := make([]int, len(s)), 1, 1 // cycle: the nodes of each one's cycle
	for v := range s {
		for at := s[v]; ; at = s[at] {
			if cycle[v]++; at == int32(v) {
				break
			}
		}
		times, longest = leastCommonMultiple(times, cycle[v]), max(longest, cycle[v])
	}
	if times <= max(leastSymmetries, len(s)) {
		return s
	}
	times /= longest
	short := make(Symmetry, len(s))
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
