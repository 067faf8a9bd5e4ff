// SPDX-License-Identifier: Apache-2.0

package router

import "unsafe"

// This file has the views of packet switching that observers read.

// deliveries appends the flits that PEs take in this cycle.
func (e *packets) deliveries(list []Delivery) []Delivery {
	for unit := range e.landed.all() {
		chip := e.chipOf(e.linkInputs + unit)
		list = append(list, Delivery{NodeID(chip), unit - e.channelBase[chip], e.units[unit].ejected})
	}
	return list
}

func (e *packets) tails(worms []uint32) []uint32 {
	for unit := range e.landed.all() {
		if f := &e.units[unit].ejected; f.Flags&Tail != 0 {
			worms = append(worms, f.Worm)
		}
	}
	return worms
}

func (e *packets) landing(worms []uint32) []uint32 {
	for unit := range e.landed.all() {
		if f := &e.units[unit].ejected; f.Flags&Head != 0 {
			worms = append(worms, f.Worm)
		}
	}
	return worms
}

// show calls yield for every offer of the cycle. A granted packet
// offers only the flits that cross.
func (e *packets) show(yield func(Offer) bool) {
	for unit := range e.landed.all() {
		u := &e.units[unit]
		chip := e.chipOf(u.from)
		links := e.cfg.PortBase[chip+1] - e.cfg.PortBase[chip]
		if !yield(Offer{NodeID(chip), Port(links + unit - e.channelBase[chip]), e.local(u.from, chip), u.ejected, true}) {
			return
		}
	}
	for out := range e.firing.all() {
		if !yield(e.packetOffer(out, e.units[e.unitOf[out]].sending, true)) {
			return
		}
	}
	if !e.keepBlocked {
		return
	}
	for out := range e.waiting.all() {
		if !yield(e.packetOffer(out, e.units[e.unitOf[out]].candidate, false)) {
			return
		}
	}
}

func (e *packets) packetOffer(out, k int32, fired bool) Offer {
	chip := e.chipOf(out)
	p := &e.packets[k]
	return Offer{NodeID(chip), Port(out - e.cfg.PortBase[chip]), e.local(p.in, chip), e.frontOf(p), fired}
}

// blockedSince returns for how long the request at a link port has been waiting.
func (e *packets) blockedSince(out int32) uint64 {
	if !e.waiting.words.Has(out) {
		return 0
	}
	return uint64(e.now - e.requests[e.cfg.Peer[out]].since)
}

// nextEvent returns the first cycle, from the next evaluation's on, in which
// something may happen in a bank into which nothing is placed: the present one
// where the bank does not know.
func (e *packets) nextEvent() Cycle {
	if e.taken > 0 || !e.asking.empty() || !e.looking.empty() {
		return e.now
	}
	return e.timer.soonest(e.now)
}

// waitsFor returns the input whose progress input i needs, or -1.
func (e *packets) waitsFor(i int32) (int32, Reason) {
	k := e.inputs[i].first
	if k < 0 {
		return -1, ""
	}
	u := &e.units[e.unitOf[e.packets[k].out]]
	if u.sending >= 0 || u.candidate < 0 {
		return -1, ""
	}
	if u.candidate != k {
		return e.packets[u.candidate].in, ForTurn
	}
	if port := e.cfg.Peer[e.packets[k].out]; !e.roomForPacket(port) {
		return port, ForRoom
	}
	return -1, ""
}

// bytes returns the memory of the state.
func (e *packets) bytes() uintptr {
	sets := 0
	for _, set := range []sparse{e.asking, e.looking, e.firing, e.waiting, e.landed, e.fronts} {
		sets += len(set.words) + len(set.index)
	}
	units := 0 // with a single port the list of chips stands for it
	if !e.cfg.SinglePort {
		units = len(e.unitOf)
	}
	return uintptr(len(e.units))*unsafe.Sizeof(transceiver{}) + uintptr(cap(e.packets))*unsafe.Sizeof(packet{}) +
		uintptr(len(e.inputs))*unsafe.Sizeof(packetQueue{}) + uintptr(len(e.requests))*unsafe.Sizeof(request{}) +
		8*uintptr(sets+len(e.timer.due)+len(e.heads)) +
		4*uintptr(units+len(e.count)+len(e.timer.first)+len(e.timer.next)+cap(e.placed)+cap(e.list))
}

// filling appends the buffers behind the links that flits cross.
func (e *packets) filling(list []Buffer) []Buffer {
	for out := range e.firing.all() {
		list = append(list, Buffer(e.cfg.Peer[out]))
	}
	return list
}

func (e *packets) moved() int { return e.moves }

func (e *packets) crossing() bool { return !e.firing.empty() }

func (e *packets) held(i int32) int { return int(e.count[i]) }

func (e *packets) front(i int32) (Flit, bool) {
	if i < e.linkInputs && e.count[i] == 0 || i >= e.linkInputs && !e.filled.Has(i-e.linkInputs) {
		return Flit{}, false
	}
	return e.frontOf(&e.packets[e.inputs[i].first]), true
}

// underway counts the flits in ejection registers.
func (e *packets) underway() int { return e.taken }

func (e *packets) crossed(int32) uint64 { return 0 }
