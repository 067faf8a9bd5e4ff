// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// sumPlan is the plan of a list by which some nodes get the sum of all blocks.
// What the others are left with, sums of some blocks, is compared, too.
func sumPlan(t *plan.Task, l *transfer.List, gets func(router.NodeID) bool) (*plan.Plan, error) {
	start, total := make([][]uint32, len(t.Lengths)), make([]uint32, len(t.Block(0)))
	for n := range start {
		start[n] = t.Block(router.NodeID(n))
		for i, word := range start[n] {
			total[i] += word
		}
	}
	end := plan.CarryOut(l, start, t.Machine.Elements())
	for n := range end {
		if gets(router.NodeID(n)) {
			end[n] = total
		}
	}
	return t.TransferPlan(l, func(n router.NodeID) plan.Block { return plan.Block{Words: end[n], Start: start[n]} })
}

// Ring lets segments go round.
func Ring(t *plan.Task) (*plan.Plan, error) {
	words := t.Lengths[0]
	if err := t.NeedParts(len(t.Lengths)); err != nil { // a segment for each node goes around twice
		return nil, err
	}
	l := sendtree.RingAllReduce(t.Topology, t.Machine, words)
	time, err := t.Settle(l, false)
	if err != nil {
		return nil, err
	}
	p, err := vectorPlan(t, l)
	if err != nil {
		return nil, err
	}
	t.PredictExactly(p, time)
	return p, nil
}

// centre is a node from which all others are near: the middle of a mesh.
func centre(t *plan.Task) router.NodeID {
	middle := router.NodeID(0)
	for _, axis := range t.Topology.Axes() {
		if !axis.Wrap {
			middle = axis.Move(middle, axis.Size/2)
		}
	}
	if t.Topology.IsGrid() || t.Topology.Nodes() > plan.MaxTried {
		return middle
	}
	best, least := router.NodeID(0), bound.Eccentricity(t.Topology, 0)
	for n := range router.NodeID(t.Topology.Nodes()) {
		if e := bound.Eccentricity(t.Topology, n); e < least {
			best, least = n, e
		}
	}
	return best
}
