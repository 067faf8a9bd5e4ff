// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// ListPlan is the plan of an all-gather, or one of VectorPlan.
func (t *Task) ListPlan(l *transfer.List) (*Plan, error) {
	if t.Kind.Name == Gossip {
		return t.TransferPlan(l, t.GossipBlock)
	}
	return t.VectorPlan(l)
}

// VectorPlan is the plan of a broadcast, a reduce, an allreduce or a reduce-scatter by a list of transfers.
func (t *Task) VectorPlan(l *transfer.List) (*Plan, error) {
	if t.TimeOnly {
		return t.timePlan(l)
	}
	switch t.Kind.Name {
	case Broadcast:
		words := t.Block(t.Root)
		return t.TransferPlan(l, func(n router.NodeID) Block {
			if n == t.Root {
				return Block{Words: words, Given: Range{From: 0, To: t.VectorWords()}}
			}
			return Block{Words: words}
		})
	case Reduce:
		return t.sumPlan(l, func(n router.NodeID) Range {
			if n == t.Root {
				return Range{From: 0, To: t.VectorWords()}
			}
			return Range{}
		})
	case ReduceScatter:
		return t.sumPlan(l, t.Piece)
	default:
		return t.sumPlan(l, func(router.NodeID) Range { return Range{From: 0, To: t.VectorWords()} })
	}
}

// sumPlan is the plan of a list by which nodes get the sum of some words of all blocks. What is left
// in the other words, sums of some blocks, is compared, too.
func (t *Task) sumPlan(l *transfer.List, gets func(router.NodeID) Range) (*Plan, error) {
	start, total := make([][]uint32, len(t.Lengths)), make([]uint32, len(t.Block(0)))
	for n := range start {
		start[n] = t.Block(router.NodeID(n))
		for i, word := range start[n] {
			total[i] += word
		}
	}
	elements := t.Machine.Elements()
	end := CarryOut(l, start, elements)
	for n := range end {
		switch r := gets(router.NodeID(n)); {
		case r.To-r.From == t.VectorWords():
			end[n] = total // shared by all
		case r.From < r.To:
			copy(end[n][r.From*elements:r.To*elements], total[r.From*elements:r.To*elements])
		}
	}
	return t.TransferPlan(l, func(n router.NodeID) Block { return Block{Words: end[n], Start: start[n]} })
}

// Centre is a node from which all others are near: the middle of a mesh.
func (t *Task) Centre() router.NodeID {
	middle := router.NodeID(0)
	for _, axis := range t.Topology.Axes() {
		if !axis.Wrap {
			middle = axis.Move(middle, axis.Size/2)
		}
	}
	if t.Topology.IsGrid() || t.Topology.Nodes() > MaxTried {
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
