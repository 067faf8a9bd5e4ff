// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/firmware/cast"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// combined is a scatter in messages of several blocks.
type combined struct {
	casting
	extra []int // by node: words of others behind its own
}

// combiningScatter sends messages with the blocks of many nodes, which pass on
// what is not theirs: the root has few startups instead of one for each node.
func combiningScatter(t *task) (*Plan, error) {
	if t.Order != nil {
		return nil, input.Errorf("expected none: it has its own", "an order of dispatch for combining")
	}
	variants, err := t.combinedScatters()
	if err != nil {
		return nil, err
	}
	list := make([]*casting, len(variants))
	for i := range variants {
		list[i] = &variants[i].casting
	}
	best, time, err := t.first(list)
	if err != nil {
		return nil, err
	}
	p, err := t.passOn(best.list, variants[slices.Index(list, best)].extra)
	if err != nil {
		return nil, err
	}
	p.Facts = best.facts
	t.foretold(p, time)
	return p, nil
}

// combinedScatters plans along the axes of a grid, and where that is not all
// there is to do along a walk.
func (t *task) combinedScatters() ([]combined, error) {
	blocks := max(1, len(t.Lengths)-1)
	words := func(nodes int) int { return max(1, (len(t.words)*nodes+blocks-1)/blocks) }
	var list []combined
	add := func(tree *cast.Tree, meets bool) {
		l, extra := tree.Scatter(t.Lengths)
		list = append(list, combined{casting{list: l, facts: t.castFacts(tree, tree), meets: meets}, extra})
	}
	if t.Topology.IsGrid() && t.Tree == "" {
		add(cast.Doubling(t.Topology, t.Machine, t.Root, words), false)
		if t.perLink() {
			return list, nil
		}
	}
	s, err := t.tree()
	if t.told = nil; err != nil {
		return nil, err
	}
	tree, err := cast.Ordered(t.Topology, t.Machine, s, words)
	if err != nil {
		return nil, err
	}
	add(tree, true)
	return list, nil
}

// passOn is the plan of a scatter in which nodes pass on what is not theirs;
// it stays with them, behind their own block, and is compared, too.
func (t *task) passOn(l *transfer.List, extra []int) (*Plan, error) {
	start := make([][]uint32, len(t.Lengths))
	for n := range start {
		start[n] = make([]uint32, t.Lengths[n]+extra[n])
	}
	start[t.Root] = t.words
	end := carried(l, start)
	for n := range end {
		copy(end[n], t.block(router.NodeID(n)))
	}
	end[t.Root] = t.words
	return t.transferPlan(l, func(n router.NodeID) Block {
		b := Block{Words: end[n]}
		if n == t.Root {
			b.Given.To = len(t.words)
		}
		return b
	})
}
