// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

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

// bufferlessState is the state of bufferless evaluation. A flit is in its input for one cycle:
// then it crosses, is taken by the PE, or is lost. So the work of a cycle depends on the
// number of flits, not on the size of the network.
type bufferlessState struct {
	cells  []cell  // by input
	held   sparse  // inputs that hold a flit
	placed []int32 // injection registers among them
	links  []link  // by link output

	// the cycle's decisions, in rising order of the inputs
	onward  []move // flits of link inputs that are not at their destination
	ejects  []move
	crosses []crossing
	losers  int // flits that are dropped at the update
	shown   bool

	channels []use     // last use of each ejection channel
	ports    []portUse // by chip, single port; else nil
	halves   []halfUse // by chip, half duplex; else nil
	lost     int       // flits dropped at the last update

	records []Collision
	count   int
}

// cell is an input's register, with what its last flit tells of the next: the
// flit behind it in the same worm goes the same way.
type cell struct {
	f   Flit
	at  Cycle // in which the flit was here
	out int32 // the output it wants, -1: not known yet
}

// link is a link with the chips at its ends and its last use.
type link struct {
	use
	from, to int32 // chips
	in       int32 // the input behind
}

// move is a flit's way out of an input.
type move struct{ in, out int32 }

// crossing is a move over a link, and the flit as it arrives.
type crossing struct {
	move
	then arrival
}

// use is when something was taken, until when, and by which worm: one that
// cannot have ended before then.
type use struct {
	until Cycle
	worm  uint32
}

// portUse is the last departure from a chip and arrival at it over links.
type portUse struct{ send, take use }

// halfUse is the last ejection and injection of a chip's PE.
type halfUse struct{ eject, inject use }

// maxRecords bounds the collisions kept with their details; all are counted.
const maxRecords = 1000

func (b *Bank) newBufferlessState() bufferlessState {
	l := bufferlessState{
		cells: make([]cell, len(b.in)), held: newSparse(len(b.in)), links: make([]link, b.ports), channels: make([]use, len(b.out)-b.ports),
	}
	for i := range l.cells {
		l.cells[i] = cell{at: -1, out: -1}
	}
	for o, peer := range b.cfg.Peer { // one virtual channel: outputs and inputs are numbered alike
		l.links[o] = link{from: -1, to: -1, in: -1}
		if peer >= 0 {
			l.links[o] = link{from: b.chipAt[o], to: b.chipAt[peer], in: peer}
		}
	}
	if b.cfg.SinglePort {
		l.ports = make([]portUse, b.chips)
	}
	if b.cfg.HalfDuplex {
		l.halves = make([]halfUse, b.chips)
	}
	return l
}

// Collisions returns the first collisions with their details, and the number of all.
func (b *Bank) Collisions() ([]Collision, int) { return b.bufferless.records, b.bufferless.count }

// ejectBufferless lets every flit that is at its destination leave, and notes where
// the others want to go.
func (b *Bank) ejectBufferless() {
	l := &b.bufferless
	l.ejects, l.onward, l.crosses, l.shown = l.ejects[:0], l.onward[:0], l.crosses[:0], false
	for k, block := range l.held.index {
		for ; block != 0; block &= block - 1 {
			w := k<<6 + bits.TrailingZeros64(block)
			for word := l.held.words[w]; word != 0; word &= word - 1 {
				i := int32(w<<6 + bits.TrailingZeros64(word))
				if o := b.wanted(i); o < b.linkInputs {
					l.onward = append(l.onward, move{i, o})
				} else {
					b.tryEject(i, o)
				}
			}
		}
	}
}

// wanted returns the output of the flit in input i: every flit is routed on its
// own, or as the one before it.
func (b *Bank) wanted(i int32) int32 {
	c := &b.bufferless.cells[i]
	if c.out < 0 {
		c.out = b.outputFor(i, b.Worm(c.f.Worm), c.f.Hop, c.f.VC)
	}
	return c.out
}

func (b *Bank) tryEject(i, o int32) {
	l := &b.bufferless
	channel, chip := &l.channels[o-b.linkInputs], b.chipAt[o]
	switch {
	case b.now < channel.until:
		b.lose(i, o, EjectConflict, *channel)
		return
	case l.halves != nil && b.now < l.halves[chip].inject.until:
		b.lose(i, o, DuplexConflict, l.halves[chip].inject)
		return
	}
	*channel = use{b.now + Cycle(b.cfg.Flit), l.cells[i].f.Worm}
	if l.halves != nil {
		l.halves[chip].eject = *channel
	}
	l.ejects = append(l.ejects, move{i, o})
}

// linksBufferless sends every flit that is not at its destination over its link;
// those in injection registers come last, as their numbers do.
func (b *Bank) linksBufferless() {
	l := &b.bufferless
	for _, m := range l.onward {
		b.tryLink(m.in, m.out)
	}
	for _, i := range l.placed {
		o := b.wanted(i)
		if o >= b.linkInputs {
			panic("router: a flit is injected at its destination")
		}
		b.tryLink(i, o)
	}
}

func (b *Bank) tryLink(i, o int32) {
	l := &b.bufferless
	way, f := &l.links[o], &l.cells[i].f
	register := i >= b.linkInputs
	switch {
	case b.now < way.until:
		b.lose(i, o, LinkConflict, way.use)
		return
	case l.ports != nil && b.now < l.ports[way.from].send.until:
		b.lose(i, o, SendConflict, l.ports[way.from].send)
		return
	case l.ports != nil && b.now < l.ports[way.to].take.until:
		b.lose(i, o, ReceiveConflict, l.ports[way.to].take)
		return
	case register && l.halves != nil && b.now < l.halves[way.from].eject.until:
		b.lose(i, o, DuplexConflict, l.halves[way.from].eject)
		return
	}
	taken := use{b.now + Cycle(b.cfg.Flit), f.Worm}
	way.use = taken
	if l.ports != nil {
		l.ports[way.from].send, l.ports[way.to].take = taken, taken
	}
	if register && l.halves != nil {
		l.halves[way.from].inject = taken
	}
	l.crosses = append(l.crosses, crossing{})
	c := &l.crosses[len(l.crosses)-1]
	c.in, c.out, c.then.in = i, o, way.in
	c.then.f = *f
	c.then.f.Hop++
}

// lose records a collision; the flit is dropped at the update.
func (b *Bank) lose(i, o int32, why Conflict, holder use) {
	l := &b.bufferless
	l.losers++
	l.count++
	if len(l.records) == maxRecords {
		return
	}
	c := Collision{Cycle: b.now, Conflict: why, Lost: b.Worm(l.cells[i].f.Worm).Message, Holder: b.Worm(holder.worm).Message}
	switch {
	case why == ReceiveConflict:
		c.Node, c.Port = NodeID(l.links[o].to), NoPort
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

// showBufferless sets what observers look at: the outputs that flits cross, and by
// which inputs.
func (b *Bank) showBufferless() {
	l := &b.bufferless
	if l.shown {
		return
	}
	l.shown = true
	clear(b.ejects.crossing)
	clear(b.links.crossing)
	for _, m := range l.ejects {
		b.out[m.out].owner = m.in
		b.ejects.crossing.Set(m.out - b.ejects.first)
	}
	for _, m := range l.crosses {
		b.out[m.out].owner = m.in
		b.links.crossing.Set(m.out)
	}
}

// deliveriesBufferless lists the flits that PEs take; ejection channels rise as the
// inputs do.
func (b *Bank) deliveriesBufferless() {
	for _, m := range b.bufferless.ejects {
		chip := b.chipAt[m.in]
		b.deliver = append(b.deliver, Delivery{NodeID(chip), m.out - b.ejects.first - b.channelBase[chip], b.bufferless.cells[m.in].f})
	}
}

// placeBufferless fills an injection register.
func (b *Bank) placeBufferless(i int32, f Flit) {
	l := &b.bufferless
	l.cells[i].enter(&f, b.now, Cycle(b.cfg.Flit))
	l.held.set(i)
	k := len(l.placed)
	l.placed = append(l.placed, i)
	for ; k > 0 && l.placed[k-1] > i; k-- {
		l.placed[k], l.placed[k-1] = l.placed[k-1], l.placed[k]
	}
}

// enter puts a flit into the register. Behind the flit before it in its worm, a
// flit's time later, it goes the same way. (The table of worms may have given the
// worm's slot to another one since the register was last used, but not as
// recently as that.)
func (c *cell) enter(f *Flit, now, flit Cycle) {
	if c.f.Worm != f.Worm || c.f.Seq+1 != f.Seq || c.f.Hop != f.Hop || c.at+flit != now {
		c.out = -1
	}
	c.f, c.at = *f, now
}

// updateBufferless empties every input, then fills those that receive: with one
// register an input does both in a cycle.
func (b *Bank) updateBufferless() {
	l := &b.bufferless
	l.held.reset()
	for _, i := range l.placed {
		b.filled.Clear(i - b.linkInputs)
	}
	l.lost = l.losers
	l.losers, l.placed = 0, l.placed[:0]
	for k := range l.crosses {
		c := &l.crosses[k]
		b.carried[c.out]++
		b.markGone(c.out, &c.then.f)
		if b.delay == nil {
			b.fill(&c.then)
		}
	}
	if b.delay == nil {
		return
	}
	at := int(b.now) % b.cfg.Hop
	for k := range b.delay[at] {
		b.fill(&b.delay[at][k])
	}
	b.delay[at] = b.delay[at][:0]
	at = int(b.now+Cycle(b.cfg.Hop)-1) % b.cfg.Hop
	for k := range l.crosses {
		b.delay[at] = append(b.delay[at], l.crosses[k].then)
	}
}

// fill puts a flit that has crossed its link into the input behind, unless the link
// loses it.
func (b *Bank) fill(a *arrival) {
	if a.f.Flags&gone != 0 {
		b.losses.flits++
		return
	}
	b.bufferless.cells[a.in].enter(&a.f, b.now+1, Cycle(b.cfg.Flit))
	b.bufferless.held.set(a.in)
}
