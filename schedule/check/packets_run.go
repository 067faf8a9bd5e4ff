// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// lastTick bounds the times of an account; a packet's time on a link is far less.
const lastTick = router.Cycle(1) << 61

// run goes from one tick with an event to the next. Events of one tick at different chips are
// independent: each phase sees the results of the phases before it.
func (a *account) run(phase *progress.Phase) error {
	for {
		if phase.Due() {
			if err := phase.Err(); err != nil {
				return err
			}
			phase.Set(a.entered, len(a.rows))
		}
		now, list := a.events.next()
		if list == nil {
			return nil
		}
		if now > lastTick {
			return input.Errorf("expected less than 2^61 ticks", "the schedule takes too long")
		}
		a.now = now
		a.senders, a.receivers, a.placed = a.senders[:0], a.receivers[:0], a.placed[:0]
		for _, e := range list {
			a.handle(e)
		}
		a.enqueueFronts()
		for _, u := range a.senders {
			a.ask(u)
		}
		for _, v := range a.receivers {
			a.grant(v)
		}
		for _, v := range a.placed {
			if c := &a.units[v]; c.head != none { // it did not start in its first tick
				a.enqueue(v, c.head)
				c.head = none
			}
		}
	}
}

// handle brings the registers to the start of the tick.
func (a *account) handle(e event) {
	switch e.kind {
	case placing:
		c := &a.units[e.of]
		c.head = a.rows[c.row]
		c.row++
		a.entered++
		a.report.Entered[c.head], a.packets[c.head].since = a.now, a.now
		a.placed, a.senders = append(a.placed, e.of), append(a.senders, e.of)
	case arriving:
		if !a.loses(e.of) {
			a.arrive(e.of)
		}
	case crossed:
		a.end(e.of)
	case roomy:
		a.links[e.of].parked = false
		a.admit(e.of)
	}
}

// arrive makes the packet on a link eligible in the chip behind it: with all ports
// when it is the first one of its buffer.
func (a *account) arrive(slot int32) {
	l := &a.links[slot]
	row := l.packet
	a.forward(row)
	a.packets[row].since = a.now
	switch {
	case a.single():
		a.enqueue(l.to, row)
		a.senders = append(a.senders, l.to)
	case l.first != none:
		a.packets[l.last].next, l.last = row, row
	default:
		l.first, l.last = row, row
		if l.drain == none {
			a.fronts = append(a.fronts, slot)
		}
	}
}

// begin makes a transceiver send the first packet of a buffer.
func (a *account) begin(slot, unit int32) {
	l := &a.links[slot]
	l.drain = unit
	switch {
	case a.single():
	case l.first == l.last:
		l.first = none
	default:
		l.first = a.packets[l.first].next
	}
}

// leave takes the packet that has left a buffer out of it.
func (a *account) leave(slot, row int32) {
	l := &a.links[slot]
	l.held -= a.packets[row].flits
	if l.drain = none; l.first != none {
		a.fronts = append(a.fronts, slot)
	}
}

// enqueueFronts gives the packets that have come to the front of their buffers the last
// turns of their links, those from lower ports first.
func (a *account) enqueueFronts() {
	slices.SortFunc(a.fronts, func(s, t int32) int { return int(a.links[s].port - a.links[t].port) })
	for _, slot := range a.fronts {
		row := a.links[slot].first
		v := a.links[a.packets[row].out].from
		a.enqueue(v, row)
		a.senders = append(a.senders, v)
	}
	a.fronts = a.fronts[:0]
}

// end is the tick after a tail has crossed a link: both chips are free.
func (a *account) end(slot int32) {
	l := &a.links[slot]
	a.report.Quiet = a.now
	u, v, p := l.from, l.to, &a.packets[l.packet]
	a.report.Hops[l.packet]++
	sender := &a.units[u]
	if sender.from != none {
		a.leave(sender.from, l.packet)
	}
	sender.sending, a.units[v].receiving = false, false
	a.senders, a.receivers = append(a.senders, u), append(a.receivers, v)
	if a.loses(slot) {
		a.lose(slot)
		return
	}
	if p.to == router.NodeID(l.head) {
		a.report.Arrivals[l.packet] = a.now
		return
	}
	l.held += p.flits
	a.measure(slot)
	if !a.cutThrough() {
		a.arrive(slot)
	}
}

// measure looks for the fullest buffer. While a packet comes a buffer never has
// fewer flits from one to the next, since no two leave in the time of one: the
// most are there when its tail is.
func (a *account) measure(slot int32) {
	r := a.report
	if flits := int(a.filled(slot)); flits > r.MaxBufferFlits {
		r.MaxBufferFlits, r.Fullest, r.FullestPort = flits, router.NodeID(a.links[slot].head), router.Port(a.links[slot].port)
	}
}

// filled returns the flits in the buffer behind a link at the start of the tick,
// when no packet is on the link.
func (a *account) filled(slot int32) int64 {
	l := &a.links[slot]
	if l.drain != none {
		return l.held - a.gone(&a.units[l.drain])
	}
	return l.held
}

// gone returns how many flits of the packet that a transceiver sends have left it.
func (a *account) gone(c *transceiver) int64 {
	flits := int64((a.now - c.granted - a.setup) / a.flit)
	return min(max(0, flits), a.packets[c.packet].flits)
}

// enqueue gives a packet the last turn of transceiver v.
func (a *account) enqueue(v, row int32) {
	c := &a.units[v]
	a.packets[row].behind = none
	if c.first == none {
		c.first = row
	} else {
		a.packets[c.last].behind = row
	}
	c.last = row
}

// ask lets transceiver u request a link for the packet whose turn it is: the first in
// its queue, or, when there is none, the one whose head is new.
func (a *account) ask(u int32) {
	c := &a.units[u]
	if c.sending || c.asking {
		return
	}
	row := c.first
	if row == none {
		row = c.head
	}
	if row == none {
		return
	}
	p := &a.packets[row]
	c.asking, c.asked = true, a.now
	a.wait(&a.report.Turns, &p.delayed[0], a.now-p.since)
	l := &a.links[p.out]
	if excess := a.filled(p.out) - a.room; excess > 0 {
		l.parked = true
		a.expectRoom(p.out)
		return
	}
	a.admit(p.out)
}

// admit lets the request for a link, for which there is room, compete.
func (a *account) admit(slot int32) {
	l := &a.links[slot]
	c := &a.units[l.to]
	c.waiting = pushRequest(c.waiting, request{a.units[l.from].asked, l.port, slot})
	a.receivers = append(a.receivers, l.to)
}

// expectRoom puts the tick on the clock in which the buffer behind a requested
// link will have room, if it is the packet being sent from it that makes it.
func (a *account) expectRoom(slot int32) {
	if a.links[slot].drain == none {
		return
	}
	c := &a.units[a.links[slot].drain]
	need := a.links[slot].held - a.room // flits of the packet that have to be gone
	if need <= a.packets[c.packet].flits {
		a.events.add(event{c.granted + a.setup + router.Cycle(need)*a.flit, slot, roomy})
	}
}

// grant lets transceiver v, unless it receives, take the packet of the oldest request.
func (a *account) grant(v int32) {
	c := &a.units[v]
	if c.receiving || len(c.waiting) == 0 {
		return
	}
	slot := c.waiting[0].slot
	c.waiting = popRequest(c.waiting)
	c.receiving = true
	a.start(slot)
}

// start begins to send a packet over a link.
func (a *account) start(slot int32) {
	l := &a.links[slot]
	c := &a.units[l.from]
	row := c.head
	if c.first != none {
		row = c.first
		c.first = a.packets[row].behind
	} else {
		c.head = none
	}
	p := &a.packets[row]
	a.wait(&a.report.Grants, &p.delayed[1], a.now-c.asked)
	c.asking, c.sending, c.packet, c.from, c.granted = false, true, row, p.in, a.now
	l.packet = row
	l.flits += uint64(p.flits)
	l.packets++
	begins := a.now + a.setup
	ends := begins + router.Cycle(p.flits)*a.flit
	a.events.add(event{ends, slot, crossed})
	if a.cutThrough() && p.to != router.NodeID(l.head) {
		a.events.add(event{begins + a.flit, slot, arriving})
	}
	if p.in != none {
		a.begin(p.in, l.from)
		if a.links[p.in].parked {
			a.expectRoom(p.in)
		}
		return
	}
	tail := a.report.Entered[row] // its flits enter one after the other, each when the one before has left
	if p.flits > 1 {
		tail = ends - a.flit
	}
	a.schedule(l.from, tail+1, ends)
}

// wait notes that a packet has waited for some ticks, maybe none.
func (a *account) wait(w *Waits, counted *bool, ticks router.Cycle) {
	if ticks > 0 {
		w.Longest = max(w.Longest, ticks)
		w.count(counted)
	}
}

// count counts a packet once.
func (w *Waits) count(counted *bool) {
	if !*counted {
		*counted = true
		w.Packets++
	}
}

// waitForEver counts the packets that still stand in queues, or behind others in buffers.
func (a *account) waitForEver() {
	for v := range a.units {
		for row := a.units[v].first; row != none; row = a.packets[row].behind {
			if p := &a.packets[row]; row == a.units[v].first && a.units[v].asking {
				a.report.Grants.count(&p.delayed[1])
			} else {
				a.report.Turns.count(&p.delayed[0])
			}
		}
	}
	for slot := range a.links {
		l := &a.links[slot]
		for row := l.first; row != none && row != l.last; {
			row = a.packets[row].next
			a.report.Turns.count(&a.packets[row].delayed[0])
		}
	}
}
