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

// streaming is the engine.
type streaming struct {
	claims
	flow flow
}

// flow is the state that the streaming evaluation needs besides the state of all machines.
type flow struct {
	links, ejects stream
	room          bitset.Set // link outputs with room in the buffer behind
	arriving      bitset.Set // link inputs that gained a flit in the last cycle, while the stream lasts
	leaving       bitset.Set // link inputs that lost one
	emptied       bitset.Set // link inputs whose last flit left in this cycle, and was not a tail
	refilled      bitset.Set // link inputs that were empty and gained a flit, not a head
	levels        levels     // flits in the buffers of link inputs
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

// streams reports whether a configuration has neither virtual channels nor port, duplex or
// timing rules, and no faults.
func streams(cfg *Config) bool {
	return cfg.VCs == 1 && !cfg.SinglePort && !cfg.HalfDuplex && cfg.Hop == 1 && cfg.Flit == 1 && !cfg.Bufferless && cfg.Packet == 0 && !cfg.Faulty
}

func newStreaming(s *shared) *streaming {
	channels := int(s.channelBase[s.chips])
	e := &streaming{
		claims: newClaims(s), flow: flow{
			links: newStream(s.ports), ejects: newStream(channels), drawn: bitset.New(channels),
			emptied: bitset.New(s.ports), refilled: bitset.New(s.ports), levels: newLevels(s.ports, s.cfg.Buffer),
			room: bitset.New(s.ports), arriving: bitset.New(s.ports), leaving: bitset.New(s.ports),
		},
	}
	for w := range e.flow.room {
		e.flow.room[w] = ^uint64(0)
	}
	return e
}

// claimStreams claims; every new owner has its head in front and its whole
// worm to send.
func (e *streaming) claimStreams(side *outputs, s *stream) {
	for w, word := range side.asking {
		side.asking[w] = 0
		side.owned[w] |= word
		side.fresh[w] |= word
		s.offered[w] |= word
		for ; word != 0; word &= word - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(word))
			out := &e.out[side.first+k]
			e.claim(out)
			s.left.Load(k, e.in[out.owner].left)
		}
	}
}

// eject: every claimed ejection channel takes the flit of its owner.
func (e *streaming) eject() int {
	e.claimStreams(&e.ejects, &e.flow.ejects)
	side, offered, taken := &e.ejects, e.flow.ejects.offered, 0
	for w, owned := range side.owned {
		side.crossing[w] = owned & offered[w]
		taken += bits.OnesCount64(side.crossing[w])
	}
	return taken
}

// link: an owner's flit crosses when the buffer behind the link has room.
func (e *streaming) link() {
	e.claimStreams(&e.links, &e.flow.links)
	l, f := &e.links, &e.flow
	for w, owned := range l.owned {
		offered := owned & f.links.offered[w]
		l.crossing[w] = offered & f.room[w]
		blocked := offered &^ f.room[w]
		l.blocked[w] = blocked
		for ; blocked != 0; blocked &= blocked - 1 {
			e.blocked[w<<6+bits.TrailingZeros64(blocked)]++
		}
	}
}

// update moves the flits that cross, without touching the flits of streams.
func (e *streaming) update() {
	e.turnStreams(&e.ejects, &e.flow.ejects)
	e.turnStreams(&e.links, &e.flow.links)
	e.countBuffers()
	for w, drawn := range e.flow.drawn {
		e.filled[w] &^= drawn
	}
	e.moveHeads()
	e.finishTails(&e.ejects, &e.flow.ejects)
	e.finishTails(&e.links, &e.flow.links)
	e.markBubbles()
}

// turnStreams notes which inputs begin or cease to lose and gain a flit every
// cycle, and counts the flits that cross.
func (e *streaming) turnStreams(side *outputs, s *stream) {
	for w, crossing := range side.crossing {
		turned := crossing ^ s.flowing[w]
		s.flowing[w] = crossing
		s.ran[w] = s.left.Step(w, crossing)
		for ; turned != 0; turned &= turned - 1 {
			e.toggle(side.first + int32(w<<6+bits.TrailingZeros64(turned)))
		}
	}
}

// toggle starts or stops the stream through output o.
func (e *streaming) toggle(o int32) {
	f := &e.flow
	if i := e.out[o].owner; i < e.linkInputs {
		f.leaving.Flip(i)
	} else {
		f.drawn.Flip(i - e.linkInputs)
	}
	if o < e.linkInputs {
		f.arriving.Flip(e.behind[o])
	}
}

// countBuffers counts the flits of buffers that gained or lost one. (The
// output that leads into input i has the number of its peer, since links have
// two directions.)
func (e *streaming) countBuffers() {
	f := &e.flow
	for w, arriving := range f.arriving {
		leaving := f.leaving[w]
		c := f.levels.count(w, arriving&^leaving, leaving&^arriving)
		f.emptied[w], f.refilled[w] = c.emptied, c.refilled
		for turned := c.filled | c.relieved; turned != 0; turned &= turned - 1 {
			f.room.Flip(e.cfg.Peer[w<<6+bits.TrailingZeros64(turned)])
		}
	}
}

// markBubbles notes the worms whose flits ran out before the tail or came
// again; heads and tails have taken their inputs out of the two sets.
func (e *streaming) markBubbles() {
	f := &e.flow
	for w := range f.emptied {
		for word := f.emptied[w]; word != 0; word &= word - 1 {
			e.offer(e.in[w<<6+bits.TrailingZeros64(word)].out, false)
		}
		for word := f.refilled[w]; word != 0; word &= word - 1 {
			e.offer(e.in[w<<6+bits.TrailingZeros64(word)].out, true)
		}
	}
}

// offer notes whether the owner of output o has a flit.
func (e *streaming) offer(o int32, has bool) {
	set, k := e.flow.links.offered, o
	if o >= e.linkInputs {
		set, k = e.flow.ejects.offered, o-e.linkInputs
	}
	if has {
		set.Set(k)
	} else {
		set.Clear(k)
	}
}

// moveHeads lets the worms whose heads cross enter the buffers behind.
func (e *streaming) moveHeads() {
	for w, crossing := range e.ejects.crossing {
		e.ejects.fresh[w] &^= crossing
	}
	for w, crossing := range e.links.crossing {
		heads := crossing & e.links.fresh[w]
		e.links.fresh[w] &^= heads
		for ; heads != 0; heads &= heads - 1 {
			o := int32(w<<6 + bits.TrailingZeros64(heads))
			s := e.slots[e.slot(e.out[o].owner, 0)]
			s.hop++
			e.flow.refilled.Clear(e.behind[o])
			e.enter(e.behind[o], s)
		}
	}
}

// finishTails looks at the outputs whose countdown reported: tails end their stream.
func (e *streaming) finishTails(side *outputs, s *stream) {
	for w, ran := range s.ran {
		for ; ran != 0; ran &= ran - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(ran))
			i := e.out[side.first+k].owner
			in := &e.in[i]
			if in.left = countdown.Rest(in.left); in.left > 0 {
				continue
			}
			if i < e.linkInputs {
				e.flow.emptied.Clear(i)
			}
			e.toggle(side.first + k)
			s.flowing.Clear(k)
			e.finish(side, k)
		}
	}
}

// place fills an injection register.
func (e *streaming) place(i int32, f Flit) {
	if f.Flags&Head != 0 {
		e.enter(i, segment{f.Worm, f.Hop})
	}
}

// left returns how many flits of the first worm have still to leave input i: the flits of
// a worm that owns an output are counted at that output.
func (e *streaming) left(i int32) uint32 {
	in := &e.in[i]
	if in.out < 0 || e.out[in.out].owner != i {
		return in.left
	}
	if in.out < e.linkInputs {
		return e.flow.links.left.Left(in.out, in.left)
	}
	return e.flow.ejects.left.Left(in.out-e.linkInputs, in.left)
}

func (e *streaming) front(i int32) (Flit, bool) {
	if i < e.linkInputs && e.held(i) == 0 || i >= e.linkInputs && !e.filled.Has(i-e.linkInputs) {
		return Flit{}, false
	}
	return e.frontOf(i, e.left(i)), true
}

func (e *streaming) show(yield func(Offer) bool) { e.showOutputs(yield, e.front) }

func (e *streaming) deliveries(list []Delivery) []Delivery { return e.taken(list, e.front) }

func (e *streaming) tails(worms []uint32) []uint32 {
	for w, word := range e.ejects.crossing {
		word &= e.flow.ejects.left.Due(w) // the countdown of the others goes on
		for ; word != 0; word &= word - 1 {
			i := e.out[e.ejects.first+int32(w<<6+bits.TrailingZeros64(word))].owner
			if e.left(i) == 1 {
				worms = append(worms, e.slots[e.slot(i, 0)].worm)
			}
		}
	}
	return worms
}

func (e *streaming) waitsFor(i int32) (int32, Reason) {
	if _, ok := e.front(i); !ok {
		return -1, ""
	}
	return e.needs(i, func(o int32) bool { return e.held(e.behind[o]) < e.cfg.Buffer })
}

func (e *streaming) held(i int32) int { return e.flow.levels.at(i) }

func (e *streaming) underway() int { return 0 }

func (e *streaming) crossed(port int32) uint64 { return e.crossedBy(port, e.left) }

func (e *streaming) bytes() uintptr {
	f := &e.flow
	return e.claims.bytes() + 6*8*uintptr(len(f.links.ran)+len(f.ejects.ran)) +
		8*uintptr(5*len(f.room)+len(f.drawn)+len(f.levels.words)+len(f.levels.depth))
}
