// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// FurthestFirst sends along a tree, the furthest messages first. On a tree
// with one port this is optimal (Bhatt, Pucci, Ranade, Rosenberg).
func FurthestFirst(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.SpanningTree()
	if err != nil {
		return nil, err
	}
	order, err := t.DispatchOrder(tree.Depth)
	if err != nil {
		return nil, err
	}
	root, leaf := plan.LoadRole("scatter-root"), plan.LoadRole("scatter-leaf")
	p := t.NewPlan(root, leaf)
	p.Messages, p.Flits = t.Count, t.TotalWords()
	p.TagByNodes(t.Lengths, tree.Depth)
	p.Facts = anyOrder(t, tree.Depth)
	dispatches, time := dispatches(t, order, tree)
	t.Predict(p, time)

	list := root.Parameters()
	list.Set("COUNT", len(order))
	list.List("LIST")
	base := len(list.Words) + len(order)*root.At("ENTRY")
	for _, d := range dispatches {
		e := list.Record("ENTRY")
		e.Set("NODE", int(d.node))
		e.Set("ADDRESS", base+t.Offset[d.node])
		e.Set("WORDS", t.Lengths[d.node])
		e.Set("START", int(d.start))
	}
	p.PEs[t.Root] = plan.PE{Role: root.Index, Parameters: list.Words, Block: plan.Block{Words: t.Words, Given: plan.Range{From: 0, To: t.TotalWords()}}}
	for _, n := range order {
		own := leaf.Parameters()
		own.Set("ROOT", int(t.Root))
		own.Set("ADDRESS", len(own.Words))
		p.PEs[n] = plan.PE{Role: leaf.Index, Parameters: own.Words, Block: plan.Block{Words: t.Block(n)}}
	}
	return p, nil
}

// anyOrder says between which times every order of dispatch is, where that is known.
func anyOrder(t *plan.Task, depth []int32) []plan.Fact {
	m := t.Machine
	if !t.Bufferless() || m.Ports != machine.SinglePort || m.Channels != 1 || !m.UnitTimes() {
		return nil
	}
	least, most := bound.AnyOrder(depth, t.Lengths)
	return []plan.Fact{
		{Key: "any_order_least", Name: "any order at least", Value: least, Unit: plan.Cycles},
		{Key: "any_order_most", Name: "any order at most", Value: most, Unit: plan.Cycles},
	}
}

// dispatch is an entry of the root's list.
type dispatch struct {
	node  router.NodeID
	start router.Cycle // not before
}

// dispatches puts the messages into the order in which their channels take them. Each channel
// takes its messages in the order given, and no message waits behind a message for another,
// busy channel. With one channel the order is the order given. With several channels on one
// port every message waits until the message before has left. The time is the delivery of the
// last flit: messages follow one another on the tree, and never meet.
func dispatches(t *plan.Task, order []router.NodeID, tree *topology.SpanningTree) (list []dispatch, time router.Cycle) {
	m, branch := t.Machine, tree.Branch()
	list = make([]dispatch, len(order))
	channel := map[router.NodeID]int{}
	nic := timing.NewInterface(&t.Machine, max(1, t.Topology.Ports(t.Root)))
	for i, n := range order {
		c, ok := channel[branch[n]]
		if !ok && m.Channels == machine.Links {
			c = len(channel)
			channel[branch[n]] = c
		}
		start, last := nic.Hand(c, 0, t.Lengths[n])
		list[i] = dispatch{n, start}
		time = max(time, nic.WholeAfter(last, int(tree.Depth[n]))+1)
	}
	if m.Channels == machine.Links && m.Ports == machine.SinglePort {
		return list, time
	}
	if m.Channels == machine.Links {
		slices.SortStableFunc(list, func(a, b dispatch) int { return cmp.Compare(a.start, b.start) })
	}
	for i := range list {
		list[i].start = 0
	}
	return list, time
}
