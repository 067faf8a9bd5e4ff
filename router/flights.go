// SPDX-License-Identifier: Apache-2.0

package router

import (
	"cmp"
	"math/bits"
	"slices"

	"meshwright/internal/heap"
)

// Flights advances worms as wholes. While no worm meets another, the route of a worm is known
// when its head stands in the injection register in cycle t: the head crosses link number i of its
// route in cycle t+i*Hop, and the other flits follow at the rate of a link.
//
//	link 0   [t, t+L*Flit)
//	link 1       [t+Hop, t+Hop+L*Flit)
//	channel of the PE    [t+2*Hop, t+2*Hop+L*Flit): it lands in the last of these cycles
//
// So TakeOff books these intervals, and nothing of the worm is touched again before it lands. If an
// interval is not free, the worms would meet: then the caller gives the flits to the bank's engine, from
// the first of the worms that are aloft on, and calls Ground. What is in doubt counts as a
// meeting: virtual channels that share a link, and two channels of a half-duplex PE.
//
// The bank is empty while worms fly. It needs buffers that let flits move at the rate of a link.
type Flights struct {
	bank   *Bank
	books  books
	lanes  *lanes             // how links of grids are numbered in books; nil: as the ports
	ejects int                // in books: the first ejection channel,
	sends  int                // the first chip as a sender and
	takes  int                // as a receiver, of single ports,
	pes    int                // and the first PE, of half duplex
	near   [64][]landing      // flights that land within as many cycles, by cycle modulo their number
	soon   uint64             // the lists of near that are not empty
	aloft  heap.Heap[landing] // the other flights
	order  sparse             // scratch of Land: ejection channels,
	place  []int32            // the flight of each
	sorted []int32            // and the channels in their order
	first  int32              // the lowest link output that a worm takes off by in the present cycle, -1: none
	firsts Cycle              // that cycle
	log    []way              // of worms whose claims the arbiters have still to learn
	hops   int                // links that these worms cross
	full   int                // length of the log at which to look through it
	claims claimed
}

// Flight is a worm that is aloft.
type Flight struct {
	Lands   Cycle  // in which the PE has its tail
	Off     Cycle  // in which its head stood in the injection register
	Worm    uint32 // its slot
	Channel int32  // by which it was injected, of all chips
	Taker   int32  // ejection channel, of all chips
}

// landing is a flight in the order of landing.
type landing Flight

// Before is this order.
func (l landing) Before(m landing) bool { return l.Lands < m.Lands }

// NewFlights returns the flights of a bank, none; nil where worms cannot fly: on chips that
// switch packets or lose worms, whose links are not alike, or whose worms change or choose their virtual channels.
func NewFlights(b *Bank) *Flights {
	if b.cfg.Packet > 0 || b.cfg.Hops != nil || b.cfg.Flits != nil || b.cfg.Faulty || b.chooses() || b.turning != 0 {
		return nil
	}
	f := &Flights{bank: b, first: -1, lanes: newLanes(&b.wiring)}
	f.ejects = b.ports
	f.sends = f.ejects + int(b.channelBase[b.chips])
	f.takes, f.pes = f.sends, f.sends
	if b.cfg.SinglePort {
		f.takes = f.sends + b.chips
		f.pes = f.takes + b.chips
	}
	end := f.pes
	if b.cfg.HalfDuplex {
		end += b.chips
	}
	f.books = newBooks(end)
	f.full = f.leastLog()
	f.order, f.place = newSparse(f.sends-f.ejects), make([]int32, f.sends-f.ejects)
	return f
}

// Aloft returns the worms that have not landed, in no order.
func (f *Flights) Aloft() []Flight {
	var flights []Flight
	for _, list := range append(f.near[:], f.aloft) {
		for _, l := range list {
			flights = append(flights, Flight(l))
		}
	}
	return flights
}

// enter keeps a flight until it lands.
func (f *Flights) enter(l landing) {
	if l.Lands-f.bank.now >= Cycle(len(f.near)) {
		f.aloft.Push(l)
		return
	}
	k := int(l.Lands) % len(f.near)
	f.near[k] = append(f.near[k], l)
	f.soon |= 1 << k
}

// TakeOff lets the worm fly whose head stands in the register of an injection channel in the present
// cycle. It returns false if the worm would meet another one; then call Ground.
func (f *Flights) TakeOff(channel int32, worm uint32) bool {
	b, w := f.bank, f.bank.Worm(worm)
	r := reservation{f: f, w: w, at: b.now, span: Cycle(w.Length) * Cycle(b.cfg.Flit), chip: int32(w.Source), in: -1}
	if !r.route() || !r.arrive() {
		f.uncarry(w, r.hops)
		return false
	}
	f.enter(landing{Lands: r.at + r.span - 1, Off: b.now, Worm: worm, Channel: channel, Taker: r.taker})
	if f.firsts != b.now {
		f.first, f.firsts = -1, b.now
	}
	if o := r.out*int32(b.cfg.VCs) + int32(b.vcFor(b.linkInputs+channel, int32(w.Source), w.Lane, r.out)); f.first < 0 || o < f.first {
		f.first = o
	}
	f.remember(channel, w, int(r.hops))
	return true
}

// NextLanding returns the cycle in which the next worm lands; false when none is aloft.
func (f *Flights) NextLanding() (Cycle, bool) {
	next, any := Cycle(0), false
	if f.soon != 0 {
		now := f.bank.now
		next, any = now+Cycle(bits.TrailingZeros64(bits.RotateLeft64(f.soon, -int(now%64)))), true
	}
	if len(f.aloft) > 0 && (!any || f.aloft[0].Lands < next) {
		next, any = f.aloft[0].Lands, true
	}
	return next, any
}

// Land appends the flights that end in the present cycle, in the order of the ejection channels: a
// channel has at most one.
func (f *Flights) Land(list []Flight) []Flight {
	now := f.bank.now
	k := int(now) % len(f.near)
	batch := f.near[k]
	for len(f.aloft) > 0 && f.aloft[0].Lands == now {
		batch = append(batch, f.aloft.Pop())
	}
	if len(batch) == 1 {
		list = append(list, Flight(batch[0]))
	} else if len(batch) > 1 {
		for i, l := range batch {
			f.order.set(l.Taker)
			f.place[l.Taker] = int32(i)
		}
		f.sorted = f.order.drain(f.sorted)
		for _, taker := range f.sorted {
			list = append(list, Flight(batch[f.place[taker]]))
		}
		f.sorted = f.sorted[:0]
	}
	f.near[k] = batch[:0]
	f.soon &^= 1 << k
	return list
}

// Tail returns the last flit of a worm that lands, as its PE takes it.
func (f *Flights) Tail(flight Flight) Delivery {
	b := f.bank
	w := b.Worm(flight.Worm)
	flags := Tail
	if w.Length == 1 {
		flags |= Head
	}
	return Delivery{w.Destination, flight.Taker - b.channelBase[w.Destination], Flit{Worm: flight.Worm, Seq: w.Length - 1, Flags: flags}}
}

// FirstFilled returns the first of the buffers that get a head at the end of the cycle's time
// on the link; false: no worm takes off in this cycle.
func (f *Flights) FirstFilled() (Buffer, bool) {
	if f.first < 0 || f.firsts != f.bank.now {
		return 0, false
	}
	return Buffer(f.bank.behind[f.first]), true
}

// Count adds the links that landed worms have crossed to the bank's counters.
func (f *Flights) Count() {
	for g := range int32(f.bank.ports) {
		s := &f.books.slots[f.link(g)]
		f.bank.carried.add(g, s.carried)
		s.carried = 0
	}
}

// Ground ends all flights. The arbiters of the bank's engine then stand as the claims of worms
// before the present cycle have left them, and its counters as those of its own worms and of the
// landed ones. The list has the flights that land in the present cycle: the engine has these worms, too.
func (f *Flights) Ground(landing []Flight) {
	for _, flight := range slices.Concat(f.Aloft(), landing) {
		w := f.bank.Worm(flight.Worm)
		f.uncarry(w, f.distance(w))
	}
	f.Count()
	f.teach()
	for k := range f.near {
		f.near[k] = f.near[k][:0]
	}
	f.soon, f.aloft = 0, f.aloft[:0]
	f.books.clear()
}

// uncarry takes back that a worm carried its flits over the first links of its route.
func (f *Flights) uncarry(w *Worm, hops uint32) {
	b := f.bank
	chip := int32(w.Source)
	for hop := range hops {
		g := b.cfg.PortBase[chip] + int32(b.next(chip, w, hop))
		f.books.slots[f.link(g)].carried -= uint64(w.Length)
		chip = b.portChip(b.cfg.Peer[g])
	}
}

// distance returns the links of a worm's route.
func (f *Flights) distance(w *Worm) uint32 {
	b := f.bank
	chip := int32(w.Source)
	for hop := uint32(0); ; hop++ {
		p := b.next(chip, w, hop)
		if p == Here {
			return hop
		}
		chip = b.portChip(b.cfg.Peer[b.cfg.PortBase[chip]+int32(p)])
	}
}

// link returns the slot of a link in books.
func (f *Flights) link(g int32) int {
	if f.lanes == nil {
		return int(g)
	}
	return f.lanes.slot(f.bank.portChip(g), g)
}

// Rewind moves the clock of an empty bank back.
func (b *Bank) Rewind(t Cycle) { b.now = t }

// reservation is the booking of one worm's flight.
type reservation struct {
	f     *Flights
	w     *Worm
	at    Cycle  // in which the head crosses the next link
	span  Cycle  // how long the worm takes to cross one
	chip  int32  // where the head is then
	in    int32  // link port by which it came, -1: none
	out   int32  // link port by which it left its source
	hops  uint32 // links crossed
	taker int32  // ejection channel
}

// route books the links, and what the rules of single port and half duplex add.
func (r *reservation) route() bool {
	f := r.f
	b := f.bank
	if b.cfg.HalfDuplex && !f.books.book(f.pes+int(r.chip), r.at, r.at+r.span, b.now) {
		return false
	}
	if f.lanes != nil && !b.cfg.SinglePort {
		return f.lanes.route(r)
	}
	for {
		p := b.next(r.chip, r.w, r.hops)
		if p == Here {
			return true
		}
		g := b.cfg.PortBase[r.chip] + int32(p)
		if r.hops == 0 {
			r.out = g
		}
		if !r.cross(g) {
			return false
		}
	}
}

// cross books one link.
func (r *reservation) cross(g int32) bool {
	f := r.f
	b := f.bank
	until, from := r.at+r.span, r.chip
	r.in = b.cfg.Peer[g]
	r.chip = b.portChip(r.in)
	link := f.link(g)
	if b.cfg.SinglePort { // a link is never the only reason why two worms meet
		if !f.books.book(f.sends+int(from), r.at, until, b.now) || !f.books.book(f.takes+int(r.chip), r.at, until, b.now) {
			return false
		}
	} else if !f.books.book(link, r.at, until, b.now) {
		return false
	}
	f.books.slots[link].carried += uint64(r.w.Length)
	r.hops++
	r.at += Cycle(b.cfg.Hop)
	return true
}

// arrive books the PE at the end of the route.
func (r *reservation) arrive() bool {
	f := r.f
	b := f.bank
	r.taker = b.channelBase[r.chip]
	if b.cfg.PerLink {
		r.taker += r.in - b.cfg.PortBase[r.chip]
	}
	if b.cfg.HalfDuplex && !f.books.book(f.pes+int(r.chip), r.at, r.at+r.span, b.now) {
		return false
	}
	return f.books.book(f.ejects+int(r.taker), r.at, r.at+r.span, b.now)
}

// way is the route of a worm that took off.
type way struct {
	off  Cycle
	in   int32 // the injection register
	worm Worm  // its header, which decides the route
}

// claimed is what is known of the last claims of outputs; empty before the first look at the log.
type claimed struct {
	at []Cycle // by output-VC: of the last claim, -1: none
	in []int32 // the input that claimed it then
}

// learner is an engine whose arbiters depend on the past.
type learner interface {
	// learn sets the arbiters as if the worm in an input had claimed output o, and its flits had crossed,
	// after all other flits at this port and at the chips at its ends.
	learn(o, in int32)
}

// Bounds of the log, so that a run of many messages does not need much memory for it: a look through short routes costs so
// little that it comes earlier.
const (
	minLog   = 1 << 16
	maxLog   = 1 << 20
	shortWay = 4 // links
)

// leastLog is the length of the log from which a look through it may come. What is then known of the outputs takes no
// more memory than the log.
func (f *Flights) leastLog() int { return min(maxLog, max(minLog, f.outputs())) }

// Reserve makes room in the log for a run of so many messages.
func (f *Flights) Reserve(messages int) {
	if _, ok := f.bank.engine.(learner); ok {
		f.log = slices.Grow(f.log, min(messages, f.leastLog()))
	}
}

// remember enters a worm into the log.
func (f *Flights) remember(channel int32, w *Worm, hops int) {
	if _, ok := f.bank.engine.(learner); !ok {
		return
	}
	if len(f.log) >= f.full {
		if f.full < maxLog && f.hops > shortWay*len(f.log) {
			f.full = maxLog
		} else {
			f.fold()
			f.full = max(f.leastLog(), 2*len(f.log))
		}
	}
	f.hops += hops
	f.log = append(f.log, way{off: f.bank.now, in: f.bank.linkInputs + channel, worm: *w})
}

// outputs counts the virtual channels of all outputs.
func (f *Flights) outputs() int {
	return (f.bank.ports + int(f.bank.channelBase[f.bank.chips])) * f.bank.cfg.VCs
}

// fold looks through the log for the last claim of every output before the present cycle. Only the
// worms with later claims stay in the log.
func (f *Flights) fold() {
	if f.claims.at == nil {
		f.claims = claimed{make([]Cycle, f.outputs()), make([]int32, f.outputs())}
		for o := range f.claims.at {
			f.claims.at[o] = -1
		}
	}
	kept := f.log[:0]
	for i := range f.log {
		if !f.foldWay(&f.log[i]) {
			kept = append(kept, f.log[i])
		}
	}
	clear(f.log[len(kept):])
	f.log, f.hops = kept, 0
}

// foldWay notes the claims of a worm before the present cycle, and reports whether there are no others.
func (f *Flights) foldWay(way *way) bool {
	b := f.bank
	i, vc := way.in, way.worm.Lane
	vcs := int32(b.cfg.VCs)
	at := way.off
	for hop := uint32(0); at < b.now; hop++ {
		o := b.outputFor(i, &way.worm, hop, vc)
		if at > f.claims.at[o] {
			f.claims.at[o], f.claims.in[o] = at, i
		}
		if o >= b.linkInputs {
			return true
		}
		i, vc = b.behind[o], VC(o%vcs)
		at += Cycle(b.cfg.Hop)
	}
	return false
}

// teach tells the engine the last claims, in the order of time.
func (f *Flights) teach() {
	e, ok := f.bank.engine.(learner)
	if !ok {
		return
	}
	f.fold()
	var outputs []int32
	for o, at := range f.claims.at {
		if at >= 0 {
			outputs = append(outputs, int32(o))
		}
	}
	slices.SortFunc(outputs, func(o, p int32) int { return cmp.Compare(f.claims.at[o], f.claims.at[p]) })
	for _, o := range outputs {
		e.learn(o, f.claims.in[o])
		f.claims.at[o] = -1
	}
	f.log = f.log[:0]
}
