// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"

	"meshwright/internal/bitset"
)

// This file is how worms stand in the inputs of the reference engine, and claim outputs.

// input is the state of one input: a link port's buffer for one virtual
// channel, or an injection register. Its flits are not kept one by one: they
// are the segments of worms in the input's ring, in order, and left tells how
// far the first of these worms has gone through.
type input struct {
	count uint16 // flits held
	first uint16 // slot of the first segment
	worms uint16 // segments held
	left  uint32 // flits of the first worm that have still to leave
	out   int32  // output-VC that the first worm wants or owns, -1: none
	next  int32  // next input that waits for the same output-VC, -1: last
}

// segment is the part of a worm that passes through an input.
type segment struct {
	worm uint32
	hop  uint32 // links crossed so far
}

// output is the state of one output-VC.
type output struct {
	owner   int32 // input whose worm has claimed it, -1: free
	waiting int32 // first of the list of inputs whose heads request it, -1: none
	pointer int32 // input with highest priority; the arbiter's order is that of the numbers
}

// outputs are the output-VCs of one kind, of all chips, as sets; number k of a
// set is output-VC first+k.
type outputs struct {
	first    int32
	asking   bitset.Set // free, and heads request it
	owned    bitset.Set // claimed by a worm
	fresh    bitset.Set // owned, and the head has not crossed yet
	crossing bitset.Set // a flit crosses in this cycle
	blocked  bitset.Set // a flit is offered in this cycle and does not cross
}

func newOutputs(first int32, n int) outputs {
	return outputs{
		first: first, asking: bitset.New(n), owned: bitset.New(n), fresh: bitset.New(n),
		crossing: bitset.New(n), blocked: bitset.New(n),
	}
}

// slot returns where segment k of an input's ring is kept.
func (e *reference) slot(i int32, k uint16) int {
	if i >= e.linkInputs {
		return int(e.linkInputs)*e.cfg.Buffer + int(i-e.linkInputs)
	}
	at := int(e.in[i].first) + int(k)
	if at >= e.cfg.Buffer {
		at -= e.cfg.Buffer
	}
	return int(i)*e.cfg.Buffer + at
}

// enter appends a worm to the ring of input i, as its head arrives there.
func (e *reference) enter(i int32, s segment) {
	in := &e.in[i]
	e.slots[e.slot(i, in.worms)] = s
	if in.worms++; in.worms == 1 {
		e.request(i, s)
	}
}

// request routes the first worm of input i, whose head stands at the front,
// and enters it into the list of those that wait for its output-VC.
func (e *reference) request(i int32, s segment) {
	w := e.Worm(s.worm)
	if e.chooser != nil && NodeID(e.chipOf(i)) != w.Destination {
		e.in[i].left = w.Length
		e.choosing.Set(i)
		return
	}
	o := e.outputFor(i, w, s.hop, e.vcAt(i, w))
	in, out := &e.in[i], &e.out[o]
	in.left = w.Length
	if e.cfg.Classes > 0 && o < e.linkInputs {
		in.out = o
		e.choosing.Set(i)
		return
	}
	in.out, in.next = o, out.waiting
	out.waiting = i
	if out.owner >= 0 {
		return
	}
	if o < e.linkInputs {
		e.links.asking.Set(o)
	} else {
		e.ejects.asking.Set(o - e.linkInputs)
	}
}

// claim makes the first requesting input at or after the pointer the owner;
// the pointer moves past it (round robin).
func (e *reference) claim(out *output) {
	winner, before := out.waiting, int32(-1)
	best := uint32(winner - out.pointer) // inputs before the pointer wrap around to last place
	previous := winner
	for i := e.in[winner].next; i >= 0; i = e.in[i].next {
		if distance := uint32(i - out.pointer); distance < best {
			winner, before, best = i, previous, distance
		}
		previous = i
	}
	if before < 0 {
		out.waiting = e.in[winner].next
	} else {
		e.in[before].next = e.in[winner].next
	}
	e.in[winner].next = -1
	out.owner, out.pointer = winner, winner+1
}

// finish follows a tail out of its input: the output-VC is free, and the head
// that comes to the front asks for its own.
func (e *reference) finish(side *outputs, k int32) {
	out := &e.out[side.first+k]
	i := out.owner
	out.owner = -1
	side.owned.Clear(k)
	if out.waiting >= 0 {
		side.asking.Set(k)
	}
	in := &e.in[i]
	in.out = -1
	if side == &e.links {
		e.carried.add(k/int32(e.cfg.VCs), uint64(e.Worm(e.slots[e.slot(i, 0)].worm).Length))
	}
	if i < e.linkInputs {
		if in.first++; int(in.first) == e.cfg.Buffer {
			in.first = 0
		}
	}
	if in.worms--; in.worms > 0 {
		e.request(i, e.slots[e.slot(i, 0)])
	}
}

// claimOutputs gives every free output-VC of one kind that heads request to
// one of them.
func (e *reference) claimOutputs(side *outputs) {
	for w, word := range side.asking {
		side.asking[w] = 0
		side.owned[w] |= word
		side.fresh[w] |= word
		for ; word != 0; word &= word - 1 {
			e.claim(&e.out[side.first+int32(w<<6+bits.TrailingZeros64(word))])
		}
	}
}
