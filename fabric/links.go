// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Hop returns the cycles from chip from through a port to the next chip.
func (n *Network) Hop(from router.NodeID, p router.Port) int {
	if n.times == nil {
		return n.Machine.Hop
	}
	return n.times.Of(from, p).Hop
}

// FlitTime returns the ticks for which a flit occupies the link behind a port; those of an ejection channel for another
// port.
func (n *Network) FlitTime(from router.NodeID, p router.Port) router.Cycle {
	if n.times == nil || uint(p) >= uint(n.Topology.Ports(from)) {
		return router.Cycle(n.Machine.FlitTicks())
	}
	return router.Cycle(n.times.Of(from, p).Flit)
}

// Slowest returns the longest hop and the longest time of a flit, in cycles, of all links.
func (n *Network) Slowest() machine.LinkTime {
	if n.times == nil {
		return machine.LinkTime{Hop: n.Machine.Hop, Flit: n.Machine.Flit}
	}
	return n.times.Slowest
}

// Transfer returns the time from the dispatch of a message that meets no other to its arrival: the hops of its route, and its flits at the pace of the
// slowest link. On machines with adaptive routing the route is that of the escape channels.
func (n *Network) Transfer(m *Sent) router.Cycle {
	way := n.Header(&m.Message, n.RouteOf(&m.Message, m.Serial))
	hops, slowest := router.Cycle(0), router.Cycle(n.Machine.FlitTicks())
	last := slowest
	for at, k := m.Source, uint32(0); ; k++ {
		p := n.routing.Next(at, &way, k)
		if p == router.Here {
			break
		}
		hops, slowest = hops+router.Cycle(n.Hop(at, p)), max(slowest, n.FlitTime(at, p))
		at = n.Topology.Neighbor(at, p)
	}
	return hops + router.Cycle(n.Machine.WithHeader(m.Length)-1)*slowest + last
}

// Even reports whether all links take the times of the machine's keys.
func (n *Network) Even() bool { return n.times == nil }
