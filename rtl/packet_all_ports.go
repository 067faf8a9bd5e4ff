// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

// This file has the parts of a design that differ where packet chips use all ports at once: a link
// has one sender and one receiver, so that a packet needs no grant. The sender sees
// whether there is room behind the link.

// allPortsNets lists the nets of chip n.
func (d *Design) allPortsNets(n router.NodeID) []netWidth {
	ports, flits := fmt.Sprint(d.ports(n)), fmt.Sprintf("%d*FlitWidth", d.ports(n))
	return []netWidth{
		{"offer", ports}, {"room", ports}, {"valid", ports}, {"flit", flits},
		{"count", fmt.Sprintf("%d*CountWidth", d.ports(n))}, {"ej_flit", flits}, {"lost", ""},
	}
}

// allPortsPorts connects a chip's links, and what else only packet chips have.
func (d *Design) allPortsPorts(n router.NodeID) []verilog.Connection {
	out, into := d.portLinks(n)
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	return []verilog.Connection{
		{Name: "node_i", Value: fmt.Sprintf("%d'd%d", d.NodeWidth, n)},
		{Name: "offer_o", Value: net("offer")}, {Name: "room_i", Value: join(out, "1'b0", d.receiverNet("room"))},
		{Name: "valid_o", Value: net("valid")}, {Name: "flit_o", Value: net("flit")},
		{Name: "room_o", Value: net("room")}, {Name: "valid_i", Value: join(into, "1'b0", d.arrival)},
		{Name: "flit_i", Value: join(into, "{FlitWidth{1'b0}}", d.arrivalFlit)},
		{Name: "lost_o", Value: net("lost")},
	}
}

// unusedAllPorts lists the parts of chip n's nets that nobody reads.
func (d *Design) unusedAllPorts(n router.NodeID) []string {
	parts := []string{fmt.Sprintf("n%d_count", n), fmt.Sprintf("n%d_offer", n)}
	out, _ := d.portLinks(n)
	for p, link := range out {
		if link < 0 {
			parts = append(parts, fmt.Sprintf("n%d_room[%d]", n, p), fmt.Sprintf("n%d_valid[%d]", n, p), slice(fmt.Sprintf("n%d_flit", n), p, 1, "FlitWidth"))
		}
	}
	return parts
}
