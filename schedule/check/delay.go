// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// span is the cycles from from to to-1.
type span struct{ from, to router.Cycle }

// bar is a set of delays with which a pair still collides: the delays of a span and of its
// copies, count in all, each step cycles after the one before.
type bar struct {
	span
	step  router.Cycle
	count int32
}

// newBar joins copies that leave no gap.
func newBar(s span, step router.Cycle, count int32) bar {
	if step < 0 {
		all := router.Cycle(count-1) * step
		s, step = span{s.from + all, s.to + all}, -step
	}
	if s.to-s.from >= step {
		return bar{span{s.from, s.to + router.Cycle(count-1)*step}, 0, 1}
	}
	return bar{s, step, count}
}

// clear returns the delay, or the end of the copy that it is in.
func (b *bar) clear(delay router.Cycle) router.Cycle {
	if delay < b.from {
		return delay
	}
	end := b.to
	if b.count > 1 {
		end += min((delay-b.from)/b.step, router.Cycle(b.count-1)) * b.step
	}
	return max(delay, end)
}

// delays computes how much later a message must be to be clear of another.
type delays struct {
	p      *plan
	barred []bar
	runs   [2][]run // of nodes that the two messages use
	open   [2][]run // those that may reach the position at hand
}

// run is nodes at neighbouring positions, from low to high-1, that a message uses
// one after another: the one at low from cycle at on, the others step later each.
type run struct {
	low, high int32
	at, step  router.Cycle
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
	slices.SortFunc(d.barred, func(x, y bar) int { return cmp.Compare(x.from, y.from) })
	delay := router.Cycle(1)
	for before := router.Cycle(0); before != delay; {
		before = delay
		for i := range d.barred {
			delay = d.barred[i].clear(delay)
		}
	}
	return delay
}

// bar notes that one thing is used by a and by b.
func (d *delays) bar(a, b span) {
	d.barred = append(d.barred, newBar(span{a.from - b.to + 1, a.to - b.from}, 0, 1))
}

func (d *delays) interfaces(a, b int) {
	p := d.p
	ra, rb := &p.rows[a], &p.rows[b]
	spanA, spanB := p.span(int32(a)), p.span(int32(b))
	inA, inB := span{p.arrival(a), p.arrival(a) + spanA}, span{p.arrival(b), p.arrival(b) + spanB}
	outA, outB := span{ra.dispatch, ra.dispatch + spanA}, span{rb.dispatch, rb.dispatch + spanB}
	if ra.source == rb.source && (p.m.Channels != machine.Links || p.firstSlot(a) == p.firstSlot(b)) {
		d.bar(span{ra.dispatch, ra.dispatch + p.hold(int32(a))}, outB)
	}
	if ra.destination == rb.destination && (p.m.Channels != machine.Links || p.lastSlot(a) == p.lastSlot(b)) {
		d.bar(inA, inB)
	}
	if p.m.Duplex == machine.Half && ra.source == rb.destination {
		d.bar(outA, inB)
	}
	if p.m.Duplex == machine.Half && ra.destination == rb.source {
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
	rows := [2]int{a, b}
	for _, nodes := range [][]router.NodeID{d.p.lines.tail, d.p.lines.head} {
		for side, row := range rows {
			d.runs[side], d.open[side] = d.visits(d.runs[side][:0], row, nodes), d.open[side][:0]
		}
		next := [2]int{}
		for {
			side := d.lower(next)
			if side < 0 {
				break
			}
			x := d.runs[side][next[side]]
			next[side]++
			d.open[side] = append(d.open[side], x)
			others := d.open[1-side][:0]
			for _, y := range d.open[1-side] {
				if y.high <= x.low {
					continue
				}
				others = append(others, y)
				if side == 0 {
					d.meet(x, y, d.p.span(int32(a)), d.p.span(int32(b)))
				} else {
					d.meet(y, x, d.p.span(int32(a)), d.p.span(int32(b)))
				}
			}
			d.open[1-side] = others
		}
	}
}

// lower returns the side whose next run begins at the lower position, -1 at the end.
func (d *delays) lower(next [2]int) int {
	switch more := [2]bool{next[0] < len(d.runs[0]), next[1] < len(d.runs[1])}; {
	case more[0] && (!more[1] || d.runs[0][next[0]].low <= d.runs[1][next[1]].low):
		return 0
	case more[1]:
		return 1
	}
	return -1
}

// meet bars what two messages collide with at the nodes of both runs: if they go
// the same way their distance in time stays, else it changes from node to node.
func (d *delays) meet(a, b run, spanA, spanB router.Cycle) {
	low, high := max(a.low, b.low), min(a.high, b.high)
	x := a.at + router.Cycle(low-a.low)*a.step
	y := b.at + router.Cycle(low-b.low)*b.step
	d.barred = append(d.barred, newBar(span{x - y - spanB + 1, x - y + spanA}, a.step-b.step, high-low))
}

// visits appends the nodes at one end of a row's links, sorted by position.
func (d *delays) visits(list []run, row int, nodes []router.NodeID) []run {
	for i := d.p.begin[row]; i < d.p.begin[row+1]; i++ {
		list = d.along(list, &d.p.pieces[i], nodes)
	}
	slices.SortFunc(list, func(x, y run) int { return cmp.Compare(x.low, y.low) })
	return list
}

// along appends the nodes at one end of a piece's links. On trees and rows of
// grids they are neighbours, but perhaps for the first or the last one, where a
// chain hangs on another or a ring closes.
func (d *delays) along(list []run, part *piece, nodes []router.NodeID) []run {
	for first := part.first; first < part.last; {
		n := part.last - first
		switch {
		case d.straight(nodes[first:part.last]):
		case n > 2 && d.straight(nodes[first:part.last-1]):
			n--
		default:
			n = 1
		}
		r := run{at: part.at + router.Cycle(first-part.first)*d.p.hop, step: d.p.hop}
		from, to := d.p.lines.position(nodes[first]), d.p.lines.position(nodes[first+n-1])
		if from > to {
			from, to = to, from
			r.at, r.step = r.at+router.Cycle(n-1)*r.step, -r.step
		}
		r.low, r.high = from, to+1
		list = append(list, r)
		first += n
	}
	return list
}

// straight reports whether nodes of a line are at neighbouring positions, from the
// first one, the second one and the last one: only an end is ever elsewhere.
func (d *delays) straight(nodes []router.NodeID) bool {
	if len(nodes) == 1 {
		return true
	}
	last := int32(len(nodes) - 1)
	from, then, to := d.p.lines.position(nodes[0]), d.p.lines.position(nodes[1]), d.p.lines.position(nodes[last])
	step := then - from
	return (step == 1 || step == -1) && to-from == step*last
}
