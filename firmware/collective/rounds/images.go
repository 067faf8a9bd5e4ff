// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/rand/v2"

	"meshwright/firmware/collective/symmetries"
)

const (
	// mostSymmetries bounds the largest group whose symmetries forms have.
	mostSymmetries = 64
	// mostOrbits bounds the orbits, as a part of the nodes: where most nodes have no images, symmetries are of little use.
	mostOrbits = 2. / 3
	// smaller is by how many times fewer symmetries the next group has at least: more of them are found faster, fewer leave more choices.
	smaller = 4
)

// images says where the symmetries of a group bring nodes and slots. A form with images changes at all of them at the same time, so that its search has fewer choices. Where symmetries bring a slot to itself, but not its receiver, the form is not the same everywhere.
type images struct {
	nodes symmetries.Group
	slots [][]int32 // by symmetry
}

// symmetric lists images: those of a group with few orbits, of one that is smaller, and so on.
func (n *network) symmetric() (list []*images) {
	most, random := mostSymmetries, rand.New(rand.NewPCG(n.Seed, 0x696d6167))
	for _, g := range symmetries.Groups(n.Topology, func(s symmetries.Symmetry) bool { return symmetries.KeepsRoutes(n.Task, n.Pairs, s) }, random) {
		if len(g) <= most && float64(g.Count()) <= mostOrbits*float64(n.nodes) {
			list = append(list, n.imagesOf(g))
			most = len(g) / smaller
		}
	}
	return list
}

func (n *network) imagesOf(g symmetries.Group) *images {
	m := &images{nodes: g}
	for _, s := range g {
		slots := make([]int32, len(n.slots))
		for i := range n.slots {
			x := &n.slots[i]
			slots[i] = n.slotOf[n.pair(s[x.owner], s[x.near[0]])]
		}
		m.slots = append(m.slots, slots)
	}
	return m
}

// size counts the symmetries.
func (m *images) size() int {
	if m == nil {
		return 1
	}
	return len(m.nodes)
}

// extend adds to moves those to which symmetries bring them; slots are those of a round.
func (m *images) extend(moves []move, slots int32) []move {
	if m == nil {
		return moves
	}
	own := len(moves)
	for g := 1; g < len(m.nodes); g++ {
		for _, x := range moves[:own] {
			slot := x.slot % slots
			moved := move{x.slot - slot + m.slots[g][slot], none}
			if x.to != none {
				moved.to = m.nodes[g][x.to]
			}
			moves = append(moves, moved)
		}
	}
	return moves
}
