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
	lonely    int32 = -3 // one link only leads there that is in use: no owner needed
	bothWays  int32 = -4 // less a position: worms pass straight through on a line and on the opposite one
)

// position returns a node's slot on the first of its two lines, by its owner;
// it is negative for nodes through which worms do not pass both ways.
func position(owner int32) int32 { return bothWays - owner }

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
	passing []int32 // by slot: worms that pass straight through its node, if that is shared
	owner   []int32 // by node: slot of the owner's link that uses it, unowned, contested or lonely
	home    []int32 // by slot: the owner of its node
	swept   []bool  // by line: owns a shared node
	crossed bool    // worms pass straight both ways through some nodes
}

// nodeUses returns the uses that can conflict at nodes: received flits at every node; sent
// flits only at nodes where a route uses several links, since all other flits are received as
// they are sent.
func (p *plan) nodeUses(h half, sort *sorter) []conflicts {
	u := &portUses{p: p, half: h, nodes: p.lines.tail, kind: router.SendConflict}
	if h == receiving {
		u.nodes, u.kind = p.lines.head, router.ReceiveConflict
	}
	shared := u.findShared()
	if !shared && h == sending {
		return nil
	}
	u.findOwners()
	at := func(slot int32) place { return place{u.nodes[slot], -1} }
	sets := []conflicts{p.newLineUses(u, u.kind, at, sort)}
	if shared {
		sets = append(sets, newCrowds(u, sort))
		if u.crossed {
			sets = append(sets, newCrossings(u, sort))
		}
	}
	return sets
}

// findShared reports whether there is a node with several links in use.
func (u *portUses) findShared() bool {
	links := make([]int32, u.p.t.Nodes())
	u.owner = make([]int32, len(links))
	for node := range u.owner {
		u.owner[node] = lonely
	}
	any, flits := false, int64(0)
	for slot, node := range u.nodes {
		if flits += u.p.load[slot]; flits == 0 {
			continue
		}
		if links[node]++; links[node] > 1 {
			u.owner[node], any = unowned, true
		}
	}
	return any
}

// straight returns the slots of a piece at whose nodes the worm passes straight
// through: a sender's first node is where it starts or turns, a receiver's last.
func (u *portUses) straight(part *piece) (first, last int32) {
	switch {
	case u.half == sending && part.turns():
		return part.first + 1, part.last
	case u.half == receiving && part.stops():
		return part.first, part.last - 1
	}
	return part.first, part.last
}

// corner returns the slot of a piece's other node, where the worm does not pass
// straight through; false when it has none.
func (u *portUses) corner(part *piece) (int32, bool) {
	if u.half == sending {
		return part.first, part.turns()
	}
	return part.last - 1, part.stops()
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
	u.swept, u.home = make([]bool, len(u.p.lines.rings)), make([]int32, len(u.nodes))
	u.passing = change[:len(u.nodes)]
	worms := int32(0)
	for slot, node := range u.nodes {
		worms += change[slot]
		u.passing[slot] = 0
		if worms == 0 || u.owner[node] == lonely {
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
	if u.p.lines.opposite {
		u.findTwoWays()
	}
	for slot, node := range u.nodes {
		u.home[slot] = u.owner[node]
	}
}

// findTwoWays gives contested nodes to the pair of opposite lines that they are on.
func (u *portUses) findTwoWays() {
	for slot, node := range u.nodes {
		if u.passing[slot] > 0 && u.owner[node] == contested && u.p.lines.line[slot]%2 == 0 {
			u.owner[node], u.crossed = bothWays-int32(slot), true
		}
	}
	for slot, node := range u.nodes {
		if position(u.owner[node]) >= 0 {
			u.passing[slot] = 0 // nothing is listed one by one
		}
	}
}

// looked reports whether the uses on a line are looked at.
func (u *portUses) looked(line int32) bool { return u.half == receiving || u.swept[line] }

// foreign returns the slot of a piece's corner and that of the node's owner,
// when it is another one: the piece uses the node, but not as a part of its line.
func (u *portUses) foreign(part *piece) (slot, owner int32, ok bool) {
	if slot, ok = u.corner(part); ok {
		owner = u.home[slot]
		ok = owner >= 0 && owner != slot
	}
	return slot, owner, ok
}

// homeless returns the slot of a piece's corner if no line owns the node; false, too,
// if the node is on two lines and the piece on one of them.
func (u *portUses) homeless(part *piece) (slot int32, ok bool) {
	slot, ok = u.corner(part)
	if !ok || u.home[slot] >= 0 || u.home[slot] == lonely {
		return slot, false
	}
	x := position(u.home[slot])
	return slot, x < 0 || u.p.lines.line[x]/2 != u.p.lines.line[slot]/2
}

// at returns the use of the node at a piece's slot by itself.
func (u *portUses) at(part *piece, slot int32) rect {
	from := part.at + router.Cycle(slot-part.first)*u.p.hop
	return rect{from: from, to: from + u.p.spanOf(part), x1: int32(u.nodes[slot]), row: part.row}
}
