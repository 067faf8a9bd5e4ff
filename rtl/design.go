// SPDX-License-Identifier: Apache-2.0

// Package rtl turns a network into Verilog: a hand-written library of chips
// and links (lib), a generated top level that wires them, and a bench that
// drives a recorded run from vectors and compares every output of every chip
// in every cycle.
package rtl

import (
	"math/bits"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/code"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Design is a network as hardware: parameters of the chips and widths of the
// fields of a flit, in bits. All chips have the ports of the largest one.
//
// A flit on the wire is, most significant first,
// {vc, head, tail, kind[2], tag, source, destination, route, payload}. With HeadFlit it is {vc, head, tail, payload},
// and the payload of a head is, in its lowest bits, {route, kind[2], tag, source, destination}.
type Design struct {
	net *fabric.Network

	Chips, Ports, VCs, Channels        int
	Buffer                             int // flits per input buffer
	CountWidth                         int // bits of a buffer's occupancy
	VCWidth, TagWidth, NodeWidth       int
	PortWidth                          int // bits of a hop in a source route
	RouteWidth, Width                  int
	FlitWidth                          int
	HeadFlit                           bool // the header travels in a flit of its own
	Flit                               int  // cycles per flit and link; packet chips count ticks
	Packet                             int  // flits of the largest packet (packet chips)
	Setup                              int  // ticks per packet and link (packet chips)
	Links                              []topology.Link
	Bufferless, SinglePort, HalfDuplex bool
	Packets, CutThrough                bool // packet chips: store-forward or cut-through
	Kind                               routeKind
	linkIndex                          []int // by chip*Ports+port

	faulty      []int       // links with faults, in the order of their numbers in faultEvents
	faultOf     map[int]int // by link: its place in faulty
	faultEvents []faultEvent

	Code        int         // of the buffers: the library's parameter, a place in code.Codes
	Word        int         // bits of a payload in a buffer, check bits included
	struck      []int       // links to buffers with upsets, in the order of their numbers in upsetEvents
	struckOf    map[int]int // by link: its place in struck
	upsetEvents []faultEvent
}

type routeKind int

// The values of the library's parameter Kind.
const (
	dimensionOrder routeKind = iota
	tableRouting
	sourceRouting
	reverseOrder
	o1turnRouting
	valiantRouting
	adaptiveRouting
)

// alongDimensions reports whether chips route by the coordinates of nodes.
func (k routeKind) alongDimensions() bool { return k != tableRouting && k != sourceRouting }

// newDesign sizes the hardware for a network whose messages have tags up to
// maxTag and source routes up to maxHops.
func newDesign(n *fabric.Network, maxTag uint32, maxHops int) *Design {
	t, m := n.Topology, n.Machine
	d := &Design{
		net: n, Chips: t.Nodes(), Ports: max(1, t.MaxPorts()), VCs: m.VCs, Channels: 1, Buffer: m.Buffer,
		VCWidth: max(1, width(m.VCs-1)), TagWidth: machine.TagBits(maxTag), NodeWidth: machine.NodeBits(t),
		Width: m.Width, HeadFlit: m.Header == machine.HeadFlit, Links: t.Links(),
		Flit: m.FlitTicks(), Packets: m.PacketSwitched(), CutThrough: m.Switching == machine.CutThrough, Packet: m.LargestPacket(), Setup: m.SetupTicks(),
		Bufferless: m.Switching == machine.Bufferless, SinglePort: m.Ports == machine.SinglePort,
		HalfDuplex: m.Duplex == machine.Half, Kind: dimensionOrder,
		Code: slices.Index(code.Codes(), m.Code), Word: m.StoredBits(),
	}
	d.CountWidth = width(d.Buffer)
	if m.Channels == machine.Links {
		d.Channels = d.Ports
	}
	d.PortWidth, d.RouteWidth = machine.HopBits(t), m.RouteBits(t, maxHops)
	switch {
	case m.Routing == machine.Source:
		d.Kind = sourceRouting
	case m.Routing == machine.Table || !n.DimensionOrdered():
		d.Kind = tableRouting
	case m.Routing == machine.ReverseOrder:
		d.Kind = reverseOrder
	case m.Routing == machine.O1Turn:
		d.Kind = o1turnRouting
	case m.Routing == machine.Valiant:
		d.Kind = valiantRouting
	case m.Routing == machine.Adaptive:
		d.Kind = adaptiveRouting
	}
	d.linkIndex = make([]int, d.Chips*d.Ports)
	for i, l := range d.Links {
		d.linkIndex[int(l.From)*d.Ports+int(l.FromPort)] = i
	}
	d.FlitWidth = d.VCWidth + 2 + d.Width
	if !d.HeadFlit {
		d.FlitWidth += d.headerWidth()
	}
	return d
}

// headerWidth returns the bits of a header.
func (d *Design) headerWidth() int { return 2*d.NodeWidth + d.TagWidth + 2 + d.RouteWidth }

// rest returns the cycles from the last ejection to the end of a run: a packet
// chip's ejection register shows a flit in the cycle that counts, the others
// one that crosses into the PE.
func (d *Design) rest() int {
	if d.Packets {
		return 0
	}
	return d.Flit
}

// kindAt returns the lowest bit of the kind in a head.
func (d *Design) kindAt() int {
	if d.HeadFlit {
		return 2*d.NodeWidth + d.TagWidth
	}
	return d.FlitWidth - d.VCWidth - 4
}

// width returns the bits that hold every value up to most.
func width(most int) int { return bits.Len(uint(most)) }

// outputCount returns the number of outputs that the bench watches: links, then
// ejection channels of every chip.
func (d *Design) outputCount() int { return len(d.Links) + d.Chips*d.Channels }

// bufferCount returns the number of occupancies that the bench watches: link
// buffers of every chip, then injection registers.
func (d *Design) bufferCount() int { return d.Chips*d.Ports*d.VCs + d.Chips*d.Channels }

// tableEntry returns the bits of a next-hop entry that the library takes.
func (d *Design) tableEntry() int {
	for _, w := range []int{4, 8} {
		if d.Ports < 1<<w {
			return w
		}
	}
	return 16
}

// wraps returns, for chip n, the ports whose links close a ring, as a number.
func (d *Design) wraps(n router.NodeID) uint64 {
	if !d.net.Machine.Datelines(d.net.Topology) {
		return 0
	}
	var mask uint64
	for p := range router.Port(d.net.Topology.Ports(n)) {
		if fabric.CrossesRim(d.net.Topology, n, p) {
			mask |= 1 << p
		}
	}
	return mask
}
