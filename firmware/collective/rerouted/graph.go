// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"context"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// graph is a network in arrays. Its arcs are the directed links, numbered as by topology.Links.
type graph struct {
	nodes     int
	from, to  []int32   // by arc
	out, into [][]int32 // by node: arcs
	away      [][]int32 // by node and node: links from the one to the other
	ctx       context.Context
}

// newGraph returns the graph of a network. Searches on it end with ctx; what they return then is of no use.
func newGraph(ctx context.Context, t *topology.Topology) *graph {
	g := &graph{ctx: ctx, nodes: t.Nodes(), out: make([][]int32, t.Nodes()), into: make([][]int32, t.Nodes())}
	for i, l := range t.Links() {
		g.from, g.to = append(g.from, int32(l.From)), append(g.to, int32(l.To))
		g.out[l.From], g.into[l.To] = append(g.out[l.From], int32(i)), append(g.into[l.To], int32(i))
	}
	for n := range router.NodeID(g.nodes) {
		g.away = append(g.away, topology.BreadthFirst(t, n).Depth)
	}
	return g
}

// ended reports whether searches are to end.
func (g *graph) ended() bool { return g.ctx.Err() != nil }

// arc returns the arc from one neighbour to another.
func (g *graph) arc(from, to int32) int32 {
	for _, a := range g.out[from] {
		if g.to[a] == to {
			return a
		}
	}
	return -1
}

// furthest returns the distance of the node that is furthest from a node.
func (g *graph) furthest(n int32) int32 {
	most := int32(0)
	for _, d := range g.away[n] {
		most = max(most, d)
	}
	return most
}
