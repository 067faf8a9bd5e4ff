// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is what observers see of the engine of small grids.

// in returns the inputs of which a lane is one.
func (e *planes) in(lane int32) *planeIn {
	chip, side := e.placeOf(lane)
	return &e.words[chip>>6].ins[side]
}

// rest returns how many flits of the first worm have still to leave a lane.
func (e *planes) rest(lane int32) uint32 {
	return e.in(lane).left.Left(lane, e.lanes[lane].left)
}

func (e *planes) front(i int32) (Flit, bool) {
	lane := e.lane(i)
	if i < e.linkInputs && e.in(lane).some>>(lane&63)&1 == 0 || i >= e.linkInputs && !e.filled.Has(i-e.linkInputs) {
		return Flit{}, false
	}
	l := &e.lanes[lane]
	left := e.rest(lane)
	w := e.Worm(l.worm)
	f := Flit{Worm: l.worm, Seq: w.Length - left, Hop: e.hops(w, lane), VC: e.vcAt(i, w)}
	if f.Seq == 0 {
		f.Flags = Head
	}
	if left == 1 {
		f.Flags |= Tail
	}
	return f, true
}

// hops returns how many links a worm has crossed before it comes to a lane.
func (e *planes) hops(w *Worm, lane int32) (hops uint32) {
	here, _ := e.placeOf(lane)
	for at := int32(w.Source); at != here; hops++ {
		at = e.beyond(at, int32(e.ways[at<<e.wide|int32(w.Destination)]))
	}
	return hops
}

// owner returns the lane whose worm has claimed output o of a chip, -1: it is free.
func (e *planes) owner(chip, o int32) int32 {
	out := &e.words[chip>>6].outs[o]
	if out.owned>>(chip&63)&1 != 0 {
		for side := range out.last {
			if out.last[side]>>(chip&63)&1 != 0 {
				return e.laneOf(chip, int32(side))
			}
		}
	}
	return -1
}

// each calls yield for the outputs in a set, of those from first to end, chip by chip.
func (e *planes) each(first, end int, set func(*planeOut) uint64, yield func(chip, o int32) bool) bool {
	for k := range e.words {
		outs := e.words[k].outs[first:end]
		any := uint64(0)
		for o := range outs {
			any |= set(&outs[o])
		}
		for ; any != 0; any &= any - 1 {
			bit := bits.TrailingZeros64(any)
			for o := range outs {
				if set(&outs[o])>>bit&1 != 0 && !yield(int32(k<<6|bit), int32(first+o)) {
					return false
				}
			}
		}
	}
	return true
}

func crossingOf(o *planeOut) uint64 { return o.crossing }
func blockedOf(o *planeOut) uint64  { return o.blocked }

func (e *planes) show(yield func(Offer) bool) {
	offer := func(fired bool) func(chip, o int32) bool {
		return func(chip, o int32) bool {
			i := e.input(e.owner(chip, o))
			f, _ := e.front(i)
			out := chip*int32(e.links) + o
			if int(o) >= e.links {
				out = e.linkInputs + chip*int32(e.vcs) + o - int32(e.links)
			}
			return yield(e.view(out, i, f, fired))
		}
	}
	if e.each(e.links, e.links+e.vcs, crossingOf, offer(true)) && e.each(0, e.links, crossingOf, offer(true)) && e.keepBlocked {
		e.each(0, e.links, blockedOf, offer(false))
	}
}

func (e *planes) deliveries(list []Delivery) []Delivery {
	e.each(e.links, e.links+e.vcs, crossingOf, func(chip, o int32) bool {
		f, _ := e.front(e.input(e.owner(chip, o)))
		list = append(list, Delivery{NodeID(chip), 0, f})
		return true
	})
	return list
}

func (e *planes) tails(worms []uint32) []uint32 {
	for k := range e.words {
		outs := e.words[k].outs[e.links:][:e.vcs]
		ends := outs[0].ends
		for vc := range outs {
			ends |= outs[vc].ends
		}
		for ; ends != 0; ends &= ends - 1 {
			bit := bits.TrailingZeros64(ends)
			vc := int(outs[0].ends>>bit&1) ^ 1
			worms = append(worms, e.lanes[e.owner(int32(k<<6|bit), int32(e.links+vc))].worm)
		}
	}
	return worms
}

func (e *planes) landing(worms []uint32) []uint32 {
	e.each(e.links, e.links+e.vcs, crossingOf, func(chip, o int32) bool {
		if lane := e.owner(chip, o); e.in(lane).fresh>>(lane&63)&1 != 0 {
			worms = append(worms, e.lanes[lane].worm)
		}
		return true
	})
	return worms
}

func (e *planes) filling(list []Buffer) []Buffer {
	e.each(0, e.links, crossingOf, func(chip, o int32) bool {
		list = append(list, Buffer(e.behind[chip*int32(e.links)+o]))
		return true
	})
	return list
}

func (e *planes) moved() int     { return e.taken + e.linked }
func (e *planes) crossing() bool { return e.linked > 0 }
func (e *planes) underway() int  { return 0 }

func (e *planes) held(i int32) int {
	lane, held := e.lane(i), 0
	for _, level := range e.in(lane).level {
		held += int(level >> (lane & 63) & 1)
	}
	return held
}

func (e *planes) waitsFor(i int32) (int32, Reason) {
	if _, ok := e.front(i); !ok {
		return -1, ""
	}
	lane := e.lane(i)
	chip, _ := e.placeOf(lane)
	o := int32(e.lanes[lane].out)
	switch owner := e.owner(chip, o); {
	case owner < 0:
		return -1, ""
	case owner != lane:
		return e.input(owner), ForClaim
	case int(o) >= e.links:
		return -1, ""
	}
	behind := e.behind[chip*int32(e.links)+o]
	if e.held(behind) < e.cfg.Buffer {
		return -1, ""
	}
	return behind, ForRoom
}

// crossed counts worms from their heads on, without those of their flits that have still to cross.
func (e *planes) crossed(port int32) (sum uint64) {
	for o := port * int32(e.vcs); o < (port+1)*int32(e.vcs); o++ {
		chip, side := o/int32(e.links), o%int32(e.links)
		sum += e.passed[e.laneOf(chip, side)]
		if owner := e.owner(chip, side); owner >= 0 && e.in(owner).fresh>>(owner&63)&1 == 0 {
			sum -= uint64(e.rest(owner))
		}
	}
	return sum
}

// blockedSince returns all cycles: the bank's own counters have none.
func (e *planes) blockedSince(port int32) uint64 {
	sum := e.waits.at(port)
	for o := port * int32(e.vcs); o < (port+1)*int32(e.vcs); o++ {
		chip, side := o/int32(e.links), o%int32(e.links)
		sum += e.words[chip>>6].outs[side].waited.at(chip)
	}
	return sum
}

// learn implements learner.
func (e *planes) learn(o, in int32) {
	chip, side := e.placeOf(e.lane(in))
	output := o % int32(e.links)
	if o >= e.linkInputs {
		output = int32(e.links) + (o-e.linkInputs)%int32(e.vcs)
	}
	bit := uint64(1) << (chip & 63)
	w := &e.words[chip>>6]
	last := &w.outs[output].last
	for i := range last {
		last[i] &^= bit
	}
	last[side] |= bit
	if vc := output % int32(e.vcs); e.vcs == 2 {
		turn := &w.turns[output-vc]
		*turn = *turn&^bit | bit*uint64(1-vc)
	}
}
