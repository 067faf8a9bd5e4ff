// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"fmt"

	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// ScatterGossip is a broadcast in two halves: the words are scattered, a piece
// for every node, and then all gossip (van de Geijn). Turned round in time,
// with sums, the gossip leaves every node with the sum of its piece, and these
// are gathered, for a reduce; or, for an allreduce, gossiped.
const ScatterGossip = "scatter-gossip"

// ReversedGossip is a reduce-scatter: an all-gather turned round in time, with sums.
const ReversedGossip = "reversed-all-gather"

// scatterGossipMakers make a draft for each gossip. Drafts have a message for every two nodes and more, so that they are not kept.
func scatterGossipMakers(t *plan.Task) ([]func() *plan.Draft, error) {
	lengths := pieces(t)
	gossips, err := gossips(t, lengths)
	if err != nil {
		return nil, err
	}
	words := func(nodes int) int { return max(1, (t.VectorWords()*nodes+len(lengths)-1)/len(lengths)) }
	var out *transfer.List
	if t.Kind.Rooted {
		outs, err := doublings(t, words, true, sendtree.Doubling, sendtree.Ordered)
		if err != nil {
			return nil, err
		}
		out = outs[0].Pieces(lengths)
	}
	facts := []plan.Fact{{Key: "pieces", Name: "pieces", Value: router.Cycle(len(lengths)), Unit: plan.Counted}}
	makers := make([]func() *plan.Draft, len(gossips))
	for i, gossip := range gossips {
		makers[i] = func() *plan.Draft {
			g := sendtree.Once(gossip(), lengths) // what comes twice would be summed up twice
			return &plan.Draft{List: halves(t.Kind.Name, out, g), NeedsTimetable: true, Facts: facts}
		}
	}
	return makers, nil
}

// halves puts a collective together from a gossip, and from a scatter of the words, where it has a root.
func halves(collective string, out, g *transfer.List) *transfer.List {
	switch collective {
	case plan.Broadcast:
		return sendtree.Then(out, g)
	case plan.Reduce:
		return sendtree.Then(sendtree.ReduceScatter(g), sendtree.Reversed(out, transfer.Put))
	case plan.ReduceScatter:
		return sendtree.ReduceScatter(g)
	}
	return sendtree.Then(sendtree.ReduceScatter(g), g)
}

// nameOf names the collective with its algorithm.
func nameOf(collective string) string {
	if collective == plan.ReduceScatter {
		return collective + " " + ReversedGossip
	}
	return collective + " " + ScatterGossip
}

// pieces shares the words out evenly among all nodes.
func pieces(t *plan.Task) []int {
	lengths := make([]int, len(t.Lengths))
	for n := range lengths {
		piece := t.Piece(router.NodeID(n))
		lengths[n] = piece.To - piece.From
	}
	return lengths
}

// maxCircle bounds the nodes for which circles are tried.
const maxCircle = 512

// gossips lists the gossips that the formulas say are fastest, without their
// timetables; where no formula applies it is those that are good otherwise. Where links do not work independently, or the
// network is no grid, there are circles.
func gossips(t *plan.Task, lengths []int) ([]func() *transfer.List, error) {
	words := 0
	for _, length := range lengths {
		words = max(words, length)
	}
	if len(lengths) == 1 {
		return []func() *transfer.List{func() *transfer.List { return &transfer.List{Nodes: 1} }}, nil
	}
	var lists []func() *transfer.List
	if t.Topology.Nodes() <= maxCircle && !(t.Topology.IsGrid() && t.IndependentLinks()) {
		if err := t.NeedTransfers(2 * len(lengths) * (len(lengths) - 1)); err != nil { // a ring, in both halves
			return nil, err
		}
		for _, c := range stages.Circles(sendtree.Orders(t.Topology)...) {
			lists = append(lists, func() *transfer.List { return c.List(lengths) })
		}
	}
	if !t.Topology.IsGrid() {
		if len(lists) == 0 {
			return nil, input.Errorf(fmt.Sprintf("expected at most %d, or a path, ring, mesh, torus or hypercube", maxCircle), "%s for %d nodes", nameOf(t.Kind.Name), t.Topology.Nodes())
		}
		return lists, nil
	}
	forms, err := gossipForms(t, words)
	if err != nil {
		return nil, err
	}
	for _, f := range forms {
		if err := t.NeedLines(1); err != nil {
			return nil, err
		}
		l, err := f.List(stages.GridOf(t.Topology), lengths, stages.PaceOf(&t.Machine))
		if err != nil {
			return nil, err
		}
		l.Timed = false
		for i := range l.Transfers {
			l.Transfers[i].Start = 0
		}
		lists = append(lists, func() *transfer.List { return l })
	}
	return lists, nil
}

// gossipForms chooses gossips for blocks of so many words: those that are
// fastest by the formulas, and strides whose axes take turns. Fast as a gossip is
// not always fast step by step, or backwards.
func gossipForms(t *plan.Task, words int) ([]stages.Form, error) {
	g, pace := stages.GridOf(t.Topology), stages.PaceOf(&t.Machine)
	var forms []stages.Form
	if stages.Predictable(t.Topology, &t.Machine) == nil {
		c, err := stages.Choose(t.Topology, t.Machine, words)
		if err != nil {
			return nil, err
		}
		forms = append(forms, c.Best.Form)
		if words > 0 && c.Best.Name() != c.Bridgeheads.Name() {
			forms = append(forms, c.Bridgeheads.Form)
		}
		if _, turns := c.Best.Form.(stages.Strides); turns {
			return forms, nil
		}
	} else {
		bridgeheads := stages.Circular(stages.BestAxes(g, max(1, words), 1, 0, &t.Machine))
		forms = append(forms, stages.AxisByAxis{Method: bridgeheads, Colours: 1, Dims: len(t.Topology.Dims)})
	}
	if s, _, ok := stages.BestTurns(g, max(1, words), pace); ok {
		forms = append(forms, s)
	}
	return forms, nil
}
