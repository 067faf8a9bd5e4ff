// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/collective/sendtree"
	stages "meshwright/firmware/gossip"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// scatterGossip is a broadcast in two halves: the words are scattered, a piece
// for every node, and then all gossip (van de Geijn). Turned round in time,
// with sums, the gossip leaves every node with the sum of its piece, and these
// are gathered, for a reduce; or, for an allreduce, gossiped.
const ScatterGossip = "scatter-gossip"

func gossipCasting(t *plan.Task) ([]*plan.Draft, error) {
	lengths := pieces(t)
	gossips, err := gossips(t, lengths)
	if err != nil {
		return nil, err
	}
	words := func(nodes int) int { return max(1, (t.VectorWords()*nodes+len(lengths)-1)/len(lengths)) }
	out := sendtree.Doubling(t.Topology, t.Machine, t.Root, words).Pieces(lengths)
	var list []*plan.Draft
	for _, g := range gossips {
		c := &plan.Draft{NeedsTimetable: true, Facts: []plan.Fact{{Key: "pieces", Name: "pieces", Value: router.Cycle(len(lengths)), Unit: plan.Counted}}}
		g = sendtree.Once(g, lengths) // what comes twice would be summed up twice
		switch t.Kind.Name {
		case plan.Broadcast:
			c.List = sendtree.Then(out, g)
		case plan.Reduce:
			c.List = sendtree.Then(sendtree.ReduceScatter(g), sendtree.Reversed(out, transfer.Put))
		default:
			c.List = sendtree.Then(sendtree.ReduceScatter(g), g)
		}
		list = append(list, c)
	}
	return list, nil
}

// pieces shares the words out evenly among all nodes.
func pieces(t *plan.Task) []int {
	words, nodes := t.VectorWords(), len(t.Lengths)
	lengths := make([]int, nodes)
	for n := range lengths {
		lengths[n] = words*(n+1)/nodes - words*n/nodes
	}
	return lengths
}

// gossips lists the gossips that the formulas say are fastest, without their
// timetables; where no formula applies it is those that are good otherwise.
func gossips(t *plan.Task, lengths []int) ([]*transfer.List, error) {
	words := 0
	for _, length := range lengths {
		words = max(words, length)
	}
	if len(lengths) == 1 {
		return []*transfer.List{{Nodes: 1}}, nil
	}
	g := stages.GridOf(t.Topology)
	var candidates []stages.Candidate
	strides := func() {
		if s, _, ok := stages.BestTurns(g, max(1, words), stages.PaceOf(&t.Machine)); ok {
			candidates = append(candidates, stages.Candidate{Algorithm: "strides", Strides: s})
		}
	}
	if stages.Predictable(t.Topology, &t.Machine) == nil {
		c, err := stages.Choose(t.Topology, t.Machine, words)
		if err != nil {
			return nil, err
		}
		candidates = []stages.Candidate{c.Best}
		if c.Best.Algorithm != c.Bridgeheads.Algorithm && words > 0 {
			candidates = append(candidates, c.Bridgeheads)
		}
		if len(c.Best.Strides.Axes) == 0 { // best as a gossip, perhaps not step by step or backwards
			strides()
		}
	} else {
		candidates = []stages.Candidate{{Algorithm: "circgos", Factors: stages.BestAxes(g, max(1, words), 1, 0, &t.Machine), Colours: 1}}
		strides()
	}
	var lists []*transfer.List
	for _, c := range candidates {
		if err := t.NeedLines(1); err != nil {
			return nil, err
		}
		l, err := c.List(g, lengths, &t.Machine)
		if err != nil {
			return nil, err
		}
		l.Timed = false
		for i := range l.Transfers {
			l.Transfers[i].Start = 0
		}
		lists = append(lists, l)
	}
	return lists, nil
}
