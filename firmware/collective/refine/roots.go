// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// scattered reports whether each node is the root of words of its own: in an all-gather it has them at first, in a reduce-scatter it gets their sums.
func scattered(t *plan.Task) bool {
	return t.Kind.Name == plan.Gossip || t.Kind.Name == plan.ReduceScatter
}

// borders lists where the words of one root end and those of the next one begin.
func borders(t *plan.Task) (at []int) {
	if scattered(t) {
		for v := range t.Lengths {
			own := t.Piece(router.NodeID(v))
			at = append(at, own.From, own.To)
		}
	}
	return at
}

// rootsOf returns the roots of pieces; nil if all have the task's.
func rootsOf(t *plan.Task, pieces []transfer.Range) []int32 {
	if !scattered(t) {
		return nil
	}
	roots := make([]int32, len(pieces))
	v := 0
	for i, p := range pieces {
		for t.Piece(router.NodeID(v)).To <= p.From {
			v++
		}
		roots[i] = int32(v)
	}
	return roots
}

// root is the root of a piece.
func (n *network) root(piece int) int32 {
	if n.roots == nil {
		return int32(n.Root)
	}
	return n.roots[piece]
}
