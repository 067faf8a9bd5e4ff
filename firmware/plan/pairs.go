// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/internal/input"
	"meshwright/router"
)

// Pairs are the routes of a machine between all pairs of nodes, and the channels at their ends. The channels of all nodes are numbered together.
type Pairs struct {
	Channels int // of all nodes
	Furthest int // links of the longest route
	nodes    int
	routes   [][]router.Port // by source and destination
	out, in  []int32         // by source and destination: the sender's channel, and the receiver's
}

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
	p := &Pairs{Channels: int(base[nodes]), nodes: nodes, routes: make([][]router.Port, size), out: make([]int32, size), in: make([]int32, size)}
	for u := range router.NodeID(nodes) {
		for v := range router.NodeID(nodes) {
			if u == v {
				continue
			}
			way := net.Route(u, v)
			if len(way) == 0 {
				return nil, input.Errorf("expected routes between all nodes", "no route from node %d to %d", u, v)
			}
			at, back := u, router.Port(0)
			for _, port := range way {
				at, back = t.Topology.Neighbor(at, port), t.Topology.BackPort(at, port)
			}
			i := int(u)*nodes + int(v)
			p.routes[i], p.Furthest = way, max(p.Furthest, len(way))
			p.out[i], p.in[i] = base[u]+int32(timing.ChannelOf(&t.Machine, way[0])), base[v]+int32(timing.ChannelOf(&t.Machine, back))
		}
	}
	return p, nil
}

// Route returns the output ports of the route from one node to another.
func (p *Pairs) Route(from, to int32) []router.Port { return p.routes[int(from)*p.nodes+int(to)] }

// Links returns the number of links of the route from one node to another.
func (p *Pairs) Links(from, to int32) int { return len(p.Route(from, to)) }

// Out returns the channel by which a message from one node to another leaves its sender.
func (p *Pairs) Out(from, to int32) int32 { return p.out[int(from)*p.nodes+int(to)] }

// In returns the channel by which it comes to its receiver.
func (p *Pairs) In(from, to int32) int32 { return p.in[int(from)*p.nodes+int(to)] }

// Nearest lists for every node the others, the nearest first.
func (p *Pairs) Nearest() [][]int32 {
	lists := make([][]int32, p.nodes)
	for u := range int32(p.nodes) {
		for v := range int32(p.nodes) {
			if u != v {
				lists[u] = append(lists[u], v)
			}
		}
		slices.SortStableFunc(lists[u], func(a, b int32) int { return p.Links(u, a) - p.Links(u, b) })
	}
	return lists
}
