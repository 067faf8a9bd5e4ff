// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is what observers see of the engine of small grids.

// in returns the inputs of which a lane is one.
func (e *planes) in(lane int32) *planeIn {
	chip, side := placeOf(lane)
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
	f := Flit{Worm: l.worm, Seq: e.Worm(l.worm).Length - left, Hop: e.hops(e.Worm(l.worm), lane)}
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
	here, _ := placeOf(lane)
	for at := int32(w.Source); at != here; hops++ {
		at += int32(e.far[e.ways[at<<e.wide|int32(w.Destination)]])
	}
	return hops
}

// owner returns the lane whose worm has claimed output o of a chip, -1: it is free.
func (e *planes) owner(chip, o int32) int32 {
	out := &e.words[chip>>6].outs[o]
	if out.owned>>(chip&63)&1 != 0 {
		for side := range out.last {
			if out.last[side]>>(chip&63)&1 != 0 {
				return laneOf(chip, int32(side))
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
			out := chip*int32(e.ports) + o
			if int(o) == e.ports {
				out = e.linkInputs + chip
			}
			return yield(e.view(out, i, f, fired))
		}
	}
	if e.each(e.ports, e.ports+1, crossingOf, offer(true)) && e.each(0, e.ports, crossingOf, offer(true)) && e.keepBlocked {
		e.each(0, e.ports, blockedOf, offer(false))
	}
}

func (e *planes) deliveries(list []Delivery) []Delivery {
	e.each(e.ports, e.ports+1, crossingOf, func(chip, o int32) bool {
		f, _ := e.front(e.input(e.owner(chip, o)))
		list = append(list, Delivery{NodeID(chip), 0, f})
		return true
	})
	return list
}

func (e *planes) tails(worms []uint32) []uint32 {
	o := int32(e.ports)
	for k := range e.words {
		for set := e.words[k].outs[o&(planeSides-1)].ends; set != 0; set &= set - 1 {
			worms = append(worms, e.lanes[e.owner(int32(k<<6|bits.TrailingZeros64(set)), o)].worm)
		}
	}
	return worms
}

func (e *planes) landing(worms []uint32) []uint32 {
	e.each(e.ports, e.ports+1, crossingOf, func(chip, o int32) bool {
		if lane := e.owner(chip, o); e.in(lane).fresh>>(lane&63)&1 != 0 {
			worms = append(worms, e.lanes[lane].worm)
		}
		return true
	})
	return worms
}

func (e *planes) filling(list []Buffer) []Buffer {
	e.each(0, e.ports, crossingOf, func(chip, o int32) bool {
		list = append(list, Buffer((chip+int32(e.far[o]))*int32(e.ports)+o^1))
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
	chip, _ := placeOf(lane)
	o := int32(e.lanes[lane].out)
	switch owner := e.owner(chip, o); {
	case owner < 0:
		return -1, ""
	case owner != lane:
		return e.input(owner), ForClaim
	case int(o) == e.ports:
		return -1, ""
	}
	behind := e.cfg.Peer[chip*int32(e.ports)+o]
	if e.held(behind) < e.cfg.Buffer {
		return -1, ""
	}
	return behind, ForRoom
}

// crossed counts worms from their heads on, without those of their flits that have still to cross.
func (e *planes) crossed(port int32) uint64 {
	chip, o := port/int32(e.ports), port%int32(e.ports)
	sum := e.passed[laneOf(chip, o)]
	if owner := e.owner(chip, o); owner >= 0 && e.in(owner).fresh>>(owner&63)&1 == 0 {
		sum -= uint64(e.rest(owner))
	}
	return sum
}

// blockedSince returns all cycles: the bank's own counters have none.
func (e *planes) blockedSince(port int32) uint64 {
	chip, o := port/int32(e.ports), port%int32(e.ports)
	return e.waits.at(port) + e.words[chip>>6].outs[o].waited.at(chip)
}

// learn implements learner.
func (e *planes) learn(o, in int32) {
	chip, side := placeOf(e.lane(in))
	output := int32(e.ports)
	if o < e.linkInputs {
		output = o % output
	}
	bit := uint64(1) << (chip & 63)
	last := &e.words[chip>>6].outs[output].last
	for i := range last {
		last[i] &^= bit
	}
	last[side] |= bit
}
