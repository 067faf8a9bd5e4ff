// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"unsafe"

	"meshwright/internal/bitset"
)

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
	Holder   int32 // message that has the output
}

// bufferless is the engine of machines without buffers. A flit is in its input for one cycle:
// then it crosses, is taken by the PE, or is lost. So the work of a cycle depends on the
// number of flits, not on the size of the network.
type bufferless struct {
	*shared

	cells    []cell     // by input
	occupied sparse     // inputs that hold a flit
	placed   []int32    // injection registers among them
	ways     []link     // by link output
	delay    delayLines // nil when Hop is 1

	// the cycle's decisions, in rising order of the inputs
	onward  []move // flits of link inputs that are not at their destination
	ejects  []move
	crosses []crossing
	losers  int // flits that are dropped at the update

	channels []use     // last use of each ejection channel
	portUses []portUse // by chip, single port; else nil
	halves   []halfUse // by chip, half duplex; else nil

	// what observers look at, made when they do
	shown             bool
	owners            []int32    // by output: the input whose flit leaves by it
	ejecting, linking bitset.Set // ejection channels and links that flits cross

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

// move takes a flit out of an input.
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

func newBufferless(s *shared) *bufferless {
	inputs := s.inputs
	e := &bufferless{
		shared: s, cells: make([]cell, inputs), ways: make([]link, s.ports), channels: make([]use, inputs-s.ports),
		owners: make([]int32, inputs), ejecting: bitset.New(inputs - s.ports), linking: bitset.New(s.ports), occupied: newSparse(inputs),
	}
	if s.cfg.Hop > 1 {
		e.delay = make(delayLines, s.cfg.Hop)
	}
	for i := range e.cells {
		e.cells[i] = cell{at: -1, out: -1}
	}
	for o, peer := range s.cfg.Peer { // one virtual channel: outputs and inputs are numbered alike
		e.ways[o] = link{from: -1, to: -1, in: -1}
		if peer >= 0 {
			e.ways[o] = link{from: s.chipOf(int32(o)), to: s.chipOf(peer), in: peer}
		}
	}
	if s.cfg.SinglePort {
		e.portUses = make([]portUse, s.chips)
	}
	if s.cfg.HalfDuplex {
		e.halves = make([]halfUse, s.chips)
	}
	return e
}

// eject lets every flit that is at its destination leave, and notes where
// the others want to go.
func (e *bufferless) eject() int {
	e.ejects, e.onward, e.crosses, e.shown = e.ejects[:0], e.onward[:0], e.crosses[:0], false
	for k, block := range e.occupied.index {
		for ; block != 0; block &= block - 1 {
			w := k<<6 + bits.TrailingZeros64(block)
			for word := e.occupied.words[w]; word != 0; word &= word - 1 {
				i := int32(w<<6 + bits.TrailingZeros64(word))
				if o := e.wanted(i); o < e.linkInputs {
					e.onward = append(e.onward, move{i, o})
				} else {
					e.tryEject(i, o)
				}
			}
		}
	}
	return len(e.ejects)
}

// wanted returns the output of the flit in input i: every flit is routed on its
// own, or as the one before it.
func (e *bufferless) wanted(i int32) int32 {
	c := &e.cells[i]
	if c.out < 0 {
		c.out = e.outputFor(i, e.Worm(c.f.Worm), c.f.Hop, c.f.VC)
	}
	return c.out
}

func (e *bufferless) tryEject(i, o int32) {
	channel, chip := &e.channels[o-e.linkInputs], e.chipOf(o)
	switch {
	case e.now < channel.until:
		e.lose(i, o, EjectConflict, *channel)
		return
	case e.halves != nil && e.now < e.halves[chip].inject.until:
		e.lose(i, o, DuplexConflict, e.halves[chip].inject)
		return
	}
	*channel = use{e.now + Cycle(e.cfg.Flit), e.cells[i].f.Worm}
	if e.halves != nil {
		e.halves[chip].eject = *channel
	}
	e.ejects = append(e.ejects, move{i, o})
}

// link sends every flit that is not at its destination over its link;
// those in injection registers come last, as their numbers do.
func (e *bufferless) link() {
	for _, m := range e.onward {
		e.tryLink(m.in, m.out)
	}
	for _, i := range e.placed {
		o := e.wanted(i)
		if o >= e.linkInputs {
			panic("router: a flit is injected at its destination")
		}
		e.tryLink(i, o)
	}
}

func (e *bufferless) tryLink(i, o int32) {
	way, f := &e.ways[o], &e.cells[i].f
	register := i >= e.linkInputs
	switch {
	case e.now < way.until:
		e.lose(i, o, LinkConflict, way.use)
		return
	case e.portUses != nil && e.now < e.portUses[way.from].send.until:
		e.lose(i, o, SendConflict, e.portUses[way.from].send)
		return
	case e.portUses != nil && e.now < e.portUses[way.to].take.until:
		e.lose(i, o, ReceiveConflict, e.portUses[way.to].take)
		return
	case register && e.halves != nil && e.now < e.halves[way.from].eject.until:
		e.lose(i, o, DuplexConflict, e.halves[way.from].eject)
		return
	}
	taken := use{e.now + Cycle(e.cfg.Flit), f.Worm}
	way.use = taken
	if e.portUses != nil {
		e.portUses[way.from].send, e.portUses[way.to].take = taken, taken
	}
	if register && e.halves != nil {
		e.halves[way.from].inject = taken
	}
	e.crosses = append(e.crosses, crossing{})
	c := &e.crosses[len(e.crosses)-1]
	c.in, c.out, c.then.in = i, o, way.in
	c.then.f = *f
	c.then.f.Hop++
}

// lose records a collision; the flit is dropped at the update.
func (e *bufferless) lose(i, o int32, why Conflict, holder use) {
	e.losers++
	e.count++
	if len(e.records) == maxRecords {
		return
	}
	c := Collision{Cycle: e.now, Conflict: why, Lost: e.Worm(e.cells[i].f.Worm).Message, Holder: e.Worm(holder.worm).Message}
	switch {
	case why == ReceiveConflict:
		c.Node, c.Port = NodeID(e.ways[o].to), NoPort
	case o < e.linkInputs:
		chip := e.portChip(o)
		c.Node, c.Port = NodeID(chip), Port(o-e.cfg.PortBase[chip])
	default:
		chip := e.chipOf(o)
		ports := e.cfg.PortBase[chip+1] - e.cfg.PortBase[chip]
		c.Node, c.Port = NodeID(chip), Port(ports+o-e.linkInputs-e.channelBase[chip])
	}
	e.records = append(e.records, c)
}

// look sets what observers look at.
func (e *bufferless) look() {
	if e.shown {
		return
	}
	e.shown = true
	clear(e.ejecting)
	clear(e.linking)
	for _, m := range e.ejects {
		e.owners[m.out] = m.in
		e.ejecting.Set(m.out - e.linkInputs)
	}
	for _, m := range e.crosses {
		e.owners[m.out] = m.in
		e.linking.Set(m.out)
	}
}

// show ranges over the flits that cross; no flit is blocked.
func (e *bufferless) show(yield func(Offer) bool) {
	e.look()
	for k := range e.ejecting.All() {
		if !yield(e.offerAt(e.linkInputs + k)) {
			return
		}
	}
	for o := range e.linking.All() {
		if !yield(e.offerAt(o)) {
			return
		}
	}
}

func (e *bufferless) offerAt(out int32) Offer {
	in := e.owners[out]
	return e.view(out, in, e.cells[in].f, true)
}

// deliveries lists the flits that PEs take; ejection channels rise as the inputs do.
func (e *bufferless) deliveries(list []Delivery) []Delivery {
	for _, m := range e.ejects {
		chip := e.chipOf(m.in)
		list = append(list, Delivery{NodeID(chip), m.out - e.linkInputs - e.channelBase[chip], e.cells[m.in].f})
	}
	return list
}

func (e *bufferless) tails(worms []uint32) []uint32 {
	for _, m := range e.ejects {
		if f := &e.cells[m.in].f; f.Flags&Tail != 0 {
			worms = append(worms, f.Worm)
		}
	}
	return worms
}

func (e *bufferless) landing(worms []uint32) []uint32 {
	for _, m := range e.ejects {
		if f := &e.cells[m.in].f; f.Flags&Head != 0 {
			worms = append(worms, f.Worm)
		}
	}
	return worms
}

// filling appends nothing: there are no buffers.
func (e *bufferless) filling(list []Buffer) []Buffer { return list }

func (e *bufferless) moved() int { return len(e.ejects) + len(e.crosses) }

func (e *bufferless) crossing() bool { return len(e.crosses) > 0 }

func (e *bufferless) held(i int32) int {
	if e.occupied.words.Has(i) {
		return 1
	}
	return 0
}

func (e *bufferless) front(i int32) (Flit, bool) { return e.cells[i].f, e.occupied.words.Has(i) }

// waitsFor returns no input: no flit waits.
func (e *bufferless) waitsFor(int32) (int32, Reason) { return -1, "" }

func (e *bufferless) underway() int { return e.delay.size() }

func (e *bufferless) crossed(int32) uint64 { return 0 }

func (e *bufferless) blockedSince(int32) uint64 { return 0 }

func (e *bufferless) bytes() uintptr {
	return uintptr(len(e.cells))*unsafe.Sizeof(cell{}) + uintptr(len(e.ways))*unsafe.Sizeof(link{}) +
		uintptr(len(e.channels))*unsafe.Sizeof(use{}) + uintptr(len(e.portUses))*unsafe.Sizeof(portUse{}) +
		uintptr(len(e.halves))*unsafe.Sizeof(halfUse{}) + 4*uintptr(len(e.owners)) +
		8*uintptr(len(e.ejecting)+len(e.linking)+len(e.occupied.words)+len(e.occupied.index))
}

// place fills an injection register.
func (e *bufferless) place(i int32, f Flit) {
	e.cells[i].enter(&f, e.now, Cycle(e.cfg.Flit))
	e.occupied.set(i)
	k := len(e.placed)
	e.placed = append(e.placed, i)
	for ; k > 0 && e.placed[k-1] > i; k-- {
		e.placed[k], e.placed[k-1] = e.placed[k-1], e.placed[k]
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

// update empties every input, then fills those that receive: with one
// register an input does both in a cycle.
func (e *bufferless) update() {
	e.occupied.reset()
	for _, i := range e.placed {
		e.filled.Clear(i - e.linkInputs)
	}
	e.losses.flits += e.losers
	e.losers, e.placed = 0, e.placed[:0]
	if e.delay != nil {
		for _, a := range e.delay.arriving(e.now) {
			e.fill(&a)
		}
	}
	for k := range e.crosses {
		c := &e.crosses[k]
		e.carried.add(c.out, 1)
		e.markGone(c.out, &c.then.f)
		if e.delay == nil {
			e.fill(&c.then)
		} else {
			e.delay.enter(e.now, c.then)
		}
	}
}

// fill puts a flit that has crossed its link into the input behind, unless the link
// loses it.
func (e *bufferless) fill(a *arrival) {
	if a.f.Flags&gone != 0 {
		e.losses.flits++
		return
	}
	e.cells[a.in].enter(&a.f, e.now+1, Cycle(e.cfg.Flit))
	e.occupied.set(a.in)
}
