// SPDX-License-Identifier: Apache-2.0

package booking

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Book has the calendars of a machine without packets: one for every link, one for each
// injection and ejection channel of every PE. Depending on the machine a node also has one
// for its sending port and one for its receiving port, or one for its half-duplex
// interface.
//
// It is stricter than the machine in two points. A message is handed over only when the
// flits of the previous message have left its channel; this may be Flit-1 cycles later
// than the channel would accept it, but for books that count with stalls ([Book.Stalling]). A half-duplex interface sends no message as long as one
// arrives, not even between two flits; it may send several at a time, or receive several.
// Stored timetables depend on these rules.
//
// A book may also run backwards in time ([NewBackwards]): a list of messages that it gave times is
// free of collisions when the last message goes first. The start of a message is then where
// it ends: a message handed over in cycle t of such a book, and whole in cycle w, is handed over
// in cycle T-1-w of the true clock and whole in cycle T-1-t, if all of them take T cycles.
type Book struct {
	timing.Model
	topology *topology.Topology
	machine  machine.Machine
	base     []int32 // by node: its first port
	links    []Calendar
	inject   []Calendar // by first port of a node, plus channel
	eject    []Calendar
	sending  []Calendar // by node: the single port, for flits that leave
	taking   []Calendar // and for flits that come
	out, in  []Calendar // by node: when its half-duplex interface sends, and when it receives
	uses     []Use

	backwards, stalling bool
	beat                router.Cycle // messages are handed over in its multiples; 0: in any cycle
}

// NewBackwards returns a book that runs backwards in time.
func NewBackwards(t *topology.Topology, m machine.Machine) *Book {
	b := NewBook(t, m)
	b.backwards = true
	return b
}

// NewBook returns a book in which everything is free. The machine is resolved.
func NewBook(t *topology.Topology, m machine.Machine) *Book {
	b := &Book{Model: timing.Of(&m), topology: t, machine: m, base: make([]int32, t.Nodes()+1)}
	for n := range t.Nodes() {
		b.base[n+1] = b.base[n] + int32(t.Ports(router.NodeID(n)))
	}
	ports := int(b.base[t.Nodes()])
	b.links, b.inject, b.eject = make([]Calendar, ports), make([]Calendar, ports), make([]Calendar, ports)
	if m.Ports == machine.SinglePort {
		b.sending, b.taking = make([]Calendar, t.Nodes()), make([]Calendar, t.Nodes())
	}
	if m.Duplex == machine.Half {
		b.out, b.in = make([]Calendar, t.Nodes()), make([]Calendar, t.Nodes())
	}
	return b
}

// NewStalling returns a book that counts with stalls ([Book.Stalling]), and runs backwards in time if that is asked for ([NewBackwards]).
func NewStalling(t *topology.Topology, m machine.Machine, backwards bool) *Book {
	b := NewBook(t, m)
	b.backwards = backwards
	return b.Stalling()
}

// Stalling lets the book, in which everything is free, count with stalls for room in small buffers: messages that do not meet in it do not meet on the
// machine, and take as long as the book says, see [timing.Stalling]. It returns the book.
func (b *Book) Stalling() *Book {
	b.Model, b.stalling = timing.Stalling(&b.machine), true
	return b
}

// OnBeat lets messages be handed over in the multiples of a beat alone. It returns the book.
func (b *Book) OnBeat(beat router.Cycle) *Book {
	b.beat = beat
	return b
}

// Reserve gives a message of so many flits the earliest time at which it meets no
// other, and reserves all that it uses. Its route is a list of output ports, at
// least one. It returns the cycle in which the message is handed over, not before
// from, and the one in which it is whole at its receiver.
func (b *Book) Reserve(source router.NodeID, route []router.Port, flits int, from router.Cycle) (handed, whole router.Cycle) {
	dispatch := b.dispatch(source, route, flits, from)
	Reserve(b.uses, dispatch)
	handed = dispatch - b.Startup
	return handed, handed + b.UntilWhole(len(route), flits)
}

// ReserveAt is Reserve for a message that is handed over in one cycle or not at all: if it would be handed over later, nothing is reserved, and ok is false.
func (b *Book) ReserveAt(source router.NodeID, route []router.Port, flits int, at router.Cycle) (handed, whole router.Cycle, ok bool) {
	dispatch := b.dispatch(source, route, flits, at)
	handed = dispatch - b.Startup
	if handed > at {
		return handed, 0, false
	}
	Reserve(b.uses, dispatch)
	return handed, handed + b.UntilWhole(len(route), flits), true
}

// Earliest returns when Reserve would have a message handed over.
func (b *Book) Earliest(source router.NodeID, route []router.Port, flits int, from router.Cycle) (handed router.Cycle) {
	return b.dispatch(source, route, flits, from) - b.Startup
}

// dispatch lists the resources of a message, and returns the first start at which all are free.
func (b *Book) dispatch(source router.NodeID, route []router.Port, flits int, from router.Cycle) router.Cycle {
	b.need(source, route, flits)
	start := Earliest(b.uses, from+b.Startup)
	for off := b.offBeat(start); off > 0; off = b.offBeat(start) {
		start = Earliest(b.uses, start+b.beat-off)
	}
	return start
}

// offBeat returns by how many cycles a message with a start is handed over behind the beat.
func (b *Book) offBeat(start router.Cycle) router.Cycle {
	if b.beat == 0 {
		return 0
	}
	return (start - b.Startup) % b.beat
}

// Uses returns what a message uses, from its dispatch on, in the same order for all messages over as many links. Each further cycle of [timing.Model.Work] makes each use a
// cycle longer.
func (b *Book) Uses(source router.NodeID, route []router.Port, flits int) []Use {
	b.need(source, route, flits)
	return slices.Clone(b.uses)
}

// need lists what a message uses, backwards in time if the book runs so.
func (b *Book) need(source router.NodeID, route []router.Port, flits int) {
	b.list(source, route, b.Work(flits))
	if b.backwards {
		// What the message uses from its hand-over on until it is whole, it now uses from when it is whole on.
		end := b.UntilWhole(len(route), flits) + 1 - 2*b.Startup
		for i := range b.uses {
			u := &b.uses[i]
			u.At = end - u.At - u.Long
		}
	}
}

// list lists the resources of a message that takes each channel, port and interface for so long, and each link for a stall longer: it is the buffers behind links that a stall
// concerns. The ejection channel comes first, since messages wait most for it.
func (b *Book) list(source router.NodeID, route []router.Port, long router.Cycle) {
	b.uses = append(b.uses[:0], Use{})
	at, shift, last := source, router.Cycle(0), router.Port(0)
	for _, p := range route {
		b.uses = append(b.uses, Use{Calendar: &b.links[b.base[at]+int32(p)], At: shift, Long: long + b.Stall()})
		next := b.topology.Neighbor(at, p)
		if b.sending != nil {
			b.uses = append(b.uses, Use{Calendar: &b.sending[at], At: shift, Long: long}, Use{Calendar: &b.taking[next], At: shift, Long: long})
		}
		last = b.topology.BackPort(at, p)
		at, shift = next, shift+b.Hop
	}
	b.uses[0] = Use{Calendar: &b.eject[b.channel(at, last)], At: shift, Long: long}
	b.uses = append(b.uses, Use{Calendar: &b.inject[b.channel(source, route[0])], At: -b.Startup, Long: b.Startup + long - b.early()})
	if b.out != nil {
		b.uses = append(b.uses, Use{&b.in[source], 0, long, &b.out[source]}, Use{&b.out[at], shift, long, &b.in[at]})
	}
}

// early returns how many cycles before the end of a message's time on the first link its channel can accept the next message: the flit's time but for its first
// cycle, unless the startup is shorter, since flits of a channel are a flit's time apart. Only books that count with stalls use these cycles, where there are none.
func (b *Book) early() router.Cycle {
	if !b.stalling || b.Stall() > 0 {
		return 0
	}
	return min(b.Startup, b.Flit-1)
}

// channel is the index of a node's channel behind a port.
func (b *Book) channel(n router.NodeID, p router.Port) int32 {
	return b.base[n] + int32(timing.ChannelOf(&b.machine, p))
}

// Clear makes everything free again.
func (b *Book) Clear() {
	for _, list := range [][]Calendar{b.links, b.inject, b.eject, b.sending, b.taking, b.out, b.in} {
		for i := range list {
			list[i] = list[i][:0]
		}
	}
}
