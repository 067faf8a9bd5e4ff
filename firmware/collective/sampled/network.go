// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"fmt"
	"math"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// network is what all tries of a job share.
type network struct {
	*plan.Task
	routes   *fabric.Routes
	nodes    int
	model    timing.Model
	base     []int32  // by node: its first channel; at last how many there are
	distance []uint16 // by pair of nodes: links of a shortest route
	near     []int32  // by node: the nearest others, so many for each
	each     int
	furthest int           // links of the longest of the shortest routes
	total    int           // words of all pieces
	longest  int           // words of the longest block
	route    []router.Port // of way; scratch
}

// neighbourhood is how many of the nearest nodes belong to the neighbourhood of a node.
const neighbourhood = 32

func newNetwork(t *plan.Task) (*network, error) {
	most := MaxNodes
	if own(t) {
		most = MaxOwn
	}
	switch {
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "%s %s on a %s machine", t.Kind.Name, Name, t.Machine.Switching)
	case len(t.Lengths) > most:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", most), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	if err := t.NeedSampled(own(t)); err != nil {
		return nil, err
	}
	routes, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	n := &network{Task: t, routes: routes, nodes: len(t.Lengths), model: timing.Stalling(&t.Machine)}
	n.base = make([]int32, n.nodes+1)
	for v := range n.nodes {
		n.base[v+1] = n.base[v] + int32(timing.Channels(&t.Machine, t.Topology.Ports(router.NodeID(v))))
	}
	n.each = min(neighbourhood, n.nodes-1)
	n.distance, n.near = make([]uint16, n.nodes*n.nodes), make([]int32, n.nodes*n.each)
	for v := range int32(n.nodes) {
		n.look(v)
	}
	if err := n.reachAll(); err != nil {
		return nil, err
	}
	for _, r := range n.blocks() {
		n.total, n.longest = n.total+r.To-r.From, max(n.longest, r.To-r.From)
	}
	return n, nil
}

// own reports whether each node has, or gets, words of its own.
func own(t *plan.Task) bool { return t.Kind.Name == plan.Gossip || t.Kind.Name == plan.ReduceScatter }

// blocks lists the words of each node, or those of the root alone.
func (n *network) blocks() (list []transfer.Range) {
	if !own(n.Task) {
		return []transfer.Range{{From: 0, To: n.VectorWords()}}
	}
	for v := range n.nodes {
		list = append(list, n.Piece(router.NodeID(v)))
	}
	return list
}

// look fills in the distances of a node and its neighbourhood.
func (n *network) look(v int32) {
	row := n.distance[int(v)*n.nodes:][:n.nodes]
	for i := range row {
		row[i] = math.MaxUint16
	}
	row[v] = 0
	queue := append(make([]int32, 0, n.nodes), v)
	for i := 0; i < len(queue); i++ {
		at := router.NodeID(queue[i])
		for p := range n.Topology.Ports(at) {
			if to := n.Topology.Neighbor(at, router.Port(p)); to != router.None && row[to] == math.MaxUint16 {
				row[to] = row[at] + 1
				queue = append(queue, int32(to))
			}
		}
	}
	n.furthest = max(n.furthest, int(row[queue[len(queue)-1]]))
	copy(n.near[int(v)*n.each:][:n.each], queue[1:])
}

// reachAll fails if a node does not reach another. It follows each route up to a node from which the destination was reached before.
func (n *network) reachAll() error {
	reached := make([]router.NodeID, n.nodes) // by node: the last destination that it reaches, plus 1
	for to := range router.NodeID(n.nodes) {
		reached[to] = to + 1
		for from := range router.NodeID(n.nodes) {
			at := from
			for links := 0; reached[at] != to+1; links++ {
				port := n.routes.Next(at, to)
				if port < 0 || links > n.nodes || n.Topology.Neighbor(at, port) == router.None {
					return input.Errorf("expected routes between all nodes", "no route from node %d to %d", from, to)
				}
				at = n.Topology.Neighbor(at, port)
			}
			for at = from; reached[at] != to+1; at = n.Topology.Neighbor(at, n.routes.Next(at, to)) {
				reached[at] = to + 1
			}
		}
	}
	return nil
}

// newBook returns a book in which everything is free.
func (n *network) newBook(backwards bool) *booking.Book {
	return booking.NewStalling(n.Topology, n.Machine, backwards)
}

// way is a message from a node to another as it truly goes: backwards in time from the other to the node.
type way struct {
	source router.NodeID
	route  []router.Port // valid until the next call
	out    int32         // the channel of the node
}

// way looks up the route of a message.
func (n *network) way(from, to int32, backwards bool) way {
	if !backwards {
		n.route = n.routes.AppendRoute(n.route[:0], router.NodeID(from), router.NodeID(to))
		return way{router.NodeID(from), n.route, n.base[from] + int32(timing.ChannelOf(&n.Machine, n.route[0]))}
	}
	n.route = n.routes.AppendRoute(n.route[:0], router.NodeID(to), router.NodeID(from))
	at, back := router.NodeID(to), router.Port(0)
	for _, port := range n.route {
		at, back = n.Topology.Neighbor(at, port), n.Topology.BackPort(at, port)
	}
	return way{router.NodeID(to), n.route, n.base[from] + int32(timing.ChannelOf(&n.Machine, back))}
}
