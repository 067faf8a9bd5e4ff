// SPDX-License-Identifier: Apache-2.0

package router

// Conflict says which rule a collision broke.
type Conflict string

// The conflicts of a bufferless chip.
const (
	LinkConflict    Conflict = "link"    // two flits want the same link
	EjectConflict   Conflict = "eject"   // two flits for the same channel of a PE
	SendConflict    Conflict = "send"    // single port: a second flit leaves the chip
	ReceiveConflict Conflict = "receive" // single port: a second flit enters the chip
	DuplexConflict  Conflict = "duplex"  // half duplex: a PE sends and receives
)

// Collision is a flit that could not move on in a bufferless network.
type Collision struct {
	Cycle    Cycle
	Node     NodeID // the chip the flits are at; for receive conflicts the one they cross to
	Port     Port   // the output port, link ports first; for receive conflicts NoPort
	Conflict Conflict
	Lost     int32 // message of the flit that was dropped
	Holder   int32 // message that has the way
}

// lossState is what bufferless evaluation keeps.
type lossState struct {
	flits   []Flit  // the flit in each input
	held    bitset  // inputs that hold a flit
	wants   []int32 // output of the flit in each input
	losers  []int32 // inputs whose flits are dropped at the update
	pushes  []arrival
	port    []use // last use of each output
	send    []use // last departure from each chip over links
	take    []use // last arrival at each chip over links
	eject   []use
	inject  []use
	lost    int // flits dropped at the last update
	records []Collision
	count   int
}

// use is when something was taken, until when, and by which message.
type use struct {
	until Cycle
	by    int32
}

// maxRecords bounds the collisions kept with their details; all are counted.
const maxRecords = 1000

func newLossState(inputs, outputs, chips int) lossState {
	return lossState{
		flits: make([]Flit, inputs), held: newBitset(inputs), wants: make([]int32, inputs), port: make([]use, outputs),
		send: make([]use, chips), take: make([]use, chips), eject: make([]use, chips), inject: make([]use, chips),
	}
}

// Collisions returns the first collisions with their details, and the number of all.
func (b *Bank) Collisions() ([]Collision, int) { return b.lossy.records, b.lossy.count }

// ejectLossy lets every flit that is at its destination leave, and notes where
// the others want to go.
func (b *Bank) ejectLossy() {
	clear(b.ejects.crossing)
	for i := range b.lossy.held.all() {
		o := b.wanted(i)
		b.lossy.wants[i] = o
		if o >= b.linkInputs {
			b.tryEject(i, o)
		}
	}
}

// wanted returns the output of the flit in input i: every flit is routed on its own.
func (b *Bank) wanted(i int32) int32 {
	f := &b.lossy.flits[i]
	return b.outputFor(i, b.Worm(f.Worm), f.Hop, f.VC)
}

func (b *Bank) tryEject(i, o int32) {
	l := &b.lossy
	chip := b.chipAt[o] // one virtual channel: outputs are numbered as inputs
	switch {
	case b.now < l.port[o].until:
		b.lose(i, o, EjectConflict, l.port[o].by)
	case b.cfg.HalfDuplex && b.now < l.inject[chip].until:
		b.lose(i, o, DuplexConflict, l.inject[chip].by)
	default:
		b.out[o].owner = i
		b.ejects.crossing.set(o - b.ejects.first)
		taken := use{b.now + Cycle(b.cfg.Flit), b.messageAt(i)}
		l.port[o], l.eject[chip] = taken, taken
	}
}

// linksLossy sends every flit that is not at its destination over its link.
func (b *Bank) linksLossy() {
	l := &b.lossy
	clear(b.links.crossing)
	for i := range l.held.all() {
		if i >= b.linkInputs {
			l.wants[i] = b.wanted(i)
		}
		if o := l.wants[i]; o < b.linkInputs {
			b.tryLink(i, o)
		}
	}
}

func (b *Bank) tryLink(i, o int32) {
	l := &b.lossy
	from, to := b.portChip(o), b.portChip(b.cfg.Peer[o])
	register := i >= b.linkInputs
	switch {
	case b.now < l.port[o].until:
		b.lose(i, o, LinkConflict, l.port[o].by)
		return
	case b.cfg.SinglePort && b.now < l.send[from].until:
		b.lose(i, o, SendConflict, l.send[from].by)
		return
	case b.cfg.SinglePort && b.now < l.take[to].until:
		b.lose(i, o, ReceiveConflict, l.take[to].by)
		return
	case register && b.cfg.HalfDuplex && b.now < l.eject[from].until:
		b.lose(i, o, DuplexConflict, l.eject[from].by)
		return
	}
	b.out[o].owner = i
	b.links.crossing.set(o)
	taken := use{b.now + Cycle(b.cfg.Flit), b.messageAt(i)}
	l.port[o], l.send[from], l.take[to] = taken, taken, taken
	if register {
		l.inject[from] = taken
	}
}

func (b *Bank) messageAt(i int32) int32 { return b.Worm(b.lossy.flits[i].Worm).Message }

// lose records a collision; the flit is dropped at the update.
func (b *Bank) lose(i, o int32, why Conflict, holder int32) {
	l := &b.lossy
	l.losers = append(l.losers, i)
	l.count++
	if len(l.records) == maxRecords {
		return
	}
	c := Collision{Cycle: b.now, Conflict: why, Lost: b.messageAt(i), Holder: holder}
	switch {
	case why == ReceiveConflict:
		c.Node, c.Port = NodeID(b.portChip(b.cfg.Peer[o])), NoPort
	case o < b.linkInputs:
		chip := b.portChip(o)
		c.Node, c.Port = NodeID(chip), Port(o-b.cfg.PortBase[chip])
	default:
		chip := b.chipAt[o]
		ports := b.cfg.PortBase[chip+1] - b.cfg.PortBase[chip]
		c.Node, c.Port = NodeID(chip), Port(ports+o-b.linkInputs-b.channelBase[chip])
	}
	l.records = append(l.records, c)
}

// updateLossy empties every input, then fills those that receive: with one
// register an input does both in a cycle.
func (b *Bank) updateLossy() {
	l := &b.lossy
	for _, i := range l.losers {
		b.empty(i)
	}
	l.lost = len(l.losers)
	l.losers, l.pushes = l.losers[:0], l.pushes[:0]
	for k := range b.ejects.crossing.all() {
		b.empty(b.out[b.ejects.first+k].owner)
	}
	for o := range b.links.crossing.all() {
		i := b.out[o].owner
		f := l.flits[i]
		b.empty(i)
		b.carried[o]++
		f.Hop++
		l.pushes = append(l.pushes, arrival{b.cfg.Peer[o], f})
	}
	if b.delay == nil {
		b.fill(l.pushes)
		return
	}
	at := int(b.now) % b.cfg.Hop
	b.fill(b.delay[at])
	b.delay[at] = b.delay[at][:0]
	at = int(b.now+Cycle(b.cfg.Hop)-1) % b.cfg.Hop
	b.delay[at] = append(b.delay[at], l.pushes...)
}

// empty takes the flit out of an input.
func (b *Bank) empty(i int32) {
	b.in[i].count = 0
	b.lossy.held.clear(i)
	if i >= b.linkInputs {
		b.filled.clear(i - b.linkInputs)
	}
}

func (b *Bank) fill(arrivals []arrival) {
	for _, a := range arrivals {
		b.lossy.flits[a.in] = a.f
		b.in[a.in].count = 1
		b.lossy.held.set(a.in)
	}
}
