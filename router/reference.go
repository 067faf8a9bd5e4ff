// SPDX-License-Identifier: Apache-2.0

package router

import "meshwright/internal/bitset"

// This file is the reference engine of wormhole switching: machines with any mix of
// virtual channels, link timing, single ports and half duplex. It is written to be read, and
// the faster engines are compared with it.

// reference is the engine's state.
type reference struct {
	*shared
	in     []input
	slots  []segment // a ring per input: Buffer for a link input, one for an injection register
	out    []output
	links  outputs // output-VCs of links
	ejects outputs // of ejection channels

	vcNext  []uint8 // per output port: virtual channel with highest priority
	rest    []Cycle // per output port: first cycle in which it may offer again; nil when Flit is 1
	sendPtr []int32 // per chip, single port: output port with highest priority
	takePtr []int32 // per chip, single port: input port with highest priority
	chip    []chipTimes
	transit []uint16 // per link input: flits in the link's delay line; nil when Hop is 1
	delay   delayLines
	offers  offerList

	choosing bitset.Set // where heads choose: inputs whose first worm has not claimed a link output yet
	choices  []int32    `snapshot:"-"` // scratch: outputs that a head may take
}

// chipTimes are the per-chip rests of the single-port and half-duplex rules:
// the first cycle in which the action is allowed again.
type chipTimes struct{ send, take, eject, inject Cycle }

func newReference(s *shared) *reference {
	channels := int(s.channelBase[s.chips])
	e := &reference{
		shared: s, in: make([]input, s.inputs), out: make([]output, (s.ports+channels)*s.cfg.VCs),
		slots: make([]segment, int(s.linkInputs)*s.cfg.Buffer+channels),
		links: newOutputs(0, int(s.linkInputs)), ejects: newOutputs(s.linkInputs, channels*s.cfg.VCs),
	}
	for i := range e.in {
		e.in[i].out, e.in[i].next = -1, -1
	}
	for o := range e.out {
		e.out[o].owner, e.out[o].waiting = -1, -1
	}
	if s.chooses() {
		e.choosing = bitset.New(s.inputs)
	}
	if s.cfg.VCs > 1 {
		e.vcNext = make([]uint8, s.ports+channels)
	}
	if s.cfg.Flit > 1 || s.cfg.Flits != nil {
		e.rest = make([]Cycle, s.ports+channels)
	}
	if s.cfg.SinglePort {
		e.sendPtr = make([]int32, s.chips)
		e.takePtr = make([]int32, s.chips)
		e.offers = newOfferList(s.chips)
	}
	if s.cfg.SinglePort || s.cfg.HalfDuplex {
		e.chip = make([]chipTimes, s.chips)
	}
	if hop := longest(s.cfg.Hop, s.cfg.Hops); hop > 1 {
		e.transit = make([]uint16, s.linkInputs)
		e.delay = make(delayLines, hop)
	}
	return e
}

// update moves the flits that cross.
func (e *reference) update() {
	if e.delay != nil {
		for _, a := range e.delay.arriving(e.now) {
			e.transit[a.in]--
			e.push(a.in, a.f)
		}
	}
	for k := range e.ejects.crossing.All() {
		e.pop(&e.ejects, k)
	}
	for o := range e.links.crossing.All() {
		f := e.pop(&e.links, o)
		f.Hop++
		e.markGone(o, &f)
		to := e.behind[o]
		if e.delay == nil {
			e.push(to, f)
			continue
		}
		if e.cfg.Hops == nil {
			e.transit[to]++
			e.delay.enter(e.now, arrival{to, f})
			continue
		}
		e.depart(o, arrival{to, f})
	}
}

// depart puts a flit on the link of output-VC o, where links have hops of their own, and some a longer one than a cycle.
func (e *reference) depart(o int32, a arrival) {
	hop := int(e.cfg.Hops[o/int32(e.cfg.VCs)])
	if hop == 1 {
		e.push(a.in, a.f)
		return
	}
	e.transit[a.in]++
	e.delay.enterHop(e.now, hop, a)
}

// longest is the longest of some times, or the one of all.
func longest(of int, times []uint8) int {
	for _, t := range times {
		of = max(of, int(t))
	}
	return of
}

// pop counts the flit that crosses output-VC k of one kind out of its input. It returns the
// data that the next buffer needs: the worm, and whether the flit is the head.
func (e *reference) pop(side *outputs, k int32) Flit {
	i := e.out[side.first+k].owner
	s := e.slots[e.slot(i, 0)]
	f := Flit{Worm: s.worm, Hop: s.hop}
	if side.fresh.Has(k) {
		side.fresh.Clear(k)
		f.Flags = Head
	}
	in := &e.in[i]
	in.count--
	if i >= e.linkInputs {
		e.filled.Clear(i - e.linkInputs)
	}
	if in.left--; in.left == 0 {
		e.finish(side, k)
	}
	return f
}

// push appends a flit to a link input. (When the tail in front of a head leaves
// in the very cycle in which the head arrives, either push or pop comes last and
// asks for the head's output; the other finds nothing to do.) A flit that its link
// loses ends here.
func (e *reference) push(to int32, f Flit) {
	if f.Flags&gone != 0 {
		e.losses.flits++
		return
	}
	e.in[to].count++
	if f.Flags&Head != 0 {
		e.enter(to, segment{f.Worm, f.Hop})
	}
}

// place fills an injection register.
func (e *reference) place(i int32, f Flit) {
	e.in[i].count = 1
	if f.Flags&Head != 0 {
		e.enter(i, segment{f.Worm, f.Hop})
	}
}
