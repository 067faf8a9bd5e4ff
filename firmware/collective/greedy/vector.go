// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// outward grows a schedule in which pieces go from their sources to all nodes.
func (n *network) outward(d draft, pieces []transfer.Range, from []source, limit router.Cycle, most int) (*schedule, int) {
	s := newSpread(n, d.try, n.book(false), false, n.lengths(pieces), from)
	if d.base != nil {
		s.keep(d.base.messages, d.until)
	}
	ok := s.run(d.until, limit, most)
	if !ok {
		return nil, s.work
	}
	made := &schedule{pieces: pieces, messages: s.messages}
	made.end()
	return made, s.work
}

// inward grows one in which sums of pieces come to their sources: outward, backwards in time.
func (n *network) inward(d draft, pieces []transfer.Range, from []source, limit router.Cycle, most int) (*schedule, int) {
	s := newSpread(n, d.try, n.book(true), true, n.lengths(pieces), from)
	if d.base != nil {
		s.keep(turned(d.base.messages), d.until)
	}
	ok := s.run(d.until, limit, most)
	if !ok {
		return nil, s.work
	}
	made := &schedule{pieces: pieces, messages: turned(s.messages)}
	made.end()
	return made, s.work
}

// both lets sums come to the sources of pieces and go out from there as soon as they are complete.
func (n *network) both(d draft, pieces []transfer.Range, from []source, limit router.Cycle, most int) (*schedule, int) {
	in, work := n.inward(d, pieces, from, limit, most)
	if in == nil {
		return nil, work
	}
	book := n.book(false)
	complete := make([]source, len(from))
	copy(complete, from)
	for i := range in.messages {
		m := &in.messages[i]
		words := 0
		for _, p := range m.pieces {
			words += pieces[p].To - pieces[p].From
			if m.to == complete[p].node {
				complete[p].at = max(complete[p].at, m.whole)
			}
		}
		book.Reserve(router.NodeID(m.from), n.Route(m.from, m.to), words, m.handed)
	}
	s := newSpread(n, d.try, book, false, n.lengths(pieces), complete)
	ok := s.run(0, limit, most)
	work += s.work
	if !ok {
		return nil, work
	}
	for _, m := range s.messages {
		if m.from != m.to {
			in.messages = append(in.messages, m)
		}
	}
	in.end()
	return in, work
}

// grownVector broadcasts a vector, sums up vectors for a root, for all nodes, or piece by piece, in less time than another plan; nil if none is found.
func grownVector(t *plan.Task, known router.Cycle) (*plan.Plan, error) {
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	grow, kinds := (*network).outward, 1
	switch t.Kind.Name {
	case plan.Reduce, plan.ReduceScatter:
		grow = (*network).inward
	case plan.Allreduce:
		grow, kinds = (*network).both, 3
		t.Root = t.Centre()
	}
	n.resumes = t.Kind.Name != plan.Allreduce
	blocks := n.rooted()
	each := func(n *network, d draft, limit router.Cycle, most int) (*schedule, int) {
		pieces, of := cut(blocks, d.size)
		if d.rounds && d.base == nil {
			return n.inRounds(d, pieces, int32(t.Root), limit, most)
		}
		from := make([]source, len(pieces))
		for i := range from {
			from[i] = source{int32(t.Root), int32(i), 0}
			switch {
			case t.Kind.Name == plan.ReduceScatter:
				from[i].node = of[i]
			case d.kind == 1: // each piece has a root of its own
				from[i].node = int32(i * n.nodes / len(pieces))
			}
		}
		return grow(n, d, pieces, from, limit, most)
	}
	best, err := n.fastest(n.drafts(longest(blocks), t.VectorWords(), kinds), known, each)
	if err == nil {
		best, err = n.fasterInRounds(best, each)
	}
	if err == nil {
		best, err = n.fasterInLeaps(best, longest(blocks), t.VectorWords(), each)
	}
	if err == nil {
		best, err = n.fasterOnBeat(best, longest(blocks), each)
	}
	if err == nil && t.Kind.Name == plan.Allreduce && best.cycles > t.LowerBound() {
		if best, err = n.nested(best); err == nil {
			best, err = n.inHalves(best)
		}
	}
	if err != nil || best.nothing(known) {
		return nil, err
	}
	if t.Kind.Name == plan.ReduceScatter {
		best = n.tightened(best, shakenOfNodes)
	}
	p, err := t.VectorPlan(best.list(n.nodes))
	if err != nil {
		return nil, err
	}
	return n.finish(best, p), nil
}

// nested returns the fastest allreduce that grows forwards in time, or a known one that is not slower.
func (n *network) nested(known *schedule) (*schedule, error) {
	words := n.VectorWords()
	n.resumes = true
	made, err := n.best(n.mergedDrafts(max(1, words)), known.cycles, 0, func(d draft, limit router.Cycle, most int) (*schedule, int) {
		pieces, _ := cut([]transfer.Range{{From: 0, To: words}}, d.size)
		return n.merged(d, pieces, limit, most)
	})
	if made == nil {
		made = known
	}
	return made, err
}

// rooted returns the words that have a root in common: all of them, or in a reduce-scatter those of each node.
func (n *network) rooted() []transfer.Range {
	if n.Kind.Name != plan.ReduceScatter {
		return []transfer.Range{{From: 0, To: n.VectorWords()}}
	}
	blocks := make([]transfer.Range, n.nodes)
	for v := range blocks {
		blocks[v] = n.Piece(router.NodeID(v))
	}
	return blocks
}

// longest returns the words of the longest block, at least 1.
func longest(blocks []transfer.Range) int {
	words := 1
	for _, b := range blocks {
		words = max(words, b.To-b.From)
	}
	return words
}
