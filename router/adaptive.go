// SPDX-License-Identifier: Apache-2.0

package router

// This file is the choice among output-VCs in the reference engine: of adaptive routing, with escape channels or by a turn model, and among the
// virtual channels of one link. In every cycle each head that has not claimed an output-VC requests one, chosen by the state at the start of the cycle.

// choose lets heads request outputs, gives each free output to one of them, and withdraws the
// requests of the others.
func (e *reference) choose() {
	for i := range e.choosing.All() {
		o := e.choice(i)
		in, out := &e.in[i], &e.out[o]
		in.out, in.next = o, out.waiting
		out.waiting = i
		if out.owner < 0 {
			e.links.asking.Set(o)
		}
	}
	e.claimOutputs(&e.links)
	for i := range e.choosing.All() {
		out := &e.out[e.in[i].out]
		out.waiting, e.in[i].next = -1, -1
		if out.owner == i {
			e.choosing.Clear(i)
		}
	}
}

// choice returns the output-VC that the head in input i requests: the first of its choices that is free,
// else the one for which it waits. With escape channels the buffer behind it must be empty: a head that waits behind another
// worm could not escape, so that no worm follows another into the buffer of an adaptive channel.
func (e *reference) choice(i int32) int32 {
	alone := false
	if e.chooser == nil {
		e.choices = e.appendClass(e.choices[:0], e.in[i].out)
	} else {
		e.choices = e.appendChoices(e.choices[:0], i, e.Worm(e.slots[e.slot(i, 0)].worm))
		alone = e.chooser.alone()
	}
	last := len(e.choices) - 1
	for _, o := range e.choices[:last] {
		if e.out[o].owner < 0 && (!alone || e.vacant(e.behind[o])) {
			return o
		}
	}
	return e.choices[last]
}

// mayMove takes inputs out of stuck until each that is left waits for others that are left alone. A head that may take several channels of a link
// waits for whichever is free first: it is stuck only if all of their owners are. (With escape channels the escape channel alone would do, and turn
// models have no circles.)
func (e *reference) mayMove(stuck []bool) {
	for changed := true; changed; {
		changed = false
		for i, left := range stuck {
			if left && e.hopes(int32(i), stuck) {
				stuck[i], changed = false, true
			}
		}
	}
}

// hopes reports whether input i waits for something that may come: an input that is not stuck, or nothing.
func (e *reference) hopes(i int32, stuck []bool) bool {
	next, _ := e.waitsFor(i)
	if next < 0 || !stuck[next] {
		return true
	}
	if !e.choosing.Has(i) {
		return false
	}
	e.choices = e.appendClass(e.choices[:0], e.in[i].out)
	for _, o := range e.choices {
		if owner := e.out[o].owner; owner < 0 || !stuck[owner] {
			return true
		}
	}
	return false
}

// vacant reports whether the buffer of a link input is empty and no flit is on the way to it.
func (e *reference) vacant(i int32) bool {
	return e.in[i].count == 0 && (e.transit == nil || e.transit[i] == 0)
}
