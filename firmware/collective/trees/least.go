// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// LeastAbove is the number of nodes above which an allreduce by a tree is planned only if the bound of its time says that it could win.
const LeastAbove = 256

// TreeLeast returns a time that no allreduce over one tree beats: all words of the node that is furthest from the root come to the root
// over one link after the other, and the last of them goes back as far.
//
//	furthest node    ----- words -----> root
//	                                    root -- last word --> furthest node
func TreeLeast(t *plan.Task) router.Cycle { return thereAndBack(t, t.VectorWords()) }

// DisjointLeast is TreeLeast where the words are shared out over the links of a node.
func DisjointLeast(t *plan.Task) router.Cycle {
	links := 1
	for n := range router.NodeID(t.Topology.Nodes()) {
		links = max(links, t.Topology.Degree(n))
	}
	return thereAndBack(t, (t.VectorWords()+links-1)/links)
}

// ScatterGossipLeast is TreeLeast of one word: sums of pieces are complete before they go out.
func ScatterGossipLeast(t *plan.Task) router.Cycle { return thereAndBack(t, min(1, t.VectorWords())) }

// thereAndBack is the time in which so many words go to the centre from the node that is furthest from it, and the last one back.
func thereAndBack(t *plan.Task, words int) router.Cycle {
	if words == 0 || len(t.Lengths) == 1 {
		return t.LowerBound()
	}
	furthest, model := bound.Eccentricity(t.Topology, t.Centre()), t.Timing()
	return max(t.LowerBound(), model.UntilWhole(furthest, words)+model.UntilWhole(furthest, 1)+1)
}
