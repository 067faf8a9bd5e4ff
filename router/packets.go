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

// packets is the engine of machines that switch packets.
type packets struct {
	*shared

	packets  []packet
	freed    int32         // first of the list of packets that are not in use, -1: none
	inputs   []packetQueue // by input
	count    []int32       // by link port: flits in its buffer
	requests []request     // by link port: the request to come by it
	unitOf   []int32       `snapshot:"start"` // by input: its transceiver
	units    []transceiver
	timer    wheel // of the transceivers that send: the next flit crosses

	asking  sparse   // transceivers that have a new candidate
	looking sparse   // transceivers that may have something to grant
	firing  sparse   // link ports whose flit crosses in this cycle
	waiting sparse   // link ports with a request that is not granted
	landed  sparse   // transceivers whose ejection register holds a flit
	fronts  sparse   // all ports: inputs whose first packet can go from the next cycle on
	placed  []int32  // transceivers in whose injection register a head was placed in this cycle
	list    []int32  `snapshot:"-"`
	moves   int      // flits that cross in this cycle, ejections included
	taken   int      // flits in ejection registers
	heads   []uint64 // by link port: heads that have crossed its outgoing link
}

func newPackets(s *shared) *packets {
	channels := int(s.channelBase[s.chips])
	e := &packets{
		shared: s, freed: -1, inputs: make([]packetQueue, s.inputs), count: make([]int32, s.ports), requests: make([]request, s.ports),
		unitOf: transceivers(&s.wiring), units: make([]transceiver, channels), timer: newWheel(channels, s.cfg.Setup+Cycle(s.cfg.Flit)),
		asking: newSparse(channels), looking: newSparse(channels), firing: newSparse(s.ports), waiting: newSparse(s.ports),
		landed: newSparse(channels), heads: make([]uint64, s.ports),
	}
	if !s.cfg.SinglePort {
		e.fronts = newSparse(s.ports)
	}
	for i := range e.inputs {
		e.inputs[i] = packetQueue{-1, -1}
	}
	for n := range e.units {
		e.units[n] = transceiver{sending: -1, candidate: -1, first: -1, last: -1, receiving: -1, oldest: -1, newest: -1}
	}
	return e
}

// transceivers returns the transceiver of every input: its chip's only one, or
// that of its link or channel. Transceivers have the numbers of the injection
// channels, of which a chip has as many.
func transceivers(w *wiring) []int32 {
	if w.cfg.SinglePort {
		chips := make([]int32, w.inputs)
		for i := range chips {
			chips[i] = w.chipOf(int32(i))
		}
		return chips
	}
	unitOf := make([]int32, w.inputs)
	for i := range unitOf {
		unitOf[i] = int32(i) % w.linkInputs
	}
	return unitOf
}

// eject counts the flits that PEs take: each ejection register is
// emptied in the cycle after it was filled.
func (e *packets) eject() int {
	e.moves, e.taken = e.taken, 0
	return e.moves
}

// place puts the next flit of a worm into an injection register.
func (e *packets) place(i int32, f Flit) {
	if f.Flags&Head == 0 {
		e.packets[e.inputs[i].first].arrived++
		return
	}
	unit := e.unitOf[i]
	e.admit(i, f)
	e.placed = append(e.placed, unit)
	if u := &e.units[unit]; u.sending < 0 && u.candidate < 0 {
		e.asking.set(unit)
	}
}

// admit begins a packet in input i with its head.
func (e *packets) admit(i int32, f Flit) {
	chip := e.chipOf(i)
	k := e.freed
	if k < 0 {
		k = int32(len(e.packets))
		e.packets = append(e.packets, packet{})
	} else {
		e.freed = e.packets[k].next
	}
	out := e.cfg.PortBase[chip] + int32(e.next(chip, e.Worm(f.Worm), f.Hop))
	e.packets[k] = packet{worm: f.Worm, hop: f.Hop, arrived: 1, in: i, out: out, next: -1, later: -1}
	q := &e.inputs[i]
	if q.first < 0 {
		q.first = k
	} else {
		e.packets[q.last].next = k
	}
	q.last = k
}

// link: flits on the timetable cross; transceivers that do not send
// request, those that do not receive grant.
func (e *packets) link() {
	e.list = e.timer.expire(e.now, e.list)
	for _, unit := range e.list {
		e.fire(e.packets[e.units[unit].sending].out)
	}
	e.list = e.asking.drain(e.list)
	for _, unit := range e.list {
		e.ask(unit)
	}
	e.list = e.looking.drain(e.list)
	for _, unit := range e.list {
		e.grant(unit)
	}
}

func (e *packets) fire(out int32) {
	e.firing.set(out)
	e.moves++
}

// ask enters the request of a transceiver's candidate: the first packet in its order, or a
// packet whose head was placed in this cycle. Requests wait in the order of their cycles;
// requests of one cycle wait in the order of ports.
func (e *packets) ask(unit int32) {
	u := &e.units[unit]
	k := u.first
	if k < 0 {
		k = e.inputs[e.linkInputs+unit].first
	}
	u.candidate = k
	out := e.packets[k].out
	port := e.cfg.Peer[out]
	peer := e.unitOf[port]
	v := &e.units[peer]
	before, after := int32(-1), v.oldest
	if v.newest >= 0 && (e.requests[v.newest].since < e.now || v.newest < port) {
		before, after = v.newest, -1
	}
	for after >= 0 && (e.requests[after].since < e.now || after < port) {
		before, after = after, e.requests[after].next
	}
	e.requests[port] = request{since: e.now, next: after}
	if before < 0 {
		v.oldest = port
	} else {
		e.requests[before].next = port
	}
	if after < 0 {
		v.newest = port
	}
	e.waiting.set(out)
	e.looking.set(peer)
}

// grant lets the oldest request to a transceiver that has room for it come.
func (e *packets) grant(unit int32) {
	v := &e.units[unit]
	if v.receiving >= 0 {
		return
	}
	before := int32(-1)
	for port := v.oldest; port >= 0; before, port = port, e.requests[port].next {
		if !e.roomForPacket(port) {
			continue
		}
		next := e.requests[port].next
		if before < 0 {
			v.oldest = next
		} else {
			e.requests[before].next = next
		}
		if next < 0 {
			v.newest = before
		}
		v.receiving = port
		e.start(e.cfg.Peer[port], e.requests[port].since)
		return
	}
}

// roomForPacket reports whether the buffer of a link port can take a largest packet.
func (e *packets) roomForPacket(port int32) bool {
	return e.cfg.Buffer-int(e.count[port]) >= e.cfg.Packet
}

// start begins to send the packet that has requested link out since a cycle.
func (e *packets) start(out int32, since Cycle) {
	unit := e.unitOf[out]
	u := &e.units[unit]
	u.sending, u.candidate = u.candidate, -1
	if u.first == u.sending {
		u.first = e.packets[u.first].later
	}
	e.waiting.clear(out)
	e.blocked.add(out, uint64(e.now-since))
	if due := e.now + e.cfg.Setup + Cycle(e.cfg.Flit) - 1; due > e.now {
		e.timer.start(unit, due)
	} else {
		e.fire(out)
	}
}

// update moves the flits that cross. Then it enters the packets that can go from now on
// into the orders of their transceivers, packets of PEs first.
func (e *packets) update() {
	for _, unit := range e.placed {
		k := e.inputs[e.linkInputs+unit].first
		if e.units[unit].sending != k {
			e.line(unit, k)
		}
	}
	e.placed = e.placed[:0]
	e.list = e.landed.drain(e.list)
	e.list = e.firing.drain(e.list)
	for _, out := range e.list {
		e.cross(out)
	}
	e.list = e.fronts.drain(e.list)
	for _, i := range e.list {
		k := e.inputs[i].first
		e.line(e.unitOf[e.packets[k].out], k)
	}
}

// line appends a packet to a transceiver's order.
func (e *packets) line(unit, k int32) {
	u := &e.units[unit]
	if u.first < 0 {
		u.first = k
	} else {
		e.packets[u.last].later = k
	}
	u.last = k
	if u.sending < 0 && u.candidate < 0 {
		e.asking.set(unit)
	}
}

// cross moves the flit that crosses link out.
func (e *packets) cross(out int32) {
	unit := e.unitOf[out]
	p := &e.packets[e.units[unit].sending]
	if p.arrived == p.sent {
		panic("router: a packet's flit is not there in time")
	}
	f := e.frontOf(p)
	p.sent++
	e.carried.add(out, 1)
	if p.in >= e.linkInputs {
		e.filled.Clear(p.in - e.linkInputs)
	} else if e.count[p.in]--; e.cfg.Buffer-int(e.count[p.in]) == e.cfg.Packet {
		e.looking.set(e.unitOf[p.in])
	}
	if f.Flags&Head != 0 {
		e.heads[out]++
	}
	f.Hop++
	e.markGone(out, &f)
	port := e.cfg.Peer[out]
	if f.Flags&Tail == 0 {
		e.timer.start(unit, e.now+Cycle(e.cfg.Flit))
		e.receive(port, f)
		return
	}
	e.sentWhole(unit)
	e.receive(port, f)
	peer := e.unitOf[port]
	e.units[peer].receiving = -1
	e.looking.set(peer)
}

// sentWhole ends the sending of a packet whose tail has crossed.
func (e *packets) sentWhole(unit int32) {
	u := &e.units[unit]
	k := u.sending
	p := &e.packets[k]
	i := p.in
	e.inputs[i].first = p.next
	p.next, e.freed = e.freed, k
	u.sending = -1
	if u.first >= 0 {
		e.asking.set(unit)
	}
	if !e.cfg.SinglePort {
		e.lookAtFront(i)
	}
}

// receive takes a flit that has come by a link port: into the ejection
// register, or into the port's buffer; a flit that its link loses, into neither.
func (e *packets) receive(port int32, f Flit) {
	if f.Flags&gone != 0 {
		e.losses.flits++
		return
	}
	unit := e.unitOf[port]
	u := &e.units[unit]
	if f.Flags&Head != 0 {
		u.ends = e.Worm(f.Worm).Destination == NodeID(e.chipOf(port))
	}
	if u.ends {
		u.ejected, u.from = f, port
		e.landed.set(unit)
		e.taken++
		return
	}
	if e.count[port]++; int(e.count[port]) > e.cfg.Buffer {
		panic("router: no room for a packet's flit")
	}
	if f.Flags&Head != 0 {
		e.admit(port, f)
	} else {
		e.packets[e.inputs[port].last].arrived++
	}
	goes := Tail
	if e.cfg.CutThrough {
		goes = Head
	}
	if f.Flags&goes == 0 {
		return
	}
	if e.cfg.SinglePort {
		e.line(unit, e.inputs[port].last)
	} else if e.inputs[port].first == e.inputs[port].last {
		e.lookAtFront(port)
	}
}

// lookAtFront notes whether the first packet of an input, which has just come or
// come to the front, can go: it is here whole; cut through its head is enough.
func (e *packets) lookAtFront(i int32) {
	k := e.inputs[i].first
	if k < 0 {
		return
	}
	p := &e.packets[k]
	if e.cfg.CutThrough || p.arrived == e.Worm(p.worm).Length {
		e.fronts.set(i)
	}
}

// frontOf returns the first flit of a packet that has not left its input.
func (e *packets) frontOf(p *packet) Flit {
	f := Flit{Worm: p.worm, Seq: p.sent, Hop: p.hop}
	if p.sent == 0 {
		f.Flags = Head
	}
	if p.sent+1 == e.Worm(p.worm).Length {
		f.Flags |= Tail
	}
	return f
}
