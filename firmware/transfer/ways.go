// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// ways are the routes of a machine, and its times.
type ways struct {
	net     *fabric.Routes
	model   timing.Model
	scratch []router.Port
}

// newWays refuses machines that switch packets: their times are another's.
func newWays(t *topology.Topology, m machine.Machine, l *List) (*ways, error) {
	if err := l.Fits(t); err != nil {
		return nil, err
	}
	m, err := m.Resolve(t)
	if err != nil {
		return nil, err
	}
	if m.PacketSwitched() {
		return nil, input.Errorf("expected bufferless or wormhole", "transfers on a machine with switching %s", m.Switching)
	}
	net, err := fabric.NewRoutes(t, m)
	if err != nil {
		return nil, err
	}
	model := timing.Of(&m)
	if m.Claim == 0 {
		model = timing.Stalling(&m)
	}
	return &ways{net: net, model: model}, nil
}

// first returns the link port by which a message leaves, and how many links it
// passes.
func (w *ways) first(from, to router.NodeID, route []router.Port) (first router.Port, links int) {
	if route != nil {
		return route[0], len(route)
	}
	first = w.net.Next(from, to)
	for at := from; at != to; links++ {
		at = w.net.Topology.Neighbor(at, w.net.Next(at, to))
	}
	return first, links
}

// route appends the output ports of the machine's own route.
func (w *ways) route(list []router.Port, from, to router.NodeID) []router.Port {
	for at := from; at != to; {
		p := w.net.Next(at, to)
		list, at = append(list, p), w.net.Topology.Neighbor(at, p)
	}
	return list
}

// channel returns the injection channel that a link port belongs to.
func (w *ways) channel(p router.Port) int { return timing.ChannelOf(&w.net.Machine, p) }

// channels returns how many injection channels a node has.
func (w *ways) channels(n router.NodeID) int {
	return timing.Channels(&w.net.Machine, w.net.Topology.Ports(n))
}
