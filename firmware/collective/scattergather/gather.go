// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// NearestFirst gathers along the routes to the root, which form a tree. The
// schedule is made from the root's end: messages arrive one right behind the
// other, the nearest first. At every node on the way they are then as far
// apart as at the root, so that they do not meet.
func NearestFirst(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.SpanningTree()
	if err != nil {
		return nil, err
	}
	root, leaf := plan.LoadRole("gather-root"), plan.LoadRole("gather-leaf")
	p := t.NewPlan(root, leaf)
	list := arrivals(t, tree.Depth, streams(t, tree.Branch()))
	p.TagByNodes(t.Lengths, tree.Depth)
	gatherAt(t, p, root, root.Parameters(), list)
	t.Predict(p, lastArrival(list))
	for _, a := range list {
		own := leaf.Parameters()
		own.Set("ROOT", int(t.Root))
		own.Set("SELF", int(a.node))
		own.Set("ADDRESS", len(own.Words))
		own.Set("WORDS", t.Lengths[a.node])
		own.Set("START", int(a.hand))
		p.PEs[a.node] = t.Source(leaf, own, a.node)
	}
	return p, nil
}

// gatherAt gives the root its list of messages and the place for them.
func gatherAt(t *plan.Task, p *plan.Plan, root *plan.Role, list *plan.Parameters, arrivals []arrival) {
	list.Set("COUNT", len(arrivals))
	list.List("LIST")
	base := len(list.Words) + len(arrivals)*root.At("ENTRY")
	for _, a := range arrivals {
		e := list.Record("ENTRY")
		e.Set("NODE", int(a.node))
		e.Set("ADDRESS", base+t.Offset[a.node])
	}
	p.PEs[t.Root] = plan.PE{Role: root.Index, Parameters: list.Words, Block: plan.Block{Words: t.Words}}
	p.Messages, p.Flits = t.Count, t.TotalWords()
}

// arrival is a message in flight to the root.
type arrival struct {
	node  router.NodeID
	hand  router.Cycle // cycle in which it is handed to its channel
	first router.Cycle // cycle in which its first flit is at the root
	end   router.Cycle // first cycle in which the root can take another flit
}

// lastArrival is the time of the last of some messages.
func lastArrival(list []arrival) router.Cycle {
	end := router.Cycle(0)
	for _, a := range list {
		end = max(end, a.end)
	}
	return end
}

// arrivals schedules the messages of every stream, and lists all in the order
// in which they are complete at the root.
func arrivals(t *plan.Task, depth []int32, stream []int32) []arrival {
	m := t.Machine
	order := t.Senders()
	slices.SortFunc(order, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(depth[a], depth[b]), cmp.Compare(a, b))
	})
	busy := map[int32]router.Cycle{} // by stream
	list := make([]arrival, len(order))
	for i, n := range order {
		way := router.Cycle(depth[n]) * router.Cycle(m.Hop)
		first := max(router.Cycle(m.Startup)+way, busy[stream[n]])
		end := first + t.Timing().Work(t.Lengths[n])
		busy[stream[n]] = end
		list[i] = arrival{n, first - way - router.Cycle(m.Startup), first, end}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return cmp.Compare(a.end, b.end) })
	return list
}

// streams gives, for every node, the root's channel through which its message comes. When the
// root's links work independently, this is the channel of the last link of the message's
// route; otherwise all messages come through one channel. Routes follow the tree's branches,
// except routes in dimension order.
func streams(t *plan.Task, branch []router.NodeID) []int32 {
	stream := make([]int32, t.Topology.Nodes())
	if !t.IndependentLinks() {
		return stream
	}
	if t.RoutingTree != nil || !t.Topology.IsGrid() {
		for n, first := range branch {
			stream[n] = int32(first)
		}
		return stream
	}
	routes, axes := router.NewDimensionOrder(t.Topology.Dims, t.Topology.Wrap), t.Topology.Axes()
	for n := range stream {
		stream[n] = int32(lastPort(axes, router.NodeID(n), t.Root, routes))
	}
	return stream
}

// lastPort returns the output port of the last link of the dimension-order
// route from node n to the root: the one taken at the node that differs from
// the root in n's highest differing dimension only.
func lastPort(axes []topology.Axis, n, root router.NodeID, routes *router.DimensionOrder) router.Port {
	last := root
	for _, axis := range axes {
		if at := axis.Coordinate(n); at != axis.Coordinate(root) {
			last = axis.Move(root, at)
		}
	}
	return routes.Next(last, &router.Worm{Destination: root}, 0)
}
