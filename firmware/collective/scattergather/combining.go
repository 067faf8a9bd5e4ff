// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"slices"

	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// combined is a scatter in messages of several blocks.
type combined struct {
	plan.Draft
	extra []int // by node: words of others behind its own
}

// Combining sends messages with the blocks of several nodes to one of them, which passes
// the blocks of the others on. So the root has few startups instead of one for each node.
func Combining(t *plan.Task) (*plan.Plan, error) {
	variants, err := combinedScatters(t)
	if err != nil {
		return nil, err
	}
	list := make([]*plan.Draft, len(variants))
	for i := range variants {
		list[i] = &variants[i].Draft
	}
	p, time, err := t.Fastest(plan.Made(list), func(d *plan.Draft) (*plan.Plan, error) {
		p, err := passOn(t, d.List, variants[slices.Index(list, d)].extra)
		if err == nil {
			p.Facts = d.Facts
		}
		return p, err
	})
	if err != nil {
		return nil, err
	}
	faster, err := searched(t, time)
	if err != nil {
		return nil, err
	}
	if faster != nil {
		p = faster
	}
	p.Stopped = searches(t) && t.Search.Err() != nil && p.Predicted.Least > t.LowerBound()
	return p, nil
}

// searches reports whether a tree is searched: not one that was asked for, nor one of a large network.
func searches(t *plan.Task) bool { return t.Tree == "" && len(t.Lengths) <= treesearch.MaxScattered }

// searched is the plan of a tree that a search finds; nil if it takes as long as known.
func searched(t *plan.Task, known router.Cycle) (*plan.Plan, error) {
	if !searches(t) || known <= t.LowerBound() {
		return nil, nil
	}
	s, err := treesearch.Scatter(t)
	if err != nil || s.Cycles >= known {
		return nil, err
	}
	p, err := passOn(t, s.List, s.Extra)
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.StartupsFact(s.Startups))
	t.PredictBooked(p, s.Cycles)
	return p, nil
}

// combinedScatters plans along the axes of a grid, and where that is not all
// there is to do along a walk.
func combinedScatters(t *plan.Task) ([]combined, error) {
	blocks := max(1, len(t.Lengths)-1)
	words := func(nodes int) int { return max(1, (t.TotalWords()*nodes+blocks-1)/blocks) }
	var list []combined
	add := func(tree *sendtree.Tree, meets bool) {
		l, extra := tree.Scatter(t.Lengths)
		list = append(list, combined{plan.Draft{List: l, Facts: []plan.Fact{plan.StartupsFact(tree.Startups(t.Machine))}, NeedsTimetable: meets}, extra})
	}
	if t.Topology.IsGrid() && t.Tree == "" {
		add(sendtree.Doubling(t.Topology, t.Machine, t.Root, words), false)
	}
	if t.IndependentLinks() && t.Tree == "" {
		for _, by := range sendtree.Sharings() {
			branched, err := sendtree.Branched(t.Topology, t.Machine, t.Root, by, words)
			if err != nil {
				return nil, err
			}
			add(branched, true)
		}
		if t.Topology.IsGrid() {
			return list, nil
		}
	}
	s, err := t.SpanningTree()
	if t.RoutingTree = nil; err != nil {
		return nil, err
	}
	tree, err := sendtree.Ordered(t.Topology, t.Machine, s, words)
	if err != nil {
		return nil, err
	}
	add(tree, true)
	return list, nil
}

// passOn makes the plan of a scatter in which nodes pass on other nodes' words. These words
// stay in memory behind a node's own block, and are compared, too.
func passOn(t *plan.Task, l *transfer.List, extra []int) (*plan.Plan, error) {
	start := make([][]uint32, len(t.Lengths))
	for n := range start {
		start[n] = make([]uint32, (t.Lengths[n]+extra[n])*t.Machine.Elements())
	}
	start[t.Root] = t.Words
	end := plan.CarryOut(l, start, t.Machine.Elements())
	for n := range end {
		copy(end[n], t.Block(router.NodeID(n)))
	}
	end[t.Root] = t.Words
	return t.TransferPlan(l, func(n router.NodeID) plan.Block {
		b := plan.Block{Words: end[n]}
		if n == t.Root {
			b.Given.To = t.TotalWords()
		}
		return b
	})
}
