// SPDX-License-Identifier: Apache-2.0

package router

import "unsafe"

// This file has the views of packet switching that observers read.

// appendEjected appends the flits that PEs take in this cycle.
func (b *Bank) appendEjected(list []Delivery) []Delivery {
	for unit := range b.packets.landed.all() {
		chip := b.chipAt[b.linkInputs+unit]
		list = append(list, Delivery{NodeID(chip), unit - b.channelBase[chip], b.packets.units[unit].ejected})
	}
	return list
}

func (b *Bank) appendEjectedTails(worms []uint32) []uint32 {
	for unit := range b.packets.landed.all() {
		if f := &b.packets.units[unit].ejected; f.Flags&Tail != 0 {
			worms = append(worms, f.Worm)
		}
	}
	return worms
}

// packetOffers calls yield for every offer of the cycle. A granted packet
// offers only the flits that cross.
func (b *Bank) packetOffers(yield func(Offer) bool) {
	s := &b.packets
	for unit := range s.landed.all() {
		u := &s.units[unit]
		chip := b.chipAt[u.from]
		links := b.cfg.PortBase[chip+1] - b.cfg.PortBase[chip]
		if !yield(Offer{NodeID(chip), Port(links + unit - b.channelBase[chip]), b.local(u.from, chip), u.ejected, true}) {
			return
		}
	}
	for out := range s.firing.all() {
		if !yield(b.packetOffer(out, s.units[s.unitOf[out]].sending, true)) {
			return
		}
	}
	if !b.keepBlocked {
		return
	}
	for out := range s.blocked.all() {
		if !yield(b.packetOffer(out, s.units[s.unitOf[out]].candidate, false)) {
			return
		}
	}
}

func (b *Bank) packetOffer(out, k int32, fired bool) Offer {
	chip := b.chipAt[out]
	p := &b.packets.packets[k]
	return Offer{NodeID(chip), Port(out - b.cfg.PortBase[chip]), b.local(p.in, chip), b.frontOf(p), fired}
}

// blockedNow returns for how long the request at a link port has been waiting.
func (b *Bank) blockedNow(out int32) uint64 {
	if b.cfg.Packet == 0 || !b.packets.blocked.words.Has(out) {
		return 0
	}
	return uint64(b.now - b.packets.requests[b.cfg.Peer[out]].since)
}

// Setups returns how many packets have paid their set-up on the outgoing link
// of a port; 0 on chips that do not switch packets.
func (b *Bank) Setups(n NodeID, p Port) uint64 {
	if b.cfg.Packet == 0 {
		return 0
	}
	return b.packets.crossed[b.cfg.PortBase[n]+int32(p)]
}

// Timed reports whether a packet is on the timetable of a link without a flit
// that crosses in the present cycle: nothing moves, and yet nothing is stuck.
func (b *Bank) Timed() bool { return b.packets.timer.running > 0 }

// NextEvent returns the first cycle, from the next evaluation's on, in which
// something may happen in a bank into which nothing is placed: the present one
// where the bank does not know.
func (b *Bank) NextEvent() Cycle {
	s := &b.packets
	if b.cfg.Packet == 0 || s.taken > 0 || !s.asking.empty() || !s.looking.empty() {
		return b.now
	}
	return s.timer.soonest(b.now)
}

// packetWaitsFor returns the input whose progress input i needs, or -1.
func (b *Bank) packetWaitsFor(i int32) (int32, Reason) {
	s := &b.packets
	k := s.inputs[i].first
	if k < 0 {
		return -1, ""
	}
	u := &s.units[s.unitOf[s.packets[k].out]]
	if u.sending >= 0 || u.candidate < 0 {
		return -1, ""
	}
	if u.candidate != k {
		return s.packets[u.candidate].in, ForTurn
	}
	if port := b.cfg.Peer[s.packets[k].out]; !b.roomForPacket(port) {
		return port, ForRoom
	}
	return -1, ""
}

// packetBytes returns the memory of the state that only packet switching has.
func (b *Bank) packetBytes() uintptr {
	s := &b.packets
	sets := 0
	for _, set := range []sparse{s.asking, s.looking, s.firing, s.blocked, s.landed, s.fronts} {
		sets += len(set.words) + len(set.index)
	}
	units := 0 // with a single port the list of chips stands for it
	if !b.cfg.SinglePort {
		units = len(s.unitOf)
	}
	return uintptr(len(s.units))*unsafe.Sizeof(transceiver{}) + uintptr(cap(s.packets))*unsafe.Sizeof(packet{}) +
		uintptr(len(s.inputs))*unsafe.Sizeof(packetQueue{}) + uintptr(len(s.requests))*unsafe.Sizeof(request{}) +
		8*uintptr(sets+len(s.timer.due)+len(s.crossed)) +
		4*uintptr(units+len(s.count)+len(s.timer.first)+len(s.timer.next)+cap(s.placed)+cap(s.list))
}
