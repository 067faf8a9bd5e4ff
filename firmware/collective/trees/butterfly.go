// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"math/bits"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Butterfly is an allreduce in which all nodes exchange whole sums in pairs (recursive doubling).
const Butterfly = "butterfly"

// butterflyDrafts lets the nodes exchange sums with nodes at distances 1, 2, 4 … in a numbering of the nodes: their own numbers,
// or their order in a walk through the network. With 2^k + r nodes, r nodes add their vectors to those of others before, and get the
// sum in the end:
//
//	step   0        1        2        3
//	node 0 + of 4   <-> 1    <-> 2    > 4
//	node 1          <-> 0    <-> 3
//	node 4 > 0                        total of 0
func butterflyDrafts(t *plan.Task) ([]*plan.Draft, error) {
	if err := t.NeedParts(8); err != nil {
		return nil, err
	}
	nodes := len(t.Lengths)
	own, walk := make([]router.NodeID, nodes), walkOf(t)
	for n := range own {
		own[n] = router.NodeID(n)
	}
	var list []*plan.Draft
	for _, order := range [][]router.NodeID{own, walk} {
		l, steps := butterfly(order, t.VectorWords())
		list = append(list, &plan.Draft{List: l, NeedsTimetable: true, Facts: []plan.Fact{plan.StartupsFact(steps)}})
	}
	return list, nil
}

// ButterflyLeast returns a time that no butterfly beats: in each step a node receives all words from
// a node at least one link away.
func ButterflyLeast(t *plan.Task) router.Cycle {
	nodes := len(t.Lengths)
	if nodes == 1 || t.VectorWords() == 0 {
		return 0
	}
	steps := bits.Len(uint(nodes)) - 1
	return max(t.LowerBound(), router.Cycle(steps)*t.Timing().UntilWhole(1, t.VectorWords())+1)
}

// walkOf lists the nodes in the order of a walk along the breadth-first tree of the root, so that nodes that are near in the list
// are near in the network.
func walkOf(t *plan.Task) []router.NodeID {
	near := make([]bool, len(t.Lengths))
	var walk []router.NodeID
	var visit func(n router.NodeID)
	visit = func(n router.NodeID) {
		near[n] = true
		walk = append(walk, n)
		for p := range router.Port(t.Topology.Ports(n)) {
			if m := t.Topology.Neighbor(n, p); m != router.None && !near[m] {
				visit(m)
			}
		}
	}
	visit(t.Root)
	return walk
}

// butterfly lists the transfers for an order of the nodes, and counts the steps.
func butterfly(order []router.NodeID, words int) (l *transfer.List, steps int) {
	l = &transfer.List{Nodes: len(order)}
	vector := transfer.Set{{From: 0, To: words}}
	send := func(from, to int, op transfer.Op) {
		l.Transfers = append(l.Transfers, transfer.Transfer{Step: steps, From: order[from], To: order[to], Out: vector, Op: op})
	}
	power := 1
	for 2*power <= len(order) {
		power *= 2
	}
	// The nodes that are left over stand behind their partners, so that they are near.
	rest := len(order) - power
	place := func(i int) int { return i + min(i, rest) }
	if rest > 0 {
		for i := range rest {
			send(place(i)+1, place(i), transfer.Add)
		}
		steps++
	}
	for apart := 1; apart < power; apart *= 2 {
		for i := range power {
			send(place(i), place(i^apart), transfer.Add)
		}
		steps++
	}
	if rest > 0 {
		for i := range rest {
			send(place(i), place(i)+1, transfer.Put)
		}
		steps++
	}
	return l, steps
}
