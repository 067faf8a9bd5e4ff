// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"iter"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule"
)

// mostSpans bounds what the messages of a plan carry together, in spans: 256 MB.
const mostSpans = 1 << 23

// contributions are the nodes whose blocks are in a sum, as ranges in rising order. They do not change.
type contributions []schedule.Span

// summing carries out a list of transfers by name: it keeps whose blocks are in which words of each node's vector.
type summing struct {
	words int
	cuts  []int             // section k of the vector is the words cuts[k] to cuts[k+1]-1
	holds [][]contributions // by node and section
}

// blocksOfSums names the blocks in the sums that a list of transfers sends, by transfer; nil where the words do
// not stay in their places, where a sum is stored that has only a part of what is there, or where the names are too many.
func (p *Plan) blocksOfSums() (named []schedule.Blocks) {
	l, spans := p.List, 0
	named = make([]schedule.Blocks, len(l.Transfers))
	s := &summing{words: p.wordsAt(0), holds: make([][]contributions, l.Nodes)}
	s.cuts = []int{0, s.words}
	for i := range l.Transfers {
		t := &l.Transfers[i]
		if t.In != nil && !slices.Equal(t.In, t.Out) {
			return nil
		}
		for _, r := range t.Out {
			s.cuts = append(s.cuts, r.From, r.To)
		}
	}
	slices.Sort(s.cuts)
	s.cuts = slices.Compact(s.cuts)
	for n := range s.holds {
		own := contributions{schedule.BlockOf(router.NodeID(n))}
		s.holds[n] = slices.Repeat([]contributions{own}, len(s.cuts)-1)
	}
	sent := make([][]contributions, len(l.Transfers))
	for _, e := range inOrder(l) {
		t := &l.Transfers[e.transfer]
		switch {
		case !e.takes:
			for k := range s.sections(t.Out) {
				sent[e.transfer] = append(sent[e.transfer], s.holds[t.From][k])
			}
		case !s.take(t, sent[e.transfer]):
			return nil
		default:
			named[e.transfer] = s.name(t.Out, sent[e.transfer])
			sent[e.transfer] = nil
			if spans += len(named[e.transfer]); spans > mostSpans {
				return nil
			}
		}
	}
	return named
}

// event is one end of a transfer.
type event struct {
	at       router.Cycle // twice the step or cycle, and 1 for what comes behind
	takes    bool
	transfer int32
}

// inOrder are the ends of all transfers in the order in which the PEs come to them: in a step a PE sends before it takes,
// in a cycle it takes before it sends.
func inOrder(l *transfer.List) []event {
	events := make([]event, 0, 2*len(l.Transfers))
	for i := range l.Transfers {
		t := &l.Transfers[i]
		sent, taken := 2*router.Cycle(t.Step), 2*router.Cycle(t.Step)+1
		if l.Timed {
			sent, taken = 2*t.Start+1, 2*t.Due
		}
		events = append(events, event{sent, false, int32(i)}, event{taken, true, int32(i)})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return events
}

// take stores a sum, of which the contributions are given by section, or adds it to what is there.
func (s *summing) take(t *transfer.Transfer, sent []contributions) bool {
	for k := range s.sections(t.Out) {
		sum, apart := s.holds[t.To][k].unite(sent[0])
		if t.Op == transfer.Add && !apart || t.Op == transfer.Put && !slices.Equal(sum, sent[0]) {
			return false
		}
		s.holds[t.To][k], sent = sum, sent[1:]
	}
	return true
}

// sections ranges over the sections of a set of words, as they travel.
func (s *summing) sections(words transfer.Set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range words {
			for k, _ := slices.BinarySearch(s.cuts, r.From); s.cuts[k] < r.To; k++ {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// name names the blocks in words that are sent, the first of some contributions by section. Sections that follow one another and have the same contributions are one part.
func (s *summing) name(words transfer.Set, sent []contributions) (blocks schedule.Blocks) {
	var of contributions
	first, end := 0, 0
	enter := func() {
		for _, span := range of {
			if end-first < s.words {
				span = span.Words(first, end-first)
			}
			blocks = append(blocks, span)
		}
	}
	for k := range s.sections(words) {
		if s.cuts[k] != end || !slices.Equal(of, sent[0]) {
			enter()
			of, first = sent[0], s.cuts[k]
		}
		end, sent = s.cuts[k+1], sent[1:]
	}
	enter()
	return blocks
}

// unite returns the contributions of two sums together, and whether the sums have none in common.
func (c contributions) unite(other contributions) (all contributions, apart bool) {
	apart = true
	for len(c) > 0 || len(other) > 0 {
		if len(c) == 0 || len(other) > 0 && other[0].From < c[0].From {
			c, other = other, c
		}
		next := c[0]
		c = c[1:]
		last := len(all) - 1
		switch {
		case last < 0 || all[last].Last < next.From-1:
			all = append(all, next)
			continue
		case all[last].Last >= next.From:
			apart = false
		}
		all[last].Last = max(all[last].Last, next.Last)
	}
	return all, apart
}
