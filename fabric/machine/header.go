// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"math/bits"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
)

// Header says how the header of a message travels: its destination, source, tag and kind, and its route if the
// message carries one.
type Header string

// The ways of a header.
const (
	SideWires Header = "wires" // on wires of its own, beside every flit
	HeadFlit  Header = "flit"  // in a flit of its own, the first one of the message, which has no data
)

// HeaderFlits returns the flits of a message that carry no data.
func (m *Machine) HeaderFlits() int {
	if m.Header == HeadFlit {
		return 1
	}
	return 0
}

// WithHeader returns the flits on the links of a message with so many flits of data. It is the project's only
// formula for them.
func (m *Machine) WithHeader(flits int) int { return flits + m.HeaderFlits() }

// NodeBits returns the bits of the number of a node.
func NodeBits(t *topology.Topology) int { return max(1, bits.Len(uint(t.Nodes()-1))) }

// TagBits returns the bits of tags up to the greatest.
func TagBits(greatest uint32) int { return max(1, bits.Len32(greatest)) }

// kindBits is the width of the kind of a message.
const kindBits = 2

// HopBits returns the bits of a hop in a source route: a port, or all ones behind the last hop.
func HopBits(t *topology.Topology) int { return bits.Len(uint(max(1, t.MaxPorts()))) }

// RouteBits returns the bits of the route that messages carry with so many hops at most: source routing's list of
// ports, or the node between of Valiant's routing. The machine is resolved.
func (m *Machine) RouteBits(t *topology.Topology, hops int) int {
	switch m.Routing {
	case Source:
		return (hops + 1) * HopBits(t)
	case Valiant:
		return NodeBits(t)
	}
	return 0
}

// headerBits returns the bits of a header with a tag and a route of so many hops. The machine is resolved.
func (m *Machine) headerBits(t *topology.Topology, tag uint32, hops int) int {
	return 2*NodeBits(t) + TagBits(tag) + kindBits + m.RouteBits(t, hops)
}

// FitsHeader refuses a header that a flit's payload cannot hold. The machine is resolved; its error is an *input.Error.
func (m *Machine) FitsHeader(t *topology.Topology, tag uint32, hops int) error {
	return m.holds(t, m.headerBits(t, tag, hops), "or more")
}

// validHeader rejects a width that no header fits into.
func (m *Machine) validHeader(t *topology.Topology) error {
	return m.holds(t, m.headerBits(t, 0, 1), "or more, and further ones for tags above 1")
}

// holds refuses a header of so many bits that a flit's payload cannot hold.
func (m *Machine) holds(t *topology.Topology, need int, more string) error {
	if m.Header == HeadFlit && need > m.Width {
		return input.Errorf("expected "+input.Count(need, "bit")+" "+more+", or header wires", "width %d: too small for the header of a message on %s", m.Width, t)
	}
	return nil
}
