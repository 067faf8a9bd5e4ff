// SPDX-License-Identifier: Apache-2.0

package check

import "meshwright/router"

// half is the half of a one-port chip that a link's flits use: at the link's
// tail they are sent, at its head received.
type half uint8

const (
	sending half = iota
	receiving
)

// Owners of a node that are not slots.
const (
	unowned   int32 = -1 // no worm passes straight through
	contested int32 = -2 // worms pass straight through on several lines
)

// portUses sorts out which lines the uses of the chips' halves go to.
//
// Worms that pass straight through a node on one line only leave all of its
// uses in that line's frame: those that start, turn or end there use it by
// itself and have no frame of their own. The line is the node's owner.
type portUses struct {
	p       *plan
	half    half
	nodes   []router.NodeID // by slot: the node whose half the link uses
	kind    router.Conflict
	shared  []bool  // by node: worms of several links use it
	passing []int32 // by slot: worms that pass straight through its node, if that is shared
	owner   []int32 // by node: slot of the owner's link that uses it, unowned or contested
	swept   []bool  // by line: owns a shared node
}

// nodeUses returns what can conflict at nodes beyond what conflicts on links:
// nothing where a node uses one link.
func (p *plan) nodeUses(h half, sort *sorter) []conflicts {
	u := &portUses{p: p, half: h, nodes: p.lines.tail, kind: router.SendConflict}
	if h == receiving {
		u.nodes, u.kind = p.lines.head, router.ReceiveConflict
	}
	if !u.findShared() {
		return nil
	}
	u.findOwners()
	lines, single := u.collect()
	var sets []conflicts
	if len(lines) > 0 {
		at := func(slot int32) place { return place{u.nodes[slot], -1} }
		sets = append(sets, p.newSweep(u.kind, at, lines, sort))
	}
	return append(sets, newCrowds(u, single, sort))
}

// findShared reports whether there is a node with several links in use.
func (u *portUses) findShared() bool {
	links := make([]int32, u.p.t.Nodes())
	u.shared = make([]bool, len(links))
	any, flits := false, int64(0)
	for slot, node := range u.nodes {
		if flits += u.p.load[slot]; flits == 0 {
			continue
		}
		if links[node]++; links[node] > 1 {
			u.shared[node], any = true, true
		}
	}
	return any
}

// straight returns the slots of a piece at whose nodes the worm passes straight
// through: a sender's first node is where it starts or turns, a receiver's last.
func (u *portUses) straight(part *piece) (first, last int32) {
	switch {
	case u.half == sending && part.turns:
		return part.first + 1, part.last
	case u.half == receiving && part.stops:
		return part.first, part.last - 1
	}
	return part.first, part.last
}

// corner returns the slot of a piece's other node, where the worm does not pass
// straight through; false when it has none.
func (u *portUses) corner(part *piece) (int32, bool) {
	if u.half == sending {
		return part.first, part.turns
	}
	return part.last - 1, part.stops
}

// findOwners counts the worms that pass straight through nodes, and sees by
// which lines they do.
func (u *portUses) findOwners() {
	change := make([]int32, len(u.nodes)+1)
	for i := range u.p.pieces {
		first, last := u.straight(&u.p.pieces[i])
		change[first]++
		change[last]--
	}
	u.owner, u.swept = make([]int32, u.p.t.Nodes()), make([]bool, len(u.p.lines.rings))
	for node := range u.owner {
		u.owner[node] = unowned
	}
	u.passing = change[:len(u.nodes)]
	worms := int32(0)
	for slot, node := range u.nodes {
		worms += change[slot]
		u.passing[slot] = 0
		if worms == 0 || !u.shared[node] {
			continue
		}
		u.passing[slot] = worms
		if u.owner[node] == unowned {
			u.owner[node] = int32(slot)
		} else {
			u.owner[node] = contested
		}
	}
	for _, owner := range u.owner {
		if owner >= 0 {
			u.swept[u.p.lines.line[owner]] = true
		}
	}
}

// collect returns the uses on lines that own nodes, and those of other nodes by
// worms that start, turn or end there.
func (u *portUses) collect() (lines, single []rect) {
	for i := range u.p.pieces {
		part := &u.p.pieces[i]
		if first, last := u.straight(part); first < last && u.swept[u.p.lines.line[first]] {
			lines = append(lines, u.p.rectOf(part, first, last))
		}
		slot, ok := u.corner(part)
		if !ok || !u.shared[u.nodes[slot]] {
			continue
		}
		use := u.at(part, slot)
		if owner := u.owner[u.nodes[slot]]; owner >= 0 {
			shift := router.Cycle(owner) * u.p.hop
			lines = append(lines, rect{from: use.from - shift, to: use.to - shift, x1: owner, x2: owner + 1, row: use.row})
		} else {
			single = append(single, use)
		}
	}
	return lines, single
}

// at returns the use of the node at a piece's slot by itself.
func (u *portUses) at(part *piece, slot int32) rect {
	from := part.at + router.Cycle(slot-part.first)*u.p.hop
	return rect{from: from, to: from + u.p.span(int(part.row)), x1: int32(u.nodes[slot]), row: part.row}
}
