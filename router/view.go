// SPDX-License-Identifier: Apache-2.0

package router

import (
	"iter"
	"math/bits"
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
func (b *Bank) KeepBlocked() { b.keepBlocked = true }

// Offers calls yield for every offer of the cycle, ejections first. It is
// valid between EvaluateLinks and Update.
func (b *Bank) Offers(yield func(Offer) bool) {
	switch {
	case b.cfg.Packet > 0:
		b.packetOffers(yield)
		return
	case b.cfg.Bufferless:
		b.showBufferless()
	}
	for k := range b.ejects.crossing.All() {
		if !yield(b.offerAt(b.ejects.first+k, true)) {
			return
		}
	}
	for o := range b.links.crossing.All() {
		if !yield(b.offerAt(o, true)) {
			return
		}
	}
	if !b.keepBlocked {
		return
	}
	for o := range b.links.blocked.All() {
		if !yield(b.offerAt(o, false)) {
			return
		}
	}
}

// offerAt returns the flit that an output-VC shows.
func (b *Bank) offerAt(out int32, fired bool) Offer {
	in := b.out[out].owner
	chip := b.chipAt[in]
	vcs := int32(b.cfg.VCs)
	o := Offer{Node: NodeID(chip), Input: b.local(in, chip), Flit: b.front(in), Fired: fired}
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
	return b.held((b.cfg.PortBase[n]+int32(p))*int32(b.cfg.VCs) + int32(vc))
}

// Buffer is the buffer of one virtual channel of a link port, of any chip.
type Buffer int32

// AppendFilling appends the buffers that get the flits which cross links in
// this cycle, a hop later. It is valid when Offers is, and cheaper.
func (b *Bank) AppendFilling(list []Buffer) []Buffer {
	if b.cfg.Bufferless {
		return list
	}
	if b.cfg.Packet > 0 {
		b.packetOffers(func(o Offer) bool {
			if port := b.cfg.PortBase[o.Node] + int32(o.Port); o.Fired && port < b.cfg.PortBase[o.Node+1] {
				list = append(list, Buffer(b.cfg.Peer[port]*int32(b.cfg.VCs)+int32(o.Flit.VC)))
			}
			return true
		})
		return list
	}
	for w, word := range b.links.crossing {
		for ; word != 0; word &= word - 1 {
			list = append(list, Buffer(b.behind[w<<6+bits.TrailingZeros64(word)]))
		}
	}
	return list
}

// HeldIn returns the flits in a buffer.
func (b *Bank) HeldIn(f Buffer) int { return b.held(int32(f)) }

// Locate returns the node and the port of a buffer.
func (b *Bank) Locate(f Buffer) (NodeID, Port) {
	port := int32(f) / int32(b.cfg.VCs)
	chip := b.portChip(port)
	return NodeID(chip), Port(port - b.cfg.PortBase[chip])
}

// Held returns the number of flits in buffers, registers and links.
func (b *Bank) Held() int {
	held := 0
	for i := range b.linkInputs {
		held += b.held(i)
	}
	held += b.filled.Size() + b.packets.taken
	for _, line := range b.delay {
		held += len(line)
	}
	return held
}

// Carried returns how many flits have crossed the outgoing link of a port.
func (b *Bank) Carried(n NodeID, p Port) uint64 {
	port := b.cfg.PortBase[n] + int32(p)
	carried := b.carried[port]
	if b.cfg.Packet > 0 {
		return carried
	}
	for o := port * int32(b.cfg.VCs); o < (port+1)*int32(b.cfg.VCs); o++ {
		if b.links.owned.Has(o) {
			i := b.out[o].owner
			carried += uint64(b.Worm(b.slots[b.slot(i, 0)].worm).Length - b.left(i))
		}
	}
	return carried
}

// Moved returns how many flits cross in the present cycle, ejections included.
func (b *Bank) Moved() int {
	switch {
	case b.cfg.Packet > 0:
		return b.packets.moved
	case b.cfg.Bufferless:
		return len(b.bufferless.ejects) + len(b.bufferless.crosses)
	}
	return b.ejects.crossing.Size() + b.links.crossing.Size()
}

// Crossing reports whether a flit crosses a link in the present cycle.
func (b *Bank) Crossing() bool {
	switch {
	case b.cfg.Packet > 0:
		return !b.packets.firing.empty()
	case b.cfg.Bufferless:
		return len(b.bufferless.crosses) > 0
	}
	return !b.links.crossing.Empty()
}

// BlockedCycles returns in how many cycles a flit was offered at a link port
// and did not cross.
func (b *Bank) BlockedCycles(n NodeID, p Port) uint64 {
	port := b.cfg.PortBase[n] + int32(p)
	return b.Blocked[port] + b.blockedNow(port)
}

// BytesPerChip returns the memory that the bank's wiring and state take,
// divided by the number of chips. The headers of messages in flight are not
// the chips' and not counted.
func (b *Bank) BytesPerChip() float64 {
	total := uintptr(len(b.in))*unsafe.Sizeof(input{}) +
		uintptr(len(b.slots))*unsafe.Sizeof(segment{}) +
		uintptr(len(b.bufferless.cells))*unsafe.Sizeof(cell{}) + uintptr(len(b.bufferless.links))*unsafe.Sizeof(link{}) + uintptr(len(b.bufferless.channels))*unsafe.Sizeof(use{}) +
		uintptr(len(b.bufferless.ports))*unsafe.Sizeof(portUse{}) + uintptr(len(b.bufferless.halves))*unsafe.Sizeof(halfUse{}) +
		uintptr(len(b.out))*unsafe.Sizeof(output{}) +
		uintptr(cap(b.deliver))*unsafe.Sizeof(Delivery{}) +
		uintptr(cap(b.offers.list))*unsafe.Sizeof(offer{}) +
		8*uintptr(len(b.carried)+len(b.Blocked)+len(b.rest)+len(b.filled)) +
		5*8*uintptr(len(b.links.owned)+len(b.ejects.owned)) +
		6*8*uintptr(len(b.flow.links.ran)+len(b.flow.ejects.ran)) + 8*uintptr(5*len(b.flow.room)+len(b.flow.drawn)+len(b.flow.held.words)+len(b.flow.held.depth)) +
		4*uintptr(len(b.cfg.PortBase)+len(b.cfg.Peer)+len(b.chipAt)+len(b.channelBase)) +
		4*uintptr(len(b.sendPtr)+len(b.takePtr)+len(b.offers.atChip)+cap(b.offers.chips)) +
		uintptr(len(b.chip))*unsafe.Sizeof(chipTimes{}) + uintptr(len(b.vcNext)) + uintptr(len(b.routes)) + 2*uintptr(len(b.transit))
	total += b.packetBytes()
	if b.cfg.VCs > 1 {
		total += 4 * uintptr(len(b.behind))
	}
	return float64(total) / float64(b.chips)
}

// Occupancies ranges over the flits that every link buffer holds now.
func (b *Bank) Occupancies() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range b.linkInputs {
			if !yield(b.held(i)) {
				return
			}
		}
	}
}
