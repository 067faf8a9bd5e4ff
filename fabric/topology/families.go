// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"slices"

	"meshwright/router"
)

// Translations are a family of translations of a network: exactly one of them brings node 0 to any node. In the family of Translate all nodes look in the same direction. In others
// some nodes r turn dimensions round: there a coordinate is taken from r's own, and not added to it. Whether r turns a dimension is the parity of the sum of some of its coordinates, which are the same
// all round every ring: so turns add up, and one translation after another is one of the same family. (A ring that its own coordinate turns is a Cayley graph of a dihedral group, in which
// neighbours change places: ring:4 has the translations of hypercube:2 then.)
type Translations struct {
	of    *Topology
	sides []int    // by dimension
	turns []parity // by dimension; nil: none
}

// parity is a set of dimensions, a bit each. A node is odd if the sum of its coordinates in them is.
type parity uint32

// mostFamilies bounds the families of translations.
const mostFamilies = 64

// Families returns families of translations: that of Translate, the one in which every ring with an even number of nodes is turned by its own coordinate, the one in which the sum of as many
// coordinates as possible turns all dimensions, and others. On networks with many dimensions they are only some. It returns nothing for a network without translations.
func (t *Topology) Families() (list []Translations) {
	if !t.Translates() {
		return nil
	}
	list = []Translations{{of: t}}
	sides := t.sides()
	add := func(set parity, by func(d int) parity) {
		turns := make([]parity, len(sides))
		for d := range turns {
			if set>>d&1 > 0 {
				turns[d] = by(d)
			}
		}
		if slices.Max(turns) > 0 && !slices.ContainsFunc(list, func(x Translations) bool { return slices.Equal(x.turns, turns) }) {
			list = append(list, Translations{t, sides, turns})
		}
	}
	parities, turned := t.parities(), t.turned()
	own := func(set parity) {
		add(set, func(d int) parity {
			if t.twisted != nil || sides[d]%2 > 0 {
				return 0
			}
			return 1 << d
		})
	}
	joint := func(set, by parity) { add(set, func(int) parity { return by }) }
	for _, set := range turned[:min(1, len(turned))] {
		own(set)
		for _, by := range parities[:min(1, len(parities))] {
			joint(set, by)
		}
	}
	for _, set := range turned {
		own(set)
		for _, by := range parities {
			joint(set, by)
		}
	}
	return list[:min(len(list), mostFamilies)]
}

// sides are the nodes along each dimension.
func (t *Topology) sides() []int {
	if t.twisted != nil {
		sides := t.twisted.Sides()
		return sides[:]
	}
	return t.Dims
}

// parities lists the sets of dimensions for which a node's parity is the same all round every ring, the largest first.
func (t *Topology) parities() (list []parity) {
	if t.twisted != nil {
		twist, along := t.twisted.Twist()
		sides := t.twisted.Sides()
		for set := parity(3); set > 0; set-- {
			inLong, inShort := int(set>>along&1), int(set>>(1-along)&1)
			if inLong*sides[along]%2 == 0 && (inShort*sides[1-along]+inLong*twist)%2 == 0 {
				list = append(list, set)
			}
		}
		return list
	}
	return t.dimensions(func(size int) bool { return size%2 == 0 }).parts()
}

// turned lists the sets of dimensions that can be turned with the others left as they are, the largest first.
func (t *Topology) turned() []parity {
	if t.twisted != nil {
		return []parity{3}
	}
	return t.dimensions(func(size int) bool { return size > 2 }).parts()
}

// dimensions is the set of a grid's dimensions of some sizes.
func (t *Topology) dimensions(of func(size int) bool) (set parity) {
	if !t.IsGrid() {
		return 0
	}
	for d, size := range t.Dims {
		if of(size) {
			set |= 1 << d
		}
	}
	return set
}

// parts lists parts of a set, itself first, mostFamilies at most.
func (p parity) parts() (list []parity) {
	for part := p; part > 0 && len(list) < mostFamilies; part = (part - 1) & p {
		list = append(list, part)
	}
	return list
}

// turnsBy reports whether node r turns a dimension.
func (x *Translations) turnsBy(r router.NodeID, d int) bool {
	if x.turns == nil || x.turns[d] == 0 {
		return false
	}
	odd, stride := false, 1
	for e, size := range x.sides {
		odd = odd != (x.turns[d]>>e&1 > 0 && int(r)/stride%size%2 > 0)
		stride *= size
	}
	return odd
}

// Translate returns the node at which v is when the network is moved so that node 0 comes to root; router.None if there is no such node.
func (x *Translations) Translate(root, v router.NodeID) router.NodeID {
	switch {
	case x.of == nil:
		return router.None
	case x.turns == nil || !x.of.Has(root) || !x.of.Has(v):
		return x.of.Translate(root, v)
	case x.of.twisted != nil && x.turnsBy(root, 0):
		return x.of.twisted.Reflect(root, v)
	case x.of.twisted != nil:
		return x.of.twisted.Translate(root, v)
	}
	to, stride := 0, 1
	for d, size := range x.sides {
		by, at := int(root)/stride%size, int(v)/stride%size
		if x.turnsBy(root, d) {
			at = size - at
		}
		to += (by + at) % size * stride
		stride *= size
	}
	return router.NodeID(to)
}

// Generator returns the generator of the link behind port p of node n, as Topology.Generator does; at a node that turns the link's dimension, that of the other direction.
func (x *Translations) Generator(n router.NodeID, p router.Port) int {
	if x.of == nil {
		return -1
	}
	g := x.of.Generator(n, p)
	if g >= 0 && x.turnsBy(n, g/2) {
		return g ^ 1
	}
	return g
}
