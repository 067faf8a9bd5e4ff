// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// symmetry says where each node is brought, so that neighbours stay neighbours.
type symmetry []int32

// group is symmetries: with two of them also the one that is both, one after the other. The first one leaves all nodes where they are.
type group []symmetry

const (
	// leastSymmetries is how many symmetries a group may have on a small network. On others it may have one for each node.
	leastSymmetries = 64
	// mostPairs is with how many others each symmetry makes a group.
	mostPairs = 3
	// mostWays bounds the orbits of a group times the nodes, on networks of more than MaxNodes nodes.
	mostWays = MaxNodes * MaxNodes
	// mostSubgroups is how often a group is made of more and more translations, mostOrbits bounds the orbits of those.
	mostSubgroups, mostOrbits = 16, 32
)

// groups lists groups of symmetries with different orbits, the ones with the fewest orbits first: translations, those that are made of some translations, and on small networks those of random symmetries. Only some are kept.
func groups(t *topology.Topology, keep func(symmetry) bool, random *rand.Rand) (list []group) {
	g := newGraph(t)
	var moved []symmetry
	if t.Translates() {
		moved = translations(t, g, keep)
	}
	single := moved
	if g.nodes <= MaxNodes { // on larger ones the groups of others have too many orbits
		single = slices.Concat(moved, g.drawn(keep, random))
	}
	var c collection
	switch len(moved) {
	case 0:
	case g.nodes:
		c.add(moved)
	default:
		c.add(closure(moved))
	}
	c.addSome(single, mostPairs, random)
	if len(moved) == g.nodes {
		c.addSubgroups(moved, random)
	}
	return c.inOrder()
}

// translations lists the translations that are kept. If those to the neighbours of node 0 are, all are, since they are made of these.
func translations(t *topology.Topology, g *graph, keep func(symmetry) bool) (kept []symmetry) {
	all := make([]symmetry, g.nodes)
	for u := range all {
		all[u] = make(symmetry, g.nodes)
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
	case g.nodes > MaxNodes:
		return kept
	}
	return slices.DeleteFunc(all, func(s symmetry) bool { return !keep(s) })
}

// collection is groups with different orbits. On networks of more than MaxNodes nodes they have few orbits.
type collection []collected

// collected is a group with its orbits.
type collected struct {
	group
	orbits []int32
	count  int
}

// add adds a group, unless there is one with the same orbits, or it has too many.
func (c *collection) add(g group) {
	if len(g) < 2 || len(g[0]) > MaxNodes && len(g[0])*len(g[0]) > mostWays*len(g) { // orbits have as many nodes as there are symmetries, at most
		return
	}
	orbits := g.orbits()
	count := count(orbits)
	if len(orbits) > MaxNodes && count*len(orbits) > mostWays {
		return
	}
	if !slices.ContainsFunc(*c, func(other collected) bool { return other.count == count && slices.Equal(other.orbits, orbits) }) {
		*c = append(*c, collected{g, orbits, count})
	}
}

// inOrder lists the groups, those with the fewest orbits first.
func (c collection) inOrder() []group {
	slices.SortStableFunc(c, func(a, b collected) int { return cmp.Compare(a.count, b.count) })
	list := make([]group, len(c))
	for i := range c {
		list[i] = c[i].group
	}
	return list
}

// addSubgroups adds groups that are made of more and more of some translations.
func (c *collection) addSubgroups(of []symmetry, random *rand.Rand) {
	for range mostSubgroups {
		var by []symmetry
		for size := 1; size < len(of); {
			by = append(by, of[random.IntN(len(of))])
			g := closure(by)
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
func (c *collection) addSome(of []symmetry, pairs int, random *rand.Rand) {
	for i := range min(len(of), leastSymmetries) {
		if len(of) > leastSymmetries {
			i = random.IntN(len(of))
		}
		c.add(closure(of[i : i+1]))
		for range pairs {
			c.add(closure([]symmetry{of[i], of[random.IntN(len(of))]}))
		}
	}
}

// parts lists groups that are parts of a group, but for itself and the one that leaves all nodes where they are.
func (g group) parts(random *rand.Rand) []group {
	var c collection
	c.addSome(g, 1, random)
	c = slices.DeleteFunc(c, func(part collected) bool { return len(part.group) == len(g) })
	return c.inOrder()
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
			if list = append(list, both); len(list) > max(leastSymmetries, nodes) {
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

// count counts the orbits of a group.
func count(orbits []int32) (number int) {
	for v, first := range orbits {
		if int32(v) == first {
			number++
		}
	}
	return number
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
	if times <= max(leastSymmetries, len(s)) {
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

// move adds to a set where a symmetry brings the nodes of another.
func (s symmetry) move(from, to bitset.Set) {
	for k, word := range from {
		for ; word != 0; word &= word - 1 {
			to.Set(s[k<<6+bits.TrailingZeros64(word)])
		}
	}
}

// of is where a symmetry brings a set of nodes.
func (s symmetry) of(set bitset.Set) (moved bitset.Set) {
	moved = bitset.New(len(s))
	s.move(set, moved)
	return moved
}
