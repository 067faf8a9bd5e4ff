// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// ways are the routes of a machine, and its times.
type ways struct {
	net                *fabric.Network
	hop, flit, startup router.Cycle
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
	net, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	return &ways{net, router.Cycle(m.Hop), router.Cycle(m.Flit), router.Cycle(m.Startup)}, nil
}

// first returns the link port by which a message leaves, and how many links it
// passes.
func (w *ways) first(from, to router.NodeID, route []router.Port) (router.Port, router.Cycle) {
	if route != nil {
		return route[0], router.Cycle(len(route))
	}
	first, links := w.net.Next(from, to), router.Cycle(0)
	for at := from; at != to; links++ {
		at = w.net.Topology.Neighbor(at, w.net.Next(at, to))
	}
	return first, links
}

// channel returns the injection channel that a link port belongs to.
func (w *ways) channel(p router.Port) int {
	if w.net.Machine.Channels != machine.Links {
		return 0
	}
	return int(p)
}

// channels returns how many injection channels a node has.
func (w *ways) channels(n router.NodeID) int {
	if w.net.Machine.Channels != machine.Links {
		return 1
	}
	return w.net.Topology.Ports(n)
}
