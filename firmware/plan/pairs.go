// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Pairs are the routes of a machine between all pairs of nodes, and the channels at their ends. The channels of all nodes are numbered together.
type Pairs struct {
	Channels int // of all nodes
	Furthest int // links of the longest route
	nodes    int
	routes   [][]router.Port // by source and destination; nil on networks of more than mostRoutes nodes
	out, in  []int32         // by source and destination: the sender's channel, and the receiver's

	topology *topology.Topology
	next     []uint16 // by node and destination: the output port; nil where there are routes
	links    []uint16 // of the routes, by source and destination
}

// mostRoutes bounds the networks whose routes are stored. On larger ones they are put together from the ports of the nodes of their route.
const mostRoutes = 512

// NewPairs looks up the routes of a job's machine. It fails if a node does not reach another.
func NewPairs(t *Task) (*Pairs, error) {
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	nodes := t.Topology.Nodes()
	base := make([]int32, nodes+1)
	for v := range nodes {
		base[v+1] = base[v] + int32(timing.Channels(&t.Machine, t.Topology.Ports(router.NodeID(v))))
	}
	size := nodes * nodes
	p := &Pairs{Channels: int(base[nodes]), nodes: nodes, topology: t.Topology, out: make([]int32, size), in: make([]int32, size), links: make([]uint16, size)}
	if nodes <= mostRoutes {
		p.routes = make([][]router.Port, size)
	} else {
		p.next = make([]uint16, size)
	}
	var way []router.Port
	for u := range router.NodeID(nodes) {
		for v := range router.NodeID(nodes) {
			if u == v {
				continue
			}
			way = net.AppendRoute(way[:0], u, v)
			if len(way) == 0 {
				return nil, input.Errorf("expected routes between all nodes", "no route from node %d to %d", u, v)
			}
			at, back := u, router.Port(0)
			for _, port := range way {
				at, back = t.Topology.Neighbor(at, port), t.Topology.BackPort(at, port)
			}
			i := int(u)*nodes + int(v)
			if p.links[i], p.Furthest = uint16(len(way)), max(p.Furthest, len(way)); p.routes != nil {
				p.routes[i] = slices.Clone(way)
			} else {
				p.next[i] = uint16(way[0])
			}
			p.out[i], p.in[i] = base[u]+int32(timing.ChannelOf(&t.Machine, way[0])), base[v]+int32(timing.ChannelOf(&t.Machine, back))
		}
	}
	return p, nil
}

// Route returns the output ports of the route from one node to another.
func (p *Pairs) Route(from, to int32) []router.Port {
	if p.routes != nil {
		return p.routes[int(from)*p.nodes+int(to)]
	}
	route := make([]router.Port, 0, p.Links(from, to))
	for at := from; at != to; {
		port := router.Port(p.next[int(at)*p.nodes+int(to)])
		route = append(route, port)
		at = int32(p.topology.Neighbor(router.NodeID(at), port))
	}
	return route
}

// Links returns the number of links of the route from one node to another.
func (p *Pairs) Links(from, to int32) int { return int(p.links[int(from)*p.nodes+int(to)]) }

// Out returns the channel by which a message from one node to another leaves its sender.
func (p *Pairs) Out(from, to int32) int32 { return p.out[int(from)*p.nodes+int(to)] }

// In returns the channel by which it comes to its receiver.
func (p *Pairs) In(from, to int32) int32 { return p.in[int(from)*p.nodes+int(to)] }

// Nearest lists for every node the others, the nearest first.
func (p *Pairs) Nearest() [][]int32 {
	lists := make([][]int32, p.nodes)
	for u := range int32(p.nodes) {
		lists[u] = make([]int32, 0, p.nodes-1)
		for v := range int32(p.nodes) {
			if u != v {
				lists[u] = append(lists[u], v)
			}
		}
		slices.SortStableFunc(lists[u], func(a, b int32) int { return p.Links(u, a) - p.Links(u, b) })
	}
	return lists
}
