// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/memory"
)

// Bytes of a network's state. A link port has a buffer for each virtual
// channel with a ring of segments, its output, and bits in some twenty sets. A channel of the
// network interface has its registers and ejection outputs. Fitted to the heap after New and
// router.NewFlights on meshes, tori, hypercubes, trees and star graphs with 1 to 8 virtual channels, buffers
// of 4 to 64 flits, and a channel for each node or each link. Without buffers it is the same for any
// number of virtual channels.
const (
	perPort     = 5  // wiring, counters
	perChannel  = 50 // of a port: state of a virtual channel and its output
	perSlot     = 9  // of a virtual channel: a segment of its buffer
	perNIC      = 28 // of a channel of the network interface
	perLane     = 43 // and of each virtual channel of it
	perLossy    = 95 // of a port without buffers instead of these, and of a channel of the interface
	perBooked   = 38 // of a link, a channel of the interface, and twice a single-port or half-duplex PE: what messages that fly have booked
	perUneven   = 14 // of a port where links have times of their own
	perClaim    = 12 // of an output's virtual channel: when a message that flew claimed it
	perChip     = 100
	perPacket   = 166 // of a port of a chip that switches packets
	perTreeNode = 160 // routes along a tree
	perEntry    = 2   // of a table of next hops for all pairs of nodes
)

// Memory estimates the bytes that [New] takes for the network of a machine on a topology,
// without the bytes of the topology itself. It is 0 for a topology that New refuses.
func Memory(t *topology.Topology, m machine.Machine) memory.Bytes {
	if t.Valid() != nil {
		return 0
	}
	nodes := float64(t.Nodes())
	bytes := chips(nodes, float64(t.AllPorts()), m)
	switch {
	case !m.Tabled() && (t.IsGrid() || t.Star() != nil || t.Twisted() != nil):
	case t.Kind == topology.Tree || nodes > maxTable: // larger graphs have a collective's tree, or none
		bytes += perTreeNode * nodes
	default:
		bytes += perEntry * nodes * nodes
	}
	return memory.Of(bytes)
}

// MemoryOf estimates [Memory] from below for the topology of a spec, before the topology
// is made. It is 0 when the spec names no size.
func MemoryOf(spec string, m machine.Machine) memory.Bytes {
	nodes, ports := topology.SizeOf(spec)
	return memory.Of(chips(nodes, ports, m))
}

// chips returns the bytes of so many chips with so many link ports, without routes.
func chips(nodes, ports float64, m machine.Machine) float64 {
	if m.PacketSwitched() {
		return perChip*nodes + perPacket*ports
	}
	channels, vcs := nodes, float64(max(1, m.VCs))
	if m.Channels == machine.Links {
		channels = ports
	}
	port, channel := perPort+vcs*(perClaim+perChannel+perSlot*float64(max(4, m.Buffer))), perNIC+vcs*(perClaim+perLane)
	if m.Links != nil {
		port += perUneven
	}
	if m.Switching == machine.Bufferless {
		port, channel = perLossy, perLossy
	}
	return (perChip+2*perBooked)*nodes + (port+perBooked)*ports + (channel+perBooked)*channels
}
