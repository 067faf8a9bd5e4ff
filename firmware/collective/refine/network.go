// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
)

// network is what all schedules of a job share.
type network struct {
	*plan.Task
	*plan.Pairs
	nodes  int
	sums   bool // an allreduce
	back   bool // a reduce or a reduce-scatter, which is booked backwards in time
	model  timing.Model
	near   [][]int32 // by node: the others, the nearest first
	pieces []transfer.Range
	roots  []int32 // by piece, see rootsOf
}

func newNetwork(t *plan.Task, pieces []transfer.Range) (*network, error) {
	n := &network{Task: t, nodes: len(t.Lengths), sums: t.Kind.Name == plan.Allreduce, back: t.Kind.Name == plan.Reduce || t.Kind.Name == plan.ReduceScatter, pieces: pieces}
	n.roots = rootsOf(t, pieces)
	n.model = timing.Stalling(&n.Machine)
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	n.Pairs, n.near = pairs, pairs.Nearest()
	return n, nil
}

// newBook returns a book in which everything is free.
func (n *network) newBook() *booking.Book {
	return booking.NewStalling(n.Topology, n.Machine, n.back)
}
