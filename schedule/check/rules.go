// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// rule is a reason for collisions.
type rule struct {
	build   func() []conflicts
	implied bool // where it is broken another rule is too, in the same cycle or before
	nodes   bool // it is about the one port of nodes
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

// release forgets the rule's uses, which take much memory.
func (r *rule) release() { r.uses, r.built = nil, false }

// free reports whether the plan has no collision by any of its rules.
func (p *plan) free(ctx context.Context, phase *progress.Phase, rules []rule) (bool, error) {
	early := p.earlyStartups() > 0
	if p.chooseWay(proveSection); p.walk != nil {
		free, err := p.walk.run(ctx, phase)
		return free && !early, err
	}
	if early {
		return false, ctx.Err()
	}
	e, few := effort{ctx, phase}, p.early/16 // among the first rows a collision is found at once
	if few > 0 && few < len(p.rows)/2 && !freeBy(e, p.beginning(few).rules) {
		return false, ctx.Err()
	}
	return freeBy(e, rules), ctx.Err()
}

// freeBy reports whether no rule is broken.
func freeBy(e effort, rules []rule) bool {
	for i := range rules {
		if rules[i].implied {
			continue
		}
		for _, set := range rules[i].sets() {
			if !set.free(e) {
				return false
			}
		}
	}
	return true
}

// chooseWay decides whether heads are followed. To compare a straight section costs so many nanoseconds.
func (p *plan) chooseWay(section int64) {
	if p.walk = p.newWalk(); !p.walk.pays(section) {
		p.walk = nil
	}
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
		{build: func() []conflicts { return []conflicts{p.injections()} }, implied: !one && !waits},
	}
	if single {
		list = append(list,
			rule{build: func() []conflicts { return p.nodeUses(sending, sort) }, nodes: true},
			rule{build: func() []conflicts { return p.nodeUses(receiving, sort) }, nodes: true})
	}
	if one {
		list = append(list, rule{build: func() []conflicts { return []conflicts{p.ejections()} }})
	}
	if p.m.Duplex == machine.Half {
		list = append(list, rule{build: func() []conflicts { return []conflicts{p.duplexUses()} }})
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
	return rect{from: from, to: from + p.spanOf(part), x1: x1, x2: x2, row: part.row}
}

// injections are the uses of injection channels, named by the port they belong
// to or by the node's first port.
func (p *plan) injections() conflicts {
	rule, channels, ofLinks := pointRule{kind: schedule.InjectionConflict, place: atNode}, p.t.Nodes(), p.m.Channels == machine.Links
	if ofLinks {
		channels = len(p.lines.line)
		rule.place = func(slot int32) place { return place{p.lines.tail[slot], -1} }
	}
	return newPoints(rule, channels, len(p.rows), func(row int32) (int32, pointUse) {
		channel, use := p.leaving(row)
		if ofLinks {
			channel = p.firstSlot(int(row))
		}
		return channel, use
	}, func(flits int32) router.Cycle { return p.model.Hold(int(flits)) })
}

func (p *plan) ejections() conflicts {
	return newPoints(pointRule{kind: router.EjectConflict, place: atNode}, p.t.Nodes(), len(p.rows), p.arriving, p.work)
}

// leaving returns where a row enters the network, and that use.
func (p *plan) leaving(row int32) (node int32, use pointUse) {
	r := &p.rows[row]
	return int32(r.source), pointUse{r.dispatch, r.flits, row}
}

// arriving returns where a row leaves the network, and that use.
func (p *plan) arriving(row int32) (node int32, use pointUse) {
	r := &p.rows[row]
	return int32(r.destination), pointUse{p.arrival(int(row)), r.flits, row}
}

// duplexUses are the uses of interfaces: to send on side 0, to receive on side 1. Those of a row
// are use 2·row, to send, and the one after it.
func (p *plan) duplexUses() conflicts {
	rule := pointRule{kind: router.DuplexConflict, place: atNode, twoSided: true}
	return newPoints(rule, p.t.Nodes(), 2*len(p.rows), func(i int32) (int32, pointUse) {
		if i&1 == 0 {
			return p.leaving(i / 2)
		}
		node, use := p.arriving(i / 2)
		use.row = ^use.row
		return node, use
	}, p.work)
}
