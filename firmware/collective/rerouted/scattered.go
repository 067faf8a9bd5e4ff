// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"cmp"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// ReduceScatter is an all-gather of the pieces of the vector turned round in time: what every node got from one neighbour before, the sum of what
// has come to it now goes to that neighbour.
func ReduceScatter(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	x := &search{least: leastSpread, find: spreadUnits, most: maxSpread, lengths: make([]int, len(t.Lengths))}
	for n := range x.lengths {
		piece := t.Piece(router.NodeID(n))
		x.lengths[n] = piece.To - piece.From
	}
	x.cut = func(words int) (units []unit) {
		for n := range x.lengths {
			piece := t.Piece(router.NodeID(n))
			units = pieces(units, int32(n), every, piece, piece.From, words)
		}
		return units
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	l := s.turnedRound()
	return predicted(t, l, func() (*plan.Plan, error) { return t.VectorPlan(l) })
}

// turnedRound lists the transfers of a schedule in which every node gets every unit once, the last one first, with sums.
func (s *schedule) turnedRound() *transfer.List {
	slices.SortStableFunc(s.hops, func(a, b hop) int { return cmp.Compare(b.step, a.step) })
	l, length, last := &transfer.List{Nodes: s.nodes}, period(s.Task, size(s.units)), steps(s.hops)-1
	for _, h := range s.hops {
		step := last - int(h.step)
		l.Transfers = append(l.Transfers, transfer.Transfer{
			Step: step, Start: router.Cycle(step) * length, From: router.NodeID(s.to[h.arc]), To: router.NodeID(s.from[h.arc]),
			Out: transfer.Set{transfer.Range(s.units[h.unit].words)}, Op: transfer.Add,
		})
	}
	return l
}
