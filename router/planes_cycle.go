// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"

	"meshwright/internal/countdown"
)

// This file is the cycle of the engine of small grids.

func (e *planes) eject() int {
	e.taken = 0
	for k := range e.words {
		w := &e.words[k]
		if !w.worms {
			if w.moving {
				e.halt(w, k)
			}
			continue
		}
		for i := range w.ins[:e.links] {
			in := &w.ins[i]
			in.due = in.left.Due() &^ in.long
		}
		out := w.outs[e.links&(planeSides-1):]
		if e.vcs == 1 {
			w.decide(&out[0], e.feeds[e.links], ^uint64(0))
		} else {
			w.decideTwo((*[2]planeOut)(out), e.feeds[e.links:], ^uint64(0), ^uint64(0), &w.turns[e.links&(planeSides-1)])
			e.taken += bits.OnesCount64(out[1].crossing)
		}
		e.taken += bits.OnesCount64(out[0].crossing)
	}
	return e.taken
}

// halt notes that nothing crosses in word k, which has no worms any more.
func (e *planes) halt(w *planeWord, k int) {
	w.moving = false
	for i := range w.ins {
		w.ins[i].tails, w.ins[i].freed, w.ins[i].more = 0, 0, 0
	}
	for o := range w.outs {
		w.outs[o].crossing, w.outs[o].blocked, w.outs[o].ends = 0, 0, 0
	}
	for p := range e.links {
		e.sent[p][k+e.pad] = 0
	}
}

func (e *planes) link() {
	e.linked = 0
	for k := range e.words {
		w := &e.words[k]
		if !w.worms {
			continue
		}
		w.moving = true
		register := &w.ins[e.links&(planeSides-1)]
		register.some, register.due = e.filled[k], register.left.Due()&^register.long
		if e.vcs == 1 {
			for o := range w.outs[:e.links] {
				w.decide(&w.outs[o], e.feeds[o], ^e.shifted(e.full[o^1], k, e.far[o]))
			}
		} else {
			for o := 0; o < e.links; o += 2 {
				w.decideTwo((*[2]planeOut)(w.outs[o:]), e.feeds[o:], ^e.behindLinks(e.full[o^2], k, o), ^e.behindLinks(e.full[o^2|1], k, o), &w.turns[o])
			}
		}
		for o := range w.outs[:e.links] {
			out := &w.outs[o]
			e.linked += bits.OnesCount64(out.crossing)
			e.sent[o][k+e.pad] = out.crossing
			if eighth := out.waited.add(out.blocked); eighth != 0 {
				e.countBlocked(eighth, k, o)
			}
		}
	}
}

// behindLinks returns what word k of a plane is at the other ends of the links of a side.
func (e *planes) behindLinks(plane []uint64, k, side int) uint64 {
	word := e.shifted(plane, k, e.far[side])
	if e.rings {
		word = e.around(word, plane, k, side)
	}
	return word
}

// cycle implements streamer.
func (e *planes) cycle(place func(k int)) {
	place(0)
	e.link()
	e.update()
}

// decide gives an output of 64 chips, where it is free, to heads that ask for it, and decides where its owners' flits cross:
// where there is room. Feeds are the inputs that can ask.
func (w *planeWord) decide(out *planeOut, feeds []uint8, room uint64) {
	free := out.asked &^ out.owned
	owned := out.owned | free
	out.asked ^= free
	if contested := out.contested & free; contested != 0 {
		free &^= contested
		out.arbitrate(feeds, contested)
	}
	offered, ends, open := uint64(0), uint64(0), owned&room
	for _, i := range feeds {
		i &= planeSides - 1
		in := &w.ins[i]
		granted := out.wants[i] & free
		out.wants[i] ^= granted
		last := out.last[i]&^free | granted
		out.last[i] = last
		crossing := last & in.some
		offered |= crossing
		crossing &= open
		in.leaving |= crossing
		ends |= crossing & in.due
	}
	out.owned = owned
	offered &= owned
	out.crossing, out.blocked, out.ends = offered&room, offered&^room, ends
}

// decideTwo does so for the two virtual channels of a port, of which one sends: in turn one with room behind its link, else one shows a flit
// that is blocked.
func (w *planeWord) decideTwo(outs *[2]planeOut, feeds [][]uint8, room0, room1 uint64, turn *uint64) {
	w.decide(&outs[0], feeds[0], 0)
	w.decide(&outs[1], feeds[1], 0)
	offered0, offered1 := outs[0].blocked, outs[1].blocked
	ready0, ready1 := offered0&room0, offered1&room1
	goes0, goes1 := ready0&^(*turn&ready1), ready1&^(ready0&^*turn)
	stuck := ^(ready0 | ready1)
	outs[0].blocked, outs[1].blocked = offered0&stuck&^(*turn&offered1), offered1&stuck&^(offered0&^*turn)
	w.carry(&outs[0], feeds[0], goes0)
	w.carry(&outs[1], feeds[1], goes1)
	*turn = (*turn | goes0) &^ goes1
}

// carry lets the flits of owners cross by an output.
func (w *planeWord) carry(out *planeOut, feeds []uint8, goes uint64) {
	ends := uint64(0)
	for _, i := range feeds {
		i &= planeSides - 1
		in := &w.ins[i]
		crossing := out.last[i] & in.some & goes
		in.leaving |= crossing
		ends |= crossing & in.due
	}
	out.crossing, out.ends = goes, ends
}

// ask notes that a head asks for the output.
func (out *planeOut) ask(side int32, bit uint64) {
	out.wants[side&(planeSides-1)] |= bit
	out.contested |= out.asked & bit
	out.asked |= bit
}

// arbitrate grants contested outputs round robin: the order of the inputs goes round and begins after the last owner.
func (out *planeOut) arbitrate(feeds []uint8, contested uint64) {
	for ; contested != 0; contested &= contested - 1 {
		bit := contested & -contested
		owner, winner := int32(-1), int32(-1)
		for _, i := range feeds {
			if out.last[i]&bit != 0 {
				owner = int32(i)
			}
			out.last[i] &^= bit
		}
		for _, i := range feeds {
			if out.wants[i]&bit != 0 && (winner < 0 || turn(int32(i), owner) < turn(winner, owner)) {
				winner = int32(i)
			}
		}
		out.last[winner] |= bit
		out.wants[winner] &^= bit
		out.contested &^= bit
		for _, i := range feeds {
			if more := out.wants[i] & bit; more != 0 {
				out.ask(int32(i), more)
			}
		}
	}
}

// countBlocked adds eight cycles each for output o of chips of word k.
func (e *planes) countBlocked(set uint64, k, o int) {
	for ; set != 0; set &= set - 1 {
		e.waits.add(int32(((k<<6+bits.TrailingZeros64(set))*e.links+o)/e.vcs), 8)
	}
}

// update carries out the decisions. First all flits leave their lanes, then the heads enter those behind: most of these are
// free when the next worm comes.
func (e *planes) update() {
	if e.taken+e.linked == 0 {
		return
	}
	for k := range e.words {
		if w := &e.words[k]; w.worms {
			e.leave(w, k)
		}
	}
	for k := range e.words {
		if w := &e.words[k]; w.worms {
			e.advance(w, k)
		}
	}
	for k := range e.words {
		if w := &e.words[k]; w.worms {
			e.settle(w, k)
		}
	}
}

// leave lets flits leave the lanes of a word.
func (e *planes) leave(w *planeWord, k int) {
	taken := (*[2]planeOut)(w.outs[e.links:])
	for i := range w.ins[:e.links+1] {
		in := &w.ins[i]
		heads := in.leaving & in.fresh
		in.fresh ^= heads
		in.heads = heads &^ (taken[0].crossing&taken[0].last[i] | taken[1].crossing&taken[1].last[i])
		ran := in.left.Step(in.leaving)
		tails := ran &^ in.long
		in.tails, in.more = tails, ran&in.long
		in.freed = tails &^ (in.queued | heads)
		in.busy ^= in.freed
	}
	for o := range w.outs[:e.links+e.vcs] {
		w.outs[o].owned &^= w.outs[o].ends
	}
	register := &w.ins[e.links&(planeSides-1)]
	e.filled[k] &^= register.leaving
	register.leaving = 0
}

// advance lets heads that leave lanes of a word by links enter the lanes behind.
func (e *planes) advance(w *planeWord, k int) {
	for i := range w.ins[:e.links+1] {
		heads := w.ins[i].heads
		if heads == 0 {
			continue
		}
		w.ins[i].heads = 0
		lanes := (*[64]planeLane)(e.lanes[i*int(e.span)+k<<6:])
		for ; heads != 0; heads &= heads - 1 {
			bit := bits.TrailingZeros64(heads) & 63
			l := &lanes[bit]
			o := int32(l.out & (planeSides - 1))
			chip := int32(k<<6 | bit)
			e.passed[o*e.span+chip] += uint64(l.left)
			e.enter(e.beyond(chip, o), o^int32(e.vcs), uint8(o)&uint8(e.vcs-1), l.worm, l.left, l.destination)
		}
	}
}

// settle lets the worms behind those whose tails have left come to the front, and counts the flits of the buffers.
func (e *planes) settle(w *planeWord, k int) {
	busy := uint64(0)
	for i := range w.ins[:e.links+1] {
		in := &w.ins[i]
		if rest := in.tails &^ in.freed; rest != 0 {
			in.busy &^= rest &^ in.queued
			for set := rest & in.queued; set != 0; set &= set - 1 {
				e.follow(w, in, int32(k<<6|bits.TrailingZeros64(set)), int32(i))
			}
		}
		if in.more != 0 {
			e.shorten(in, i*int(e.span)+k<<6)
		}
		busy |= in.busy
		if i == e.links {
			break
		}
		gain, loss := e.shifted(e.sent[i^e.vcs], k, e.far[i]), in.leaving
		if e.rings {
			gain = e.around(gain, e.sent[i^e.vcs], k, i)
		}
		if gain != loss {
			e.full[i][k+e.pad] = in.count(gain&^loss, loss&^gain, e.cfg.Buffer)
		}
		in.leaving = 0
	}
	w.worms = busy != 0
}

// shorten counts for worms that have more flits to come after a report.
func (e *planes) shorten(in *planeIn, first int) {
	for set := in.more; set != 0; set &= set - 1 {
		l := &e.lanes[first+bits.TrailingZeros64(set)]
		if l.left = countdown.Rest(l.left); countdown.Reports(l.left) == 0 {
			in.long &^= set & -set
		}
	}
}

// count adds a flit to the buffers in gain and takes one from those in loss. It returns which are full.
func (in *planeIn) count(gain, loss uint64, depth int) (full uint64) {
	level := in.level[:depth+1]
	old := level[0]
	for n := range depth { // a flit is added to the level below, or taken by the one above
		next := level[n+1]
		full = (old | gain) &^ (loss &^ next)
		level[n] = full
		gain &= old
		old = next
	}
	in.some = level[0]
	return full
}

// follow lets the next worm of a lane come to its front.
func (e *planes) follow(w *planeWord, in *planeIn, chip, side int32) {
	l := &e.lanes[e.laneOf(chip, side)]
	k := l.next
	l.planeWorm = e.queue[k]
	e.queue[k].next, e.free = e.free, k
	bit := uint64(1) << (chip & 63)
	if l.next < 0 {
		in.queued &^= bit
	}
	l.out = e.way(chip, side, l.vc, l.destination)
	w.outs[l.out].ask(side, bit)
	in.begin(bit, l.left)
}

// place fills an injection register.
func (e *planes) place(i int32, f Flit) {
	if f.Flags&Head != 0 {
		e.begin(i-e.linkInputs, f.Worm)
	}
}

// begin implements streamer.
func (e *planes) begin(k int32, worm uint32) {
	w := e.Worm(worm)
	e.enter(k, int32(e.links), uint8(w.Lane), worm, w.Length, uint16(w.Destination))
}

// enter lets a worm into the lane of an input of a chip.
func (e *planes) enter(chip, side int32, vc uint8, worm, left uint32, destination uint16) {
	w := &e.words[chip>>6]
	in := &w.ins[side&(planeSides-1)]
	l := &e.lanes[e.laneOf(chip, side)]
	w.worms = true
	bit := uint64(1) << (chip & 63)
	if in.busy&bit != 0 {
		in.queued |= bit
		e.queueUp(l, planeWorm{worm, left, -1, destination, vc})
		return
	}
	in.busy |= bit
	l.worm, l.left, l.destination, l.vc = worm, left, destination, vc
	o := e.way(chip, side, vc, destination) & (planeSides - 1)
	l.out = o
	w.outs[o].ask(side, bit)
	in.begin(bit, left)
}

// begin notes that a worm with so many flits comes to the front of its lane.
func (in *planeIn) begin(bit uint64, left uint32) {
	in.fresh |= bit
	if left == countdown.Period { // as most packets have it
		in.left[0] |= bit
		in.left[1] |= bit
		in.left[2] |= bit
		return
	}
	if in.left.Load(bit, left); left > countdown.Period {
		in.long |= bit
	}
}

// queueUp lets a worm stand behind the worms of a lane.
func (e *planes) queueUp(l *planeLane, worm planeWorm) {
	k := e.free
	if k < 0 {
		k = int32(len(e.queue))
		e.queue = append(e.queue, planeWorm{})
	} else {
		e.free = e.queue[k].next
	}
	e.queue[k] = worm
	last := &l.next
	for *last >= 0 {
		last = &e.queue[*last].next
	}
	*last = k
}
