// SPDX-License-Identifier: Apache-2.0

package router

import (
	"iter"
	"unsafe"
)

// Offer is a flit that an output shows in a cycle, for observers.
type Offer struct {
	Node  NodeID
	Port  Port  // output port: link ports first, then ejection channels
	Input int32 // the chip's input it comes from, in arbiter order
	Flit  Flit  // as it is at the chip; VC already that of the output
	Fired bool  // it crosses in this cycle; otherwise it is blocked
}

// KeepBlocked makes Offers include flits that are offered and do not cross.
func (b *Bank) KeepBlocked() { b.offers.keep = true }

// Offers calls yield for every offer of the cycle, ejections first. It is
// valid between EvaluateLinks and Update.
func (b *Bank) Offers(yield func(Offer) bool) {
	for _, m := range b.moves {
		if !yield(b.offerAt(m.in, m.out, true)) {
			return
		}
	}
	for i := range b.offers.list {
		if o := &b.offers.list[i]; !o.fired && !yield(b.offerAt(o.in, o.out, false)) {
			return
		}
	}
}

func (b *Bank) offerAt(in, out int32, fired bool) Offer {
	chip := b.chipOf(in)
	vcs := int32(b.cfg.VCs)
	o := Offer{Node: NodeID(chip), Input: b.local(in, chip), Flit: *b.front(in), Fired: fired}
	port := out / vcs
	o.Flit.VC = VC(out - port*vcs)
	if out < b.linkInputs {
		o.Port = Port(port - b.cfg.PortBase[chip])
	} else {
		o.Port = Port(port - int32(b.ports) - b.channelBase[chip] + b.cfg.PortBase[chip+1] - b.cfg.PortBase[chip])
	}
	return o
}

// Occupancy returns the flits in the buffer of a link port's virtual channel.
func (b *Bank) Occupancy(n NodeID, p Port, vc VC) int {
	return int(b.in[(b.cfg.PortBase[n]+int32(p))*int32(b.cfg.VCs)+int32(vc)].count)
}

// Held returns the number of flits in buffers, injection registers and links.
func (b *Bank) Held() int {
	held := 0
	for i := range b.in {
		held += int(b.in[i].count)
	}
	for _, line := range b.delay {
		held += len(line)
	}
	return held
}

// Moved returns how many flits cross in the present cycle, ejections included.
func (b *Bank) Moved() int { return len(b.moves) }

// BytesPerChip returns the memory that the bank's state takes, divided by the
// number of chips: inputs, flit slots, outputs, counters, wiring, masks.
func (b *Bank) BytesPerChip() float64 {
	total := uintptr(len(b.in))*unsafe.Sizeof(input{}) +
		uintptr(len(b.slots))*unsafe.Sizeof(Flit{}) +
		uintptr(len(b.out))*unsafe.Sizeof(output{}) +
		uintptr(cap(b.moves))*unsafe.Sizeof(move{}) +
		uintptr(cap(b.deliver))*unsafe.Sizeof(Delivery{}) +
		uintptr(cap(b.offers.list))*unsafe.Sizeof(offer{}) +
		8*uintptr(len(b.Busy)+len(b.Blocked)+len(b.wantLink)+len(b.wantEject)+len(b.rest)) +
		4*uintptr(len(b.cfg.PortBase)+len(b.cfg.Peer)+len(b.portChip)+len(b.channelBase)+len(b.channelChip)) +
		4*uintptr(len(b.sendPtr)+len(b.takePtr)+len(b.offers.atChip)+cap(b.offers.chips)) +
		uintptr(len(b.chip))*unsafe.Sizeof(chipTimes{}) + uintptr(len(b.vcNext)) + 2*uintptr(len(b.transit))
	return float64(total) / float64(b.chips)
}

// Occupancies ranges over the flits that every link buffer holds now.
func (b *Bank) Occupancies() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range b.linkInputs {
			if !yield(int(b.in[i].count)) {
				return
			}
		}
	}
}
