// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"

	"meshwright/internal/bitset"
	"meshwright/internal/countdown"
)

// This file is a faster evaluation for machines with one virtual channel and no
// rules beyond buffers. It makes the same decisions as the general evaluation;
// a test compares the two.
//
// The body of a worm that holds its outputs streams: the same flits cross the
// same links cycle after cycle, and every buffer on the way loses one flit and
// gains one. So whether an output can move is kept as a bit, and 64 outputs
// are decided and counted by a few word operations. Only events cost individual
// work: heads and tails, streams that start or stop, and buffers that fill or
// drain, since only one of their ends streams.

// flow is the state that the streaming evaluation needs besides the state of all machines.
type flow struct {
	links, ejects stream
	room          bitset.Set // link outputs with room in the buffer behind
	arriving      bitset.Set // link inputs that gained a flit in the last cycle, while the stream lasts
	leaving       bitset.Set // link inputs that lost one
	emptied       bitset.Set // link inputs whose last flit left in this cycle, and was not a tail
	refilled      bitset.Set // link inputs that were empty and gained a flit, not a head
	held          levels     // flits in the buffers of link inputs
	drawn         bitset.Set // injection registers that lost theirs, by channel
}

// stream is kept for the outputs of one kind.
type stream struct {
	offered bitset.Set    // the owner has a flit; of no meaning without owner
	flowing bitset.Set    // a flit crossed in the last cycle, and was not the tail
	ran     bitset.Set    // the countdown reported in this cycle
	left    countdown.Set // flits of the owner's worm that have still to cross
}

func newStream(n int) stream {
	return stream{offered: bitset.New(n), flowing: bitset.New(n), ran: bitset.New(n), left: countdown.New(n)}
}

func (b *Bank) newFlow(channels int) flow {
	f := flow{
		links: newStream(b.ports), ejects: newStream(channels), drawn: bitset.New(channels),
		emptied: bitset.New(b.ports), refilled: bitset.New(b.ports), held: newLevels(b.ports, b.cfg.Buffer),
		room: bitset.New(b.ports), arriving: bitset.New(b.ports), leaving: bitset.New(b.ports),
	}
	for w := range f.room {
		f.room[w] = ^uint64(0)
	}
	return f
}

func (b *Bank) claimEjections() { b.claimStreams(&b.ejects, &b.flow.ejects) }
func (b *Bank) claimLinks()     { b.claimStreams(&b.links, &b.flow.links) }

// claimStreams claims; every new owner has its head in front and its whole
// worm to send.
func (b *Bank) claimStreams(side *outputs, s *stream) {
	for w, word := range side.asking {
		side.asking[w] = 0
		side.owned[w] |= word
		side.fresh[w] |= word
		s.offered[w] |= word
		for ; word != 0; word &= word - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(word))
			out := &b.out[side.first+k]
			b.claim(out)
			s.left.Load(k, b.in[out.owner].left)
		}
	}
}

// ejectStreaming: every claimed ejection channel takes the flit of its owner.
func (b *Bank) ejectStreaming() {
	e, offered := &b.ejects, b.flow.ejects.offered
	for w, owned := range e.owned {
		e.crossing[w] = owned & offered[w]
	}
}

// linksStreaming: an owner's flit crosses when the buffer behind the link has room.
func (b *Bank) linksStreaming() {
	l, f := &b.links, &b.flow
	for w, owned := range l.owned {
		offered := owned & f.links.offered[w]
		l.crossing[w] = offered & f.room[w]
		blocked := offered &^ f.room[w]
		l.blocked[w] = blocked
		for ; blocked != 0; blocked &= blocked - 1 {
			b.Blocked[w<<6+bits.TrailingZeros64(blocked)]++
		}
	}
}

// updateStreaming moves the flits that cross, without touching the flits of streams.
func (b *Bank) updateStreaming() {
	b.turnStreams(&b.ejects, &b.flow.ejects)
	b.turnStreams(&b.links, &b.flow.links)
	b.countBuffers()
	for w, drawn := range b.flow.drawn {
		b.filled[w] &^= drawn
	}
	b.moveHeads()
	b.finishTails(&b.ejects, &b.flow.ejects)
	b.finishTails(&b.links, &b.flow.links)
	b.markBubbles()
}

// turnStreams notes which inputs begin or cease to lose and gain a flit every
// cycle, and counts the flits that cross.
func (b *Bank) turnStreams(side *outputs, s *stream) {
	for w, crossing := range side.crossing {
		turned := crossing ^ s.flowing[w]
		s.flowing[w] = crossing
		s.ran[w] = s.left.Step(w, crossing)
		for ; turned != 0; turned &= turned - 1 {
			b.toggle(side.first + int32(w<<6+bits.TrailingZeros64(turned)))
		}
	}
}

// toggle starts or stops the stream through output o.
func (b *Bank) toggle(o int32) {
	f := &b.flow
	if i := b.out[o].owner; i < b.linkInputs {
		f.leaving.Flip(i)
	} else {
		f.drawn.Flip(i - b.linkInputs)
	}
	if o < b.linkInputs {
		f.arriving.Flip(b.behind[o])
	}
}

// countBuffers counts the flits of buffers that gained or lost one. (The
// output that leads into input i has the number of its peer, since links have
// two directions.)
func (b *Bank) countBuffers() {
	f := &b.flow
	for w, arriving := range f.arriving {
		leaving := f.leaving[w]
		c := f.held.count(w, arriving&^leaving, leaving&^arriving)
		f.emptied[w], f.refilled[w] = c.emptied, c.refilled
		for turned := c.filled | c.relieved; turned != 0; turned &= turned - 1 {
			f.room.Flip(b.cfg.Peer[w<<6+bits.TrailingZeros64(turned)])
		}
	}
}

// markBubbles notes the worms whose flits ran out before the tail or came
// again; heads and tails have taken their inputs out of the two sets.
func (b *Bank) markBubbles() {
	f := &b.flow
	for w := range f.emptied {
		for word := f.emptied[w]; word != 0; word &= word - 1 {
			b.offer(b.in[w<<6+bits.TrailingZeros64(word)].out, false)
		}
		for word := f.refilled[w]; word != 0; word &= word - 1 {
			b.offer(b.in[w<<6+bits.TrailingZeros64(word)].out, true)
		}
	}
}

// offer notes whether the owner of output o has a flit.
func (b *Bank) offer(o int32, has bool) {
	set, k := b.flow.links.offered, o
	if o >= b.linkInputs {
		set, k = b.flow.ejects.offered, o-b.linkInputs
	}
	if has {
		set.Set(k)
	} else {
		set.Clear(k)
	}
}

// moveHeads lets the worms whose heads cross enter the buffers behind.
func (b *Bank) moveHeads() {
	for w, crossing := range b.ejects.crossing {
		b.ejects.fresh[w] &^= crossing
	}
	for w, crossing := range b.links.crossing {
		heads := crossing & b.links.fresh[w]
		b.links.fresh[w] &^= heads
		for ; heads != 0; heads &= heads - 1 {
			o := int32(w<<6 + bits.TrailingZeros64(heads))
			s := b.slots[b.slot(b.out[o].owner, 0)]
			s.hop++
			b.flow.refilled.Clear(b.behind[o])
			b.enter(b.behind[o], s)
		}
	}
}

// finishTails looks at the outputs whose countdown reported: tails end their stream.
func (b *Bank) finishTails(side *outputs, s *stream) {
	for w, ran := range s.ran {
		for ; ran != 0; ran &= ran - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(ran))
			i := b.out[side.first+k].owner
			in := &b.in[i]
			if in.left = countdown.Rest(in.left); in.left > 0 {
				continue
			}
			if i < b.linkInputs {
				b.flow.emptied.Clear(i)
			}
			b.toggle(side.first + k)
			s.flowing.Clear(k)
			b.finish(side, k)
		}
	}
}
