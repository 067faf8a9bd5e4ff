// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// MaxNodes bounds the networks whose trees are searched.
const MaxNodes = 64

// network is what all forms of a job share.
type network struct {
	*plan.Task
	nodes int
	words int // of a vector, or of all blocks
	most  int // pieces
	model timing.Model
	route [][]router.Port // by source and destination: the machine's own
	out   []int16         // by source and destination: the sender's channel
	in    []int16         // by source and destination: the receiver's channel
	near  [][]int32       // by node: the others, the nearest first
}

func newNetwork(t *plan.Task) (*network, error) {
	n := &network{Task: t, nodes: len(t.Lengths), words: t.VectorWords()}
	n.most = max(1, min(n.words, mostParts))
	if t.Kind.Name == plan.Scatter {
		n.words, n.most = t.TotalWords(), 1
	}
	switch {
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "%s %s on a %s machine", t.Kind.Name, Name, t.Machine.Switching)
	case n.nodes > MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, n.nodes)
	}
	n.model = timing.Stalling(&n.Machine)
	routes, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	size := n.nodes * n.nodes
	n.route, n.out, n.in = make([][]router.Port, size), make([]int16, size), make([]int16, size)
	n.near = make([][]int32, n.nodes)
	for u := range router.NodeID(n.nodes) {
		for v := range router.NodeID(n.nodes) {
			if u == v {
				continue
			}
			if err := n.connect(routes, u, v); err != nil {
				return nil, err
			}
			n.near[u] = append(n.near[u], int32(v))
		}
		slices.SortStableFunc(n.near[u], func(a, b int32) int { return n.links(int32(u), a) - n.links(int32(u), b) })
	}
	return n, nil
}

// connect looks up the route from one node to another, and its channels.
func (n *network) connect(routes *fabric.Routes, from, to router.NodeID) error {
	way := routes.Route(from, to)
	if len(way) == 0 {
		return input.Errorf("expected routes between all nodes", "no route from node %d to %d", from, to)
	}
	before := from
	for _, p := range way[:len(way)-1] {
		before = n.Topology.Neighbor(before, p)
	}
	at := int(from)*n.nodes + int(to)
	n.route[at] = way
	n.out[at] = int16(timing.ChannelOf(&n.Machine, way[0]))
	n.in[at] = int16(timing.ChannelOf(&n.Machine, n.Topology.BackPort(before, way[len(way)-1])))
	return nil
}

func (n *network) links(from, to int32) int { return len(n.route[int(from)*n.nodes+int(to)]) }
