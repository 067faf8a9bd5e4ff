// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/schedule"
	"meshwright/router"
)

// span is the cycles from from to to-1.
type span struct{ from, to router.Cycle }

// delays computes how much later a message must be to be clear of another.
type delays struct {
	p      *plan
	barred []span   // delays with which the pair still collides
	a, b   []nodeAt // nodes that the two messages use
}

// nodeAt is the cycle from which on a message uses a node.
type nodeAt struct {
	node router.NodeID
	from router.Cycle
}

func newDelays(p *plan) *delays { return &delays{p: p} }

// smallest returns the smallest delay of row b, at least 1, that clears it of
// row a, which is dispatched no later.
func (d *delays) smallest(a, b int) router.Cycle {
	d.barred = d.barred[:0]
	d.interfaces(a, b)
	if d.p.m.Ports == machine.SinglePort {
		d.nodes(a, b)
	} else {
		d.links(a, b)
	}
	slices.SortFunc(d.barred, func(x, y span) int { return cmp.Compare(x.from, y.from) })
	delay := router.Cycle(1)
	for _, s := range d.barred {
		if s.from <= delay {
			delay = max(delay, s.to)
		}
	}
	return delay
}

// bar notes that one thing is used by a and by b.
func (d *delays) bar(a, b span) {
	d.barred = append(d.barred, span{a.from - b.to + 1, a.to - b.from})
}

func (d *delays) interfaces(a, b int) {
	p := d.p
	ra, rb := &p.s.Rows[a], &p.s.Rows[b]
	inA, inB := span{p.arrival(a), p.arrival(a) + p.spans[a]}, span{p.arrival(b), p.arrival(b) + p.spans[b]}
	outA, outB := span{ra.Dispatch, ra.Dispatch + p.spans[a]}, span{rb.Dispatch, rb.Dispatch + p.spans[b]}
	if ra.Source == rb.Source && (p.m.Channels != machine.Links || p.firstSlot(a) == p.firstSlot(b)) {
		d.bar(span{ra.Dispatch, ra.Dispatch + schedule.Hold(&p.m, ra.Flits)}, outB)
	}
	if ra.Destination == rb.Destination && (p.m.Channels != machine.Links || p.lastSlot(a) == p.lastSlot(b)) {
		d.bar(inA, inB)
	}
	if p.m.Duplex == machine.Half && ra.Source == rb.Destination {
		d.bar(outA, inB)
	}
	if p.m.Duplex == machine.Half && ra.Destination == rb.Source {
		d.bar(inA, outB)
	}
}

// links bars the delays that collide on links: one range for two straight
// pieces on a line, as they keep their distance along it.
func (d *delays) links(a, b int) {
	p := d.p
	for i := p.begin[a]; i < p.begin[a+1]; i++ {
		for j := p.begin[b]; j < p.begin[b+1]; j++ {
			x, y := &p.pieces[i], &p.pieces[j]
			if max(x.first, y.first) < min(x.last, y.last) {
				u, v := p.rectOf(x, x.first, x.last), p.rectOf(y, y.first, y.last)
				d.bar(span{u.from, u.to}, span{v.from, v.to})
			}
		}
	}
}

// nodes bars the delays that collide at nodes of a one-port machine, which
// include those that collide on links.
func (d *delays) nodes(a, b int) {
	for _, nodes := range [][]router.NodeID{d.p.lines.tail, d.p.lines.head} {
		d.a, d.b = d.visits(d.a[:0], a, nodes), d.visits(d.b[:0], b, nodes)
		for i, j := 0, 0; i < len(d.a) && j < len(d.b); {
			switch x, y := d.a[i], d.b[j]; {
			case x.node < y.node:
				i++
			case x.node > y.node:
				j++
			default:
				d.meet(x.node, d.a[i:], d.b[j:], d.p.spans[a], d.p.spans[b])
				for i < len(d.a) && d.a[i].node == x.node {
					i++
				}
			}
		}
	}
}

// meet bars what two messages collide with at a node that both lists begin with.
func (d *delays) meet(node router.NodeID, a, b []nodeAt, spanA, spanB router.Cycle) {
	for _, x := range a {
		if x.node != node {
			return
		}
		for _, y := range b {
			if y.node != node {
				break
			}
			d.bar(span{x.from, x.from + spanA}, span{y.from, y.from + spanB})
		}
	}
}

// visits appends the nodes at one end of a row's links, sorted.
func (d *delays) visits(list []nodeAt, row int, nodes []router.NodeID) []nodeAt {
	for i := d.p.begin[row]; i < d.p.begin[row+1]; i++ {
		part := &d.p.pieces[i]
		for slot := part.first; slot < part.last; slot++ {
			list = append(list, nodeAt{nodes[slot], part.at + router.Cycle(slot-part.first)*d.p.hop})
		}
	}
	slices.SortFunc(list, func(x, y nodeAt) int { return cmp.Compare(x.node, y.node) })
	return list
}
