// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"meshwright/internal/heap"
	"meshwright/router"
)

// dispatcher books the messages of a schedule cycle by cycle.
type dispatcher struct {
	*search
	made    *schedule
	lead    int32
	waiting []int32             // by part and message: the messages that it waits for
	ready   []heap.Heap[waiter] // by channel: what could go
	woken   []bool              // by channel: whether there is an event
	events  heap.Heap[event]
}

// waiter is a message of a part that could go.
type waiter struct{ turn, message int32 }

// Before prefers messages of earlier turns, and then the first of a part.
func (w waiter) Before(v waiter) bool {
	if w.turn != v.turn {
		return w.turn < v.turn
	}
	return w.message < v.message
}

// event is a channel that may be free, or a message that is whole.
type event struct {
	at   router.Cycle
	what int32 // a channel, or -1 less a message
}

// Before orders events by time: messages are whole before channels send.
func (e event) Before(f event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	return e.what < f.what
}

// dispatched books the messages of a pattern cycle by cycle: a channel that is free takes, of the messages that could go, the first one of the first part. With a lead of 1 sums of a part go before
// the all-gather of the part before it. The result is nil if the schedule is not faster than the best.
func (s *search) dispatched(p *pattern, parts, lead int) *schedule {
	made := s.newSchedule(p, parts)
	d := &dispatcher{
		search: s, made: made, lead: int32(lead), waiting: make([]int32, len(made.times)),
		ready: make([]heap.Heap[waiter], s.Channels), woken: make([]bool, s.Channels),
	}
	s.book.Clear()
	for i := range d.waiting {
		d.waiting[i] = int32(len(p.messages[i%len(p.messages)].after))
	}
	for i := range d.waiting {
		if len(p.messages[i%len(p.messages)].after) == 0 {
			d.add(int32(i), 0)
		}
	}
	for seen := 1; len(d.events) > 0; seen++ {
		e := d.events.Pop()
		if e.what < 0 {
			d.whole(-1-e.what, e.at)
		} else {
			d.woken[e.what] = false
			d.send(e.what, e.at)
		}
		if made.cycles >= s.limit() || seen%lookEvery == 0 && s.over() {
			return nil
		}
	}
	return made
}

// add notes that a message waits for no other any more.
func (d *dispatcher) add(i int32, now router.Cycle) {
	if d.made.words[i] == 0 {
		d.whole(i, now)
		return
	}
	count := int32(len(d.made.messages))
	k := i % count
	turn := 2 * (i / count)
	if int(k) >= d.made.sums {
		turn += 1 + 2*d.lead
	}
	m := &d.made.messages[k]
	c := d.Out(m.from, m.to)
	d.ready[c].Push(waiter{turn, i})
	d.wake(c, now)
}

// wake lets a channel look for a message in a cycle, unless it will do so anyway.
func (d *dispatcher) wake(channel int32, at router.Cycle) {
	if !d.woken[channel] {
		d.woken[channel] = true
		d.events.Push(event{at, channel})
	}
}

// whole notes that a message is there.
func (d *dispatcher) whole(i int32, now router.Cycle) {
	count := int32(len(d.made.messages))
	for _, k := range d.made.next[i%count] {
		next := i - i%count + k
		if d.waiting[next]--; d.waiting[next] == 0 {
			d.add(next, now)
		}
	}
}

// send hands over the first message that waits for a channel, if it can go now.
func (d *dispatcher) send(channel int32, now router.Cycle) {
	if len(d.ready[channel]) == 0 {
		return
	}
	i := d.ready[channel][0].message
	m, words := &d.made.messages[i%int32(len(d.made.messages))], int(d.made.words[i])
	route := d.Route(m.from, m.to)
	if at := d.book.Earliest(router.NodeID(m.from), route, words, now); at > now {
		d.wake(channel, at)
		return
	}
	d.ready[channel].Pop()
	handed, whole := d.book.Reserve(router.NodeID(m.from), route, words, now)
	d.made.times[i], d.made.cycles = booked{handed, whole}, max(d.made.cycles, whole+1)
	d.events.Push(event{whole, -1 - i})
	d.wake(channel, now+d.book.Startup+d.book.Work(words))
}
