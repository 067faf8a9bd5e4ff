// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// turnModels are the turn models of routings.
var turnModels = map[machine.Routing]router.TurnModel{
	machine.WestFirst: router.WestFirst, machine.NorthLast: router.NorthLast,
	machine.NegativeFirst: router.NegativeFirst, machine.OddEven: router.OddEven,
}

// TurnModelOf returns the turn model of a routing that is one.
func TurnModelOf(r machine.Routing) router.TurnModel { return turnModels[r] }

// route sets the routing of the chips: the machine's own routes where these depend on the two
// ends alone.
func (n *Network) route() {
	n.routing = n.base
	order, grid := n.base.(*router.DimensionOrder)
	switch m := &n.Machine; {
	case m.Routing == machine.Source:
		n.routing = router.Source{}
	case !grid: // along a tree, or on a graph
	case m.Routing == machine.O1Turn:
		n.routing = router.O1Turn{Order: order, Class: n.classBit()}
	case m.Routing == machine.Valiant:
		n.routing = router.Valiant{Order: order, Class: n.classBit()}
	case m.Routing == machine.Adaptive:
		n.routing = &router.Adaptive{Order: order, Escape: m.EscapeChannels(n.Topology)}
	case m.Routing.TurnModel():
		n.routing = &router.Turns{Order: order, Model: TurnModelOf(m.Routing)}
	}
}

// classBit is the bit of a virtual channel's number that tells the class of its lane.
func (n *Network) classBit() router.VC {
	if n.Machine.Datelines(n.Topology) {
		return 2
	}
	return 1
}

// RouteChoices returns among how many routes a message between two nodes chooses before it is sent: the two
// orders of o1turn, the nodes between of valiant, otherwise 1.
func (n *Network) RouteChoices() int {
	switch n.Machine.Routing {
	case machine.O1Turn:
		return 2
	case machine.Valiant:
		return n.Topology.Nodes()
	}
	return 1
}

// RouteOf chooses the route of a message: by a hash of both ends and of the message's number in
// the run, so that runs repeat. Messages that are to stay in order have the same route.
func (n *Network) RouteOf(m *Message, serial int32) int {
	ways := n.RouteChoices()
	if ways == 1 {
		return 0
	}
	if m.Ordered {
		serial = -1
	}
	x := uint64(uint32(m.Source))<<32 | uint64(uint32(m.Destination))
	x = mix(mix(x) + uint64(uint32(serial)))
	return int(x >> 32 * uint64(ways) >> 32)
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Header returns what the flits of a message that the network accepts carry with
// them when the message takes one of its Ways: the lane and the route, too.
func (n *Network) Header(m *Message, way int) router.Worm {
	var w router.Worm
	n.head(&w, m, way)
	return w
}

// head writes a whole Header.
func (n *Network) head(w *router.Worm, m *Message, way int) {
	w.Source, w.Destination, w.Tag, w.Kind, w.Route = m.Source, m.Destination, m.Tag, m.Kind, m.Route
	w.Length, w.Message, w.Via, w.Turn = 0, 0, 0, 0
	class := 0
	switch n.Machine.Routing {
	case machine.Source:
		if m.Route == nil {
			w.Route = n.Route(m.Source, m.Destination)
		}
	case machine.O1Turn:
		class = way
	case machine.Valiant:
		w.Via = router.NodeID(way)
		w.Turn = uint32(n.Distance(m.Source, w.Via))
		if w.Turn == 0 {
			class = 1
		}
	}
	w.Lane = n.nic.lane(m.Source, m.Destination, class)
}

// Links returns how many links a message that was sent as number serial crosses.
func (n *Network) Links(m *Message, serial int32) int {
	switch {
	case m.Route != nil:
		return len(m.Route)
	case n.Machine.Routing == machine.Valiant:
		via := router.NodeID(n.RouteOf(m, serial))
		return n.Distance(m.Source, via) + n.Distance(via, m.Destination)
	}
	return n.Distance(m.Source, m.Destination)
}
