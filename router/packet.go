// SPDX-License-Identifier: Apache-2.0

package router

// This file is the evaluation of machines that switch whole packets:
// store-forward and cut-through. A transceiver sends one packet at a time, in the
// order in which they could go, and receives one at a time. A chip with a single
// port has one transceiver for all its links, a chip with all ports one per link:
//
//	single port                          all ports
//	link 0 <-+               +-> PE      link 0 <--- transceiver 0 ---> PE
//	link 1 <-+- transceiver -+           link 1 <--- transceiver 1 ---> PE
//	link 2 <-+                           link 2 <--- transceiver 2 ---> PE
//
// A packet requests its link; the transceiver behind the link grants it when it
// receives nothing and has room for a largest packet in the buffer of that link,
// the oldest request first. From then on the packet is on a timetable: set-up,
// then flit after flit. With all ports only the first packet of an input can go,
// since packets of one input may leave by different transceivers.
//
// So the work of a cycle is with the transceivers to which something happens in
// it: those whose candidate is new, those that may grant, and those whose timers
// run out. All others rest in lists.

// packet is the part of a worm that passes through an input.
type packet struct {
	worm    uint32
	hop     uint32 // links crossed so far
	arrived uint32 // flits that have come to the input
	sent    uint32 // flits that have left it
	in      int32  // the input
	out     int32  // the link port it leaves by
	next    int32  // the packet behind it in its input, -1: none; in the free list too
	later   int32  // the packet behind it in its transceiver's order, -1: none
}

// transceiver is the state of what sends one packet at a time and receives one
// at a time.
type transceiver struct {
	sending        int32 // packet that is being sent, -1: none
	candidate      int32 // packet that requests its link, -1: none
	first, last    int32 // packets that can go, in the order in which they do, -1: none
	receiving      int32 // link port by which a packet comes, -1: none
	ends           bool  // that packet is for the chip's PE
	oldest, newest int32 // link ports with the requests that wait for a grant, -1: none
	ejected        Flit  // what the ejection register holds
	from           int32 // link port by which it came
}

// packetQueue is the packets in one input.
type packetQueue struct{ first, last int32 }

// request is a packet of a neighbour that wants to come by a link port.
type request struct {
	since Cycle
	next  int32 // port whose request is next in line, -1: none
}

// packetState is the state of the evaluation of packets.
type packetState struct {
	packets  []packet
	free     int32         // first of the list of packets that are not in use, -1: none
	inputs   []packetQueue // by input
	count    []int32       // by link port: flits in its buffer
	requests []request     // by link port: the request to come by it
	unitOf   []int32       // by input: its transceiver
	units    []transceiver
	timer    wheel // of the transceivers that send: the next flit crosses

	asking  sparse  // transceivers that have a new candidate
	looking sparse  // transceivers that may have something to grant
	firing  sparse  // link ports whose flit crosses in this cycle
	blocked sparse  // link ports with a request that is not granted
	landed  sparse  // transceivers whose ejection register holds a flit
	fronts  sparse  // all ports: inputs whose first packet can go from the next cycle on
	placed  []int32 // transceivers in whose injection register a head was placed in this cycle
	list    []int32
	moved   int      // flits that cross in this cycle, ejections included
	taken   int      // flits in ejection registers
	crossed []uint64 // by link port: heads that have crossed its outgoing link
}

func (b *Bank) newPacketState() packetState {
	channels := int(b.channelBase[b.chips])
	s := packetState{
		free: -1, inputs: make([]packetQueue, len(b.chipAt)), count: make([]int32, b.ports), requests: make([]request, b.ports),
		unitOf: b.transceivers(), units: make([]transceiver, channels), timer: newWheel(channels, b.cfg.Setup+Cycle(b.cfg.Flit)),
		asking: newSparse(channels), looking: newSparse(channels), firing: newSparse(b.ports), blocked: newSparse(b.ports),
		landed: newSparse(channels), crossed: make([]uint64, b.ports),
	}
	if !b.cfg.SinglePort {
		s.fronts = newSparse(b.ports)
	}
	for i := range s.inputs {
		s.inputs[i] = packetQueue{-1, -1}
	}
	for n := range s.units {
		s.units[n] = transceiver{sending: -1, candidate: -1, first: -1, last: -1, receiving: -1, oldest: -1, newest: -1}
	}
	return s
}

// transceivers returns the transceiver of every input: its chip's only one, or
// that of its link or channel. Transceivers have the numbers of the injection
// channels, of which a chip has as many.
func (b *Bank) transceivers() []int32 {
	if b.cfg.SinglePort {
		return b.chipAt
	}
	unitOf := make([]int32, len(b.chipAt))
	for i := range unitOf {
		unitOf[i] = int32(i) % b.linkInputs
	}
	return unitOf
}

// ejectPackets counts the flits that PEs take: each ejection register is
// emptied in the cycle after it was filled.
func (b *Bank) ejectPackets() int {
	s := &b.packets
	s.moved, s.taken = s.taken, 0
	return s.moved
}

// placePacket puts the next flit of a worm into an injection register.
func (b *Bank) placePacket(i int32, f Flit) {
	s := &b.packets
	if f.Flags&Head == 0 {
		s.packets[s.inputs[i].first].arrived++
		return
	}
	unit := s.unitOf[i]
	b.admit(i, f)
	s.placed = append(s.placed, unit)
	if u := &s.units[unit]; u.sending < 0 && u.candidate < 0 {
		s.asking.set(unit)
	}
}

// admit begins a packet in input i with its head.
func (b *Bank) admit(i int32, f Flit) {
	s := &b.packets
	chip := b.chipAt[i]
	k := s.free
	if k < 0 {
		k = int32(len(s.packets))
		s.packets = append(s.packets, packet{})
	} else {
		s.free = s.packets[k].next
	}
	out := b.cfg.PortBase[chip] + int32(b.next(chip, b.Worm(f.Worm), f.Hop))
	s.packets[k] = packet{worm: f.Worm, hop: f.Hop, arrived: 1, in: i, out: out, next: -1, later: -1}
	q := &s.inputs[i]
	if q.first < 0 {
		q.first = k
	} else {
		s.packets[q.last].next = k
	}
	q.last = k
}

// linksPackets: flits on the timetable cross; transceivers that do not send
// request, those that do not receive grant.
func (b *Bank) linksPackets() {
	s := &b.packets
	s.list = s.timer.expire(b.now, s.list)
	for _, unit := range s.list {
		b.fire(s.packets[s.units[unit].sending].out)
	}
	s.list = s.asking.drain(s.list)
	for _, unit := range s.list {
		b.ask(unit)
	}
	s.list = s.looking.drain(s.list)
	for _, unit := range s.list {
		b.grant(unit)
	}
}

func (b *Bank) fire(out int32) {
	b.packets.firing.set(out)
	b.packets.moved++
}

// ask enters the request of a transceiver's candidate: the first packet in its order, or a
// packet whose head was placed in this cycle. Requests wait in the order of their cycles;
// requests of one cycle wait in the order of ports.
func (b *Bank) ask(unit int32) {
	s := &b.packets
	u := &s.units[unit]
	k := u.first
	if k < 0 {
		k = s.inputs[b.linkInputs+unit].first
	}
	u.candidate = k
	out := s.packets[k].out
	port := b.cfg.Peer[out]
	peer := s.unitOf[port]
	v := &s.units[peer]
	before, after := int32(-1), v.oldest
	if v.newest >= 0 && (s.requests[v.newest].since < b.now || v.newest < port) {
		before, after = v.newest, -1
	}
	for after >= 0 && (s.requests[after].since < b.now || after < port) {
		before, after = after, s.requests[after].next
	}
	s.requests[port] = request{since: b.now, next: after}
	if before < 0 {
		v.oldest = port
	} else {
		s.requests[before].next = port
	}
	if after < 0 {
		v.newest = port
	}
	s.blocked.set(out)
	s.looking.set(peer)
}

// grant lets the oldest request to a transceiver that has room for it come.
func (b *Bank) grant(unit int32) {
	s := &b.packets
	v := &s.units[unit]
	if v.receiving >= 0 {
		return
	}
	before := int32(-1)
	for port := v.oldest; port >= 0; before, port = port, s.requests[port].next {
		if !b.roomForPacket(port) {
			continue
		}
		next := s.requests[port].next
		if before < 0 {
			v.oldest = next
		} else {
			s.requests[before].next = next
		}
		if next < 0 {
			v.newest = before
		}
		v.receiving = port
		b.start(b.cfg.Peer[port], s.requests[port].since)
		return
	}
}

// roomForPacket reports whether the buffer of a link port can take a largest packet.
func (b *Bank) roomForPacket(port int32) bool {
	return b.cfg.Buffer-int(b.packets.count[port]) >= b.cfg.Packet
}

// start begins to send the packet that has requested link out since a cycle.
func (b *Bank) start(out int32, since Cycle) {
	s := &b.packets
	unit := s.unitOf[out]
	u := &s.units[unit]
	u.sending, u.candidate = u.candidate, -1
	if u.first == u.sending {
		u.first = s.packets[u.first].later
	}
	s.blocked.clear(out)
	b.Blocked[out] += uint64(b.now - since)
	if due := b.now + b.cfg.Setup + Cycle(b.cfg.Flit) - 1; due > b.now {
		s.timer.start(unit, due)
	} else {
		b.fire(out)
	}
}

// updatePackets moves the flits that cross. Then it enters the packets that can go from now on
// into the orders of their transceivers, packets of PEs first.
func (b *Bank) updatePackets() {
	s := &b.packets
	for _, unit := range s.placed {
		k := s.inputs[b.linkInputs+unit].first
		if s.units[unit].sending != k {
			b.line(unit, k)
		}
	}
	s.placed = s.placed[:0]
	s.list = s.landed.drain(s.list)
	s.list = s.firing.drain(s.list)
	for _, out := range s.list {
		b.cross(out)
	}
	s.list = s.fronts.drain(s.list)
	for _, i := range s.list {
		k := s.inputs[i].first
		b.line(s.unitOf[s.packets[k].out], k)
	}
}

// line appends a packet to a transceiver's order.
func (b *Bank) line(unit, k int32) {
	s := &b.packets
	u := &s.units[unit]
	if u.first < 0 {
		u.first = k
	} else {
		s.packets[u.last].later = k
	}
	u.last = k
	if u.sending < 0 && u.candidate < 0 {
		s.asking.set(unit)
	}
}

// cross moves the flit that crosses link out.
func (b *Bank) cross(out int32) {
	s := &b.packets
	unit := s.unitOf[out]
	p := &s.packets[s.units[unit].sending]
	if p.arrived == p.sent {
		panic("router: a packet's flit is not there in time")
	}
	f := b.frontOf(p)
	p.sent++
	b.carried[out]++
	if p.in >= b.linkInputs {
		b.filled.Clear(p.in - b.linkInputs)
	} else if s.count[p.in]--; b.cfg.Buffer-int(s.count[p.in]) == b.cfg.Packet {
		s.looking.set(s.unitOf[p.in])
	}
	if f.Flags&Head != 0 {
		s.crossed[out]++
	}
	f.Hop++
	b.markGone(out, &f)
	port := b.cfg.Peer[out]
	if f.Flags&Tail == 0 {
		s.timer.start(unit, b.now+Cycle(b.cfg.Flit))
		b.receive(port, f)
		return
	}
	b.sentWhole(unit)
	b.receive(port, f)
	peer := s.unitOf[port]
	s.units[peer].receiving = -1
	s.looking.set(peer)
}

// sentWhole ends the sending of a packet whose tail has crossed.
func (b *Bank) sentWhole(unit int32) {
	s := &b.packets
	u := &s.units[unit]
	k := u.sending
	p := &s.packets[k]
	i := p.in
	s.inputs[i].first = p.next
	p.next, s.free = s.free, k
	u.sending = -1
	if u.first >= 0 {
		s.asking.set(unit)
	}
	if !b.cfg.SinglePort {
		b.lookAtFront(i)
	}
}

// receive takes a flit that has come by a link port: into the ejection
// register, or into the port's buffer; a flit that its link loses, into neither.
func (b *Bank) receive(port int32, f Flit) {
	s := &b.packets
	if f.Flags&gone != 0 {
		b.losses.flits++
		return
	}
	unit := s.unitOf[port]
	u := &s.units[unit]
	if f.Flags&Head != 0 {
		u.ends = b.Worm(f.Worm).Destination == NodeID(b.chipAt[port])
	}
	if u.ends {
		u.ejected, u.from = f, port
		s.landed.set(unit)
		s.taken++
		return
	}
	if s.count[port]++; int(s.count[port]) > b.cfg.Buffer {
		panic("router: no room for a packet's flit")
	}
	if f.Flags&Head != 0 {
		b.admit(port, f)
	} else {
		s.packets[s.inputs[port].last].arrived++
	}
	goes := Tail
	if b.cfg.CutThrough {
		goes = Head
	}
	if f.Flags&goes == 0 {
		return
	}
	if b.cfg.SinglePort {
		b.line(unit, s.inputs[port].last)
	} else if s.inputs[port].first == s.inputs[port].last {
		b.lookAtFront(port)
	}
}

// lookAtFront notes whether the first packet of an input, which has just come or
// come to the front, can go: it is here whole; cut through its head is enough.
func (b *Bank) lookAtFront(i int32) {
	s := &b.packets
	k := s.inputs[i].first
	if k < 0 {
		return
	}
	p := &s.packets[k]
	if b.cfg.CutThrough || p.arrived == b.Worm(p.worm).Length {
		s.fronts.set(i)
	}
}

// frontOf returns the first flit of a packet that has not left its input.
func (b *Bank) frontOf(p *packet) Flit {
	f := Flit{Worm: p.worm, Seq: p.sent, Hop: p.hop}
	if p.sent == 0 {
		f.Flags = Head
	}
	if p.sent+1 == b.Worm(p.worm).Length {
		f.Flags |= Tail
	}
	return f
}
