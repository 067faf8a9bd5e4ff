// SPDX-License-Identifier: Apache-2.0

package booking

import (
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
// than the channel would accept it. A half-duplex interface serves one message at a time,
// whichever direction it has. Stored timetables depend on these rules.
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
	duplex   []Calendar // by node: the interface that goes one way at a time
	uses     []Use
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
		b.duplex = make([]Calendar, t.Nodes())
	}
	return b
}

// Reserve gives a message of so many flits the earliest time at which it meets no
// other, and reserves all that it uses. Its route is the output ports on its way, at
// least one. It returns the cycle in which the message is handed over, not before
// from, and the one in which it is whole at its receiver.
func (b *Book) Reserve(source router.NodeID, route []router.Port, flits int, from router.Cycle) (handed, whole router.Cycle) {
	b.list(source, route, b.Work(flits))
	dispatch := Earliest(b.uses, from+b.Startup)
	Reserve(b.uses, dispatch)
	handed = dispatch - b.Startup
	return handed, handed + b.UntilWhole(len(route), flits)
}

// list lists the resources of a message that takes each link for so long. The ejection channel
// comes first, since messages wait most for it.
func (b *Book) list(source router.NodeID, route []router.Port, long router.Cycle) {
	b.uses = append(b.uses[:0], Use{})
	at, shift, last := source, router.Cycle(0), router.Port(0)
	for _, p := range route {
		b.uses = append(b.uses, Use{&b.links[b.base[at]+int32(p)], shift, long})
		next := b.topology.Neighbor(at, p)
		if b.sending != nil {
			b.uses = append(b.uses, Use{&b.sending[at], shift, long}, Use{&b.taking[next], shift, long})
		}
		last = b.topology.BackPort(at, p)
		at, shift = next, shift+b.Hop
	}
	b.uses[0] = Use{&b.eject[b.channel(at, last)], shift, long}
	b.uses = append(b.uses, Use{&b.inject[b.channel(source, route[0])], -b.Startup, b.Startup + long})
	if b.duplex != nil {
		b.uses = append(b.uses, Use{&b.duplex[source], 0, long}, Use{&b.duplex[at], shift, long})
	}
}

// channel is the index of a node's channel behind a port.
func (b *Book) channel(n router.NodeID, p router.Port) int32 {
	return b.base[n] + int32(timing.ChannelOf(&b.machine, p))
}
