// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"unsafe"
)

// This file is what observers see of the reference engine.

// front returns the first flit of an input.
func (e *reference) front(i int32) (Flit, bool) {
	in := &e.in[i]
	if in.count == 0 {
		return Flit{}, false
	}
	s := e.slots[e.slot(i, 0)]
	w := e.Worm(s.worm)
	f := Flit{Worm: s.worm, Seq: w.Length - in.left, Hop: s.hop, VC: e.vcAt(i, w)}
	if f.Seq == 0 {
		f.Flags = Head
	}
	if in.left == 1 {
		f.Flags |= Tail
	}
	return f, true
}

// show ranges over the offers of the cycle.
func (e *reference) show(yield func(Offer) bool) {
	for k := range e.ejects.crossing.All() {
		if !yield(e.offerOf(e.ejects.first+k, true)) {
			return
		}
	}
	for o := range e.links.crossing.All() {
		if !yield(e.offerOf(o, true)) {
			return
		}
	}
	if !e.keepBlocked {
		return
	}
	for o := range e.links.blocked.All() {
		if !yield(e.offerOf(o, false)) {
			return
		}
	}
}

func (e *reference) offerOf(out int32, fired bool) Offer {
	in := e.out[out].owner
	f, _ := e.front(in)
	return e.view(out, in, f, fired)
}

// deliveries appends the flits that PEs take.
func (e *reference) deliveries(list []Delivery) []Delivery {
	for k := range e.ejects.crossing.All() {
		in := e.out[e.ejects.first+k].owner
		chip := e.chipOf(in)
		f, _ := e.front(in)
		list = append(list, Delivery{NodeID(chip), k/int32(e.cfg.VCs) - e.channelBase[chip], f})
	}
	return list
}

func (e *reference) tails(worms []uint32) []uint32 {
	for k := range e.ejects.crossing.All() {
		if i := e.out[e.ejects.first+k].owner; e.in[i].left == 1 {
			worms = append(worms, e.slots[e.slot(i, 0)].worm)
		}
	}
	return worms
}

// landing appends the worms whose heads PEs take.
func (e *reference) landing(worms []uint32) []uint32 {
	for w, word := range e.ejects.crossing {
		for word &= e.ejects.fresh[w]; word != 0; word &= word - 1 {
			i := e.out[e.ejects.first+int32(w<<6+bits.TrailingZeros64(word))].owner
			worms = append(worms, e.slots[e.slot(i, 0)].worm)
		}
	}
	return worms
}

// filling appends the buffers behind the links that flits cross.
func (e *reference) filling(list []Buffer) []Buffer {
	for o := range e.links.crossing.All() {
		list = append(list, Buffer(e.behind[o]))
	}
	return list
}

func (e *reference) moved() int { return e.ejects.crossing.Size() + e.links.crossing.Size() }

func (e *reference) crossing() bool { return !e.links.crossing.Empty() }

// waitsFor returns the owner of the output that the head of input i requests, or the input behind
// its link whose buffer is full.
func (e *reference) waitsFor(i int32) (int32, Reason) {
	o := e.in[i].out
	if e.in[i].count == 0 || o < 0 {
		return -1, ""
	}
	if owner := e.out[o].owner; owner != i {
		return owner, ForClaim
	}
	if o >= e.linkInputs || e.room(o) {
		return -1, ""
	}
	return e.behind[o], ForRoom
}

func (e *reference) held(i int32) int { return int(e.in[i].count) }

func (e *reference) underway() int { return e.delay.size() }

// crossed counts the flits of the worms that own the outputs of a port and have crossed.
func (e *reference) crossed(port int32) uint64 {
	sum := uint64(0)
	for o := port * int32(e.cfg.VCs); o < (port+1)*int32(e.cfg.VCs); o++ {
		if e.links.owned.Has(o) {
			i := e.out[o].owner
			sum += uint64(e.Worm(e.slots[e.slot(i, 0)].worm).Length - e.in[i].left)
		}
	}
	return sum
}

func (e *reference) blockedSince(int32) uint64 { return 0 }

func (e *reference) bytes() uintptr {
	return uintptr(len(e.in))*unsafe.Sizeof(input{}) + uintptr(len(e.slots))*unsafe.Sizeof(segment{}) +
		uintptr(len(e.out))*unsafe.Sizeof(output{}) + 5*8*uintptr(len(e.links.owned)+len(e.ejects.owned)) +
		uintptr(cap(e.offers.list))*unsafe.Sizeof(offer{}) + 8*uintptr(len(e.rest)) +
		4*uintptr(len(e.sendPtr)+len(e.takePtr)+len(e.offers.atChip)+cap(e.offers.chips)) +
		uintptr(len(e.chip))*unsafe.Sizeof(chipTimes{}) + uintptr(len(e.vcNext)) + 2*uintptr(len(e.transit))
}
