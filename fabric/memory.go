// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/memory"
)

// Bytes of a network's state. A link port has a buffer for each virtual
// channel with a ring of segments, its output, bits in some twenty sets, and a
// channel of the network interface. Fitted to the heap after New on meshes,
// tori, hypercubes, trees and graphs with 1 to 8 virtual channels and buffers
// of 4 to 64 flits (170 bytes a port with one channel and 4 flits), and
// rounded up by a tenth.
const (
	perPort     = 100 // wiring, counters, the interface's channel
	perChannel  = 66  // of a port: state of a virtual channel and its output
	perSlot     = 9   // of a virtual channel: a segment of its buffer
	perLossy    = 170 // of a port without buffers instead of these
	perBooked   = 32  // of a link, and of a PE, single port or half-duplex PE: what messages that fly have booked
	perChip     = 64
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
	case t.IsGrid(), t.Star() != nil, t.Twisted() != nil:
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
	vcs := float64(max(1, m.VCs))
	port := perPort + vcs*(perChannel+perSlot*float64(max(4, m.Buffer)))
	switch {
	case m.Switching == machine.Bufferless:
		port = perPort + perLossy
	case m.PacketSwitched():
		return perChip*nodes + (perPort+perChannel)*ports
	}
	return (perChip+perBooked)*nodes + (port+perBooked)*ports
}
