// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// nearestFirst gathers along the routes to the root, which form a tree. The
// schedule is made from the root's end: messages arrive one right behind the
// other, the nearest first. At every node on the way they are then as far
// apart as at the root, so that they do not meet.
func nearestFirst(t *task) (*Plan, error) {
	if t.Machine.PacketSwitched() {
		return t.packetGather()
	}
	tree, err := t.tree()
	if err != nil {
		return nil, err
	}
	root, leaf := loadRole("gather-root"), loadRole("gather-leaf")
	p := t.newPlan(root, leaf)
	list := t.arrivals(tree.Depth, t.streams(tree.Branch()))
	t.gatherAt(p, root, root.parameters(), list)
	t.foretell(p, lastArrival(list))
	for _, a := range list {
		own := leaf.parameters()
		own.set("ROOT", int(t.Root))
		own.set("SELF", int(a.node))
		own.set("ADDRESS", len(own.words))
		own.set("WORDS", t.Lengths[a.node])
		own.set("START", int(a.hand))
		p.PEs[a.node] = t.giver(leaf, own, a.node)
	}
	return p, nil
}

// gatherAt gives the root its list of messages and the place for them.
func (t *task) gatherAt(p *Plan, root *role, list *parameters, arrivals []arrival) {
	list.set("COUNT", len(arrivals))
	list.list("LIST")
	base := len(list.words) + len(arrivals)*root.at("ENTRY")
	for _, a := range arrivals {
		e := list.record("ENTRY")
		e.set("NODE", int(a.node))
		e.set("ADDRESS", base+t.offset[a.node])
	}
	p.PEs[t.Root] = PE{Role: root.index, Parameters: list.words, Block: Block{Words: t.words}}
	p.Messages, p.Flits = t.count, len(t.words)
}

// giver is a PE that has its block from the start.
func (t *task) giver(r *role, own *parameters, n router.NodeID) PE {
	return PE{Role: r.index, Parameters: own.words, Block: Block{Words: t.block(n), Given: Range{From: 0, To: t.Lengths[n]}}}
}

// arrival is a message on its way to the root.
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
func (t *task) arrivals(depth []int32, stream []int32) []arrival {
	m := t.Machine
	order := t.senders()
	slices.SortFunc(order, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(depth[a], depth[b]), cmp.Compare(a, b))
	})
	busy := map[int32]router.Cycle{} // by stream
	list := make([]arrival, len(order))
	for i, n := range order {
		way := router.Cycle(depth[n]) * router.Cycle(m.Hop)
		first := max(router.Cycle(m.Startup)+way, busy[stream[n]])
		end := first + t.length(n)*router.Cycle(m.Flit)
		busy[stream[n]] = end
		list[i] = arrival{n, first - way - router.Cycle(m.Startup), first, end}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return cmp.Compare(a.end, b.end) })
	return list
}

// streams says, for every node, through which of the root's channels its
// message comes: through the link that its route ends with, when the root's
// links work independently, else all through one. Routes follow the tree's
// branches, except those of dimension order.
func (t *task) streams(branch []router.NodeID) []int32 {
	stream := make([]int32, t.Topology.Nodes())
	if !t.perLink() {
		return stream
	}
	if t.told != nil || !t.Topology.IsGrid() {
		for n, first := range branch {
			stream[n] = int32(first)
		}
		return stream
	}
	routes := router.NewDimensionOrder(t.Topology.Dims, t.Topology.Wrap)
	for n := range stream {
		stream[n] = int32(t.lastPort(router.NodeID(n), routes))
	}
	return stream
}

// lastPort returns the output port of the last link of the dimension-order
// route from node n to the root: the one taken at the node that differs from
// the root in n's highest differing dimension only.
func (t *task) lastPort(n router.NodeID, routes *router.DimensionOrder) router.Port {
	stride, last := 1, t.Root
	from, to := int(n), int(t.Root)
	for _, size := range t.Topology.Dims {
		if from%size != to%size {
			last = t.Root + router.NodeID((from%size-to%size)*stride)
		}
		from, to, stride = from/size, to/size, stride*size
	}
	return routes.Next(last, &router.Worm{Destination: t.Root}, 0)
}
