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
// fields of a flit, in bits. A chip has the ports of its node: chips differ in
// nothing else but constants.
//
// A flit on the wire is, most significant first,
// {vc, head, tail, kind[2], tag, source, destination, route, payload}. With HeadFlit it is {vc, head, tail, payload},
// and the payload of a head is, in its lowest bits, {route, kind[2], tag, source, destination}.
type Design struct {
	net *fabric.Network

	Chips, VCs                         int
	Ports                              int // of the largest chip
	Buffer                             int // flits per input buffer
	CountWidth                         int // bits of a buffer's occupancy
	VCWidth, TagWidth, NodeWidth       int
	PortWidth                          int // bits of a hop in a source route
	RouteWidth, Width                  int
	FlitWidth                          int
	HeadFlit                           bool // the header travels in a flit of its own
	Ahead                              bool // heads carry their course in the highest bits of their payload, where links lead
	Flit                               int  // cycles per flit and link; packet chips count ticks
	Packet                             int  // flits of the largest packet (packet chips)
	Setup                              int  // ticks per packet and link (packet chips)
	Links                              []topology.Link
	Bufferless, SinglePort, HalfDuplex bool
	Packets, CutThrough                bool     // packet chips: store-forward or cut-through
	turns                              [][]bool // by chip: bit o*(ports+1)+i of those that messages take; nil: all
	Streams                            bool     // PEs have AXI4-Stream ports: ejection may have to wait
	name                               string   // see Recorder.Name
	extended                           bool     // an extension of the export drives the faults, see FaultTable
	Kind                               routeKind
	cycles                             router.Cycle // that the bench compares
	firstPort, firstChannel            []int        // by chip: its first in a list of all chips' ports, channels; then the end
	linkIndex                          []int        // by place in the list of all ports

	faulty      []int       // links with faults, in the order of their numbers in faultEvents
	faultOf     map[int]int // by link: its place in faulty
	faultEvents []faultEvent

	Code        int         // of the buffers: the library's parameter, a place in code.Codes
	RAM         bool        // buffers are block RAM (wormhole chips)
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
	westFirst // the turn models, in the order of router.TurnModel
	northLast
	negativeFirst
	oddEven
)

// turnModel returns the turn model of a kind, if it has one.
func (k routeKind) turnModel() (router.TurnModel, bool) {
	return router.TurnModel(k - westFirst), k >= westFirst
}

// alongDimensions reports whether chips route by the coordinates of nodes.
func (k routeKind) alongDimensions() bool { return k != tableRouting && k != sourceRouting }

// newDesign sizes the hardware for a network whose messages have tags up to
// maxTag and source routes up to maxHops.
func newDesign(n *fabric.Network, maxTag uint32, maxHops int) *Design {
	t, m := n.Topology, n.Machine
	d := &Design{
		net: n, Chips: t.Nodes(), Ports: max(1, t.MaxPorts()), VCs: m.VCs, Buffer: m.Buffer,
		VCWidth: max(1, width(m.VCs-1)), TagWidth: machine.TagBits(maxTag), NodeWidth: machine.NodeBits(t),
		Width: m.Width, HeadFlit: m.Header == machine.HeadFlit, Links: t.Links(),
		Flit: m.FlitTicks(), Packets: m.PacketSwitched(), CutThrough: m.Switching == machine.CutThrough, Packet: m.LargestPacket(), Setup: m.SetupTicks(),
		Bufferless: m.Switching == machine.Bufferless, SinglePort: m.Ports == machine.SinglePort,
		HalfDuplex: m.Duplex == machine.Half, Kind: dimensionOrder,
		Code: slices.Index(code.Codes(), m.Code), Word: m.StoredBits(), RAM: m.Store == machine.RAM,
	}
	d.CountWidth = width(d.Buffer)
	d.PortWidth, d.RouteWidth = machine.HopBits(t), m.RouteBits(t, maxHops)
	switch {
	case m.Routing == machine.Source:
		d.Kind = sourceRouting
	case m.Routing == machine.Table || m.Routing == machine.UpDown || !n.DimensionOrdered():
		d.Kind = tableRouting
	case m.Routing == machine.ReverseOrder:
		d.Kind = reverseOrder
	case m.Routing == machine.O1Turn:
		d.Kind = o1turnRouting
	case m.Routing == machine.Valiant:
		d.Kind = valiantRouting
	case m.Routing == machine.Adaptive:
		d.Kind = adaptiveRouting
	case m.Routing.TurnModel():
		d.Kind = westFirst + routeKind(fabric.TurnModelOf(m.Routing))
	}
	d.placeChips(m.Channels == machine.Links)
	d.Ahead = !d.Packets && d.HeadFlit && (d.Kind == dimensionOrder || d.Kind == reverseOrder) && d.headerWidth()+2*len(t.Dims) <= d.Width
	d.FlitWidth = d.VCWidth + 2 + d.Width
	if !d.HeadFlit {
		d.FlitWidth += d.headerWidth()
	}
	return d
}

// headerWidth returns the bits of a header.
func (d *Design) headerWidth() int { return 2*d.NodeWidth + d.TagWidth + 2 + d.RouteWidth }

// placeChips numbers the ports and channels of all chips, and says which link
// leaves a port.
func (d *Design) placeChips(channelPerLink bool) {
	d.firstPort, d.firstChannel = make([]int, d.Chips+1), make([]int, d.Chips+1)
	for n := range d.Chips {
		ports, channels := max(1, d.net.Topology.Ports(router.NodeID(n))), 1
		if channelPerLink {
			channels = ports
		}
		d.firstPort[n+1], d.firstChannel[n+1] = d.firstPort[n]+ports, d.firstChannel[n]+channels
	}
	d.linkIndex = make([]int, d.firstPort[d.Chips])
	for i, l := range d.Links {
		d.linkIndex[d.firstPort[l.From]+int(l.FromPort)] = i
	}
}

// ports returns the number of link ports of chip n.
func (d *Design) ports(n router.NodeID) int { return d.firstPort[n+1] - d.firstPort[n] }

// channels returns the number of injection channels of chip n, which has as
// many ejection channels.
func (d *Design) channels(n router.NodeID) int { return d.firstChannel[n+1] - d.firstChannel[n] }

// allChannels returns the number of injection channels of all chips.
func (d *Design) allChannels() int { return d.firstChannel[d.Chips] }

// chipOf returns the chip of an injection channel, by its number.
func (d *Design) chipOf(channel int) router.NodeID {
	after, _ := slices.BinarySearch(d.firstChannel, channel+1)
	return router.NodeID(after - 1)
}

// linkFrom returns the link that leaves chip n by port p.
func (d *Design) linkFrom(n router.NodeID, p router.Port) int {
	return d.linkIndex[d.firstPort[n]+int(p)]
}

// hop returns the cycles of a hop over a link.
func (d *Design) hop(link int) int { return d.net.Hop(d.Links[link].From, d.Links[link].FromPort) }

// flit returns the ticks for which a flit occupies a link.
func (d *Design) flit(link int) int {
	return int(d.net.FlitTime(d.Links[link].From, d.Links[link].FromPort))
}

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

// headAt returns the bit that marks a head.
func (d *Design) headAt() int { return d.FlitWidth - d.VCWidth - 1 }

// width returns the bits that hold every value up to most.
func width(most int) int { return bits.Len(uint(most)) }

// outputCount returns the number of outputs that the bench watches: links, then
// ejection channels of every chip.
func (d *Design) outputCount() int { return len(d.Links) + d.allChannels() }

// bufferCount returns the number of occupancies that the bench watches: link
// buffers of every chip, then injection registers.
func (d *Design) bufferCount() int { return d.linkBuffers() + d.allChannels() }

// linkBuffers returns the number of link buffers of all chips.
func (d *Design) linkBuffers() int { return d.firstPort[d.Chips] * d.VCs }

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
