// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"meshwright/fabric"
	"meshwright/router"
)

// FromLog traces a run into a schedule: every message, control words included,
// with the cycle in which its first flit stood in the injection register. A
// message has the number that it has in the run's traces, see
// fabric.Network.Number. With routes, every row says
// its route: needed where the network did not use the machine's own.
func FromLog(n *fabric.Network, routes bool) *Schedule {
	s := &Schedule{Rows: make([]Row, 0, len(n.Log()))}
	for _, m := range n.Log() {
		if m.Dispatch < 0 {
			continue
		}
		row := Row{Message: int32(n.Number(m.Serial)), Source: m.Source, Destination: m.Destination, Flits: m.Length, Dispatch: m.Dispatch, Control: m.Kind != router.Data}
		if routes {
			row.Route = nodesOf(n, m.Message)
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// nodesOf returns the nodes that a message passes.
func nodesOf(n *fabric.Network, m fabric.Message) []router.NodeID {
	ports := m.Route
	if ports == nil {
		ports = n.Route(m.Source, m.Destination)
	}
	nodes := []router.NodeID{m.Source}
	for _, p := range ports {
		nodes = append(nodes, n.Topology.Neighbor(nodes[len(nodes)-1], p))
	}
	return nodes
}
