// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/machine"
	"meshwright/router"
	"meshwright/schedule"
)

// rule is a reason for collisions.
type rule struct {
	build   func() []conflicts
	implied bool // where it is broken another rule is too, in the same cycle or before
	built   bool
	uses    []conflicts
}

// sets returns the rule's uses, which are worked out once.
func (r *rule) sets() []conflicts {
	if !r.built {
		r.uses, r.built = r.build(), true
	}
	return r.uses
}

// free reports whether the plan has no collision by any of its rules.
func (p *plan) free(rules []rule) bool {
	for row := range p.s.Rows {
		if p.s.Rows[row].Dispatch < router.Cycle(p.m.Startup) {
			return false
		}
	}
	for i := range rules {
		if rules[i].implied {
			continue
		}
		for _, set := range rules[i].sets() {
			if !set.free() {
				return false
			}
		}
	}
	return true
}

// rules lists the machine's rules. What a PE's only channel forbids, the only
// port forbids, too; and so does the first link, when every link has a channel,
// for injection, and the last one for ejection. Two flits on a link are two that
// a one-port node receives.
func (p *plan) rules() []rule {
	sort := &sorter{}
	single := p.m.Ports == machine.SinglePort
	one := p.m.Channels != machine.Links && !single
	waits := p.model.Rest() > 0 // a channel is held for longer than the flits take
	list := []rule{
		{build: func() []conflicts { return []conflicts{p.linkUses(sort)} }, implied: single},
		{build: func() []conflicts { return []conflicts{p.injections(sort)} }, implied: !one && !waits},
	}
	if single {
		list = append(list,
			rule{build: func() []conflicts { return p.nodeUses(sending, sort) }},
			rule{build: func() []conflicts { return p.nodeUses(receiving, sort) }})
	}
	if one {
		list = append(list, rule{build: func() []conflicts { return []conflicts{p.ejections(sort)} }})
	}
	if p.m.Duplex == machine.Half {
		list = append(list, rule{build: func() []conflicts { return []conflicts{p.duplexUses(sort)} }})
	}
	return list
}

func (p *plan) atLink(slot int32) place { return place{p.lines.tail[slot], slot} }

func atNode(node int32) place { return place{router.NodeID(node), -1} }

func (p *plan) linkUses(sort *sorter) conflicts {
	return p.newLineUses(nil, router.LinkConflict, p.atLink, sort)
}

// rectOf returns the use of slots x1 to x2-1 by a piece.
func (p *plan) rectOf(part *piece, x1, x2 int32) rect {
	from := part.at - router.Cycle(part.first)*p.hop
	return rect{from: from, to: from + p.spans[part.row], x1: x1, x2: x2, row: part.row}
}

// injections are the uses of injection channels, named by the port they belong
// to or by the node's first port.
func (p *plan) injections(sort *sorter) conflicts {
	rects := make([]rect, len(p.s.Rows))
	for row := range p.s.Rows {
		r := &p.s.Rows[row]
		channel := int32(r.Source)
		if p.m.Channels == machine.Links {
			channel = p.firstSlot(row)
		}
		rects[row] = rect{from: r.Dispatch, to: r.Dispatch + p.model.Hold(r.Flits), x1: channel, row: int32(row)}
	}
	at := atNode
	if p.m.Channels == machine.Links {
		at = func(slot int32) place { return place{p.lines.tail[slot], -1} }
	}
	return newPoints(schedule.InjectionConflict, at, rects, sort)
}

func (p *plan) ejections(sort *sorter) conflicts {
	rects := make([]rect, len(p.s.Rows))
	for row := range p.s.Rows {
		rects[row] = p.ejection(row)
	}
	return newPoints(router.EjectConflict, atNode, rects, sort)
}

func (p *plan) ejection(row int) rect {
	from := p.arrival(row)
	return rect{from: from, to: from + p.spans[row], x1: int32(p.s.Rows[row].Destination), row: int32(row)}
}

// duplexUses are the uses of interfaces: to send on side 0, to receive on side 1.
func (p *plan) duplexUses(sort *sorter) conflicts {
	rects := make([]rect, 0, 2*len(p.s.Rows))
	for row := range p.s.Rows {
		r := &p.s.Rows[row]
		in := p.ejection(row)
		in.x2 = 1
		rects = append(rects, rect{from: r.Dispatch, to: r.Dispatch + p.spans[row], x1: int32(r.Source), row: int32(row)}, in)
	}
	uses := newPoints(router.DuplexConflict, atNode, rects, sort)
	uses.twoSided = true
	return uses
}
