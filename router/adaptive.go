// SPDX-License-Identifier: Apache-2.0

package router

// This file is adaptive routing in the reference engine, with escape channels or by a turn model. In every cycle each head that has not claimed
// an output-VC requests one, chosen by the state at the start of the cycle.

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
	e.choices = e.appendChoices(e.choices[:0], i, e.Worm(e.slots[e.slot(i, 0)].worm))
	last := len(e.choices) - 1
	for _, o := range e.choices[:last] {
		if e.out[o].owner < 0 && (!e.chooser.alone() || e.vacant(e.behind[o])) {
			return o
		}
	}
	return e.choices[last]
}

// vacant reports whether the buffer of a link input is empty and no flit is on the way to it.
func (e *reference) vacant(i int32) bool {
	return e.in[i].count == 0 && (e.transit == nil || e.transit[i] == 0)
}
