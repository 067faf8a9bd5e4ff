// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"context"
	"slices"

	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
	"meshwright/schedule"
)

// sums follows the sums of a schedule. It cuts the vector at the ends of all parts that rows name. No message carries a
// piece of a section, so each section is played by itself.
type sums struct {
	s       *schedule.Schedule
	goal    *Goal
	at      Times
	length  int
	cuts    []int   // section k is the words cuts[k] to cuts[k+1]-1
	first   []int   // of section k in entries; one more: the end
	entries []entry // spans by section, then by row
	tally
}

// entry says that a span of a row has words of a section.
type entry struct{ row, span int32 }

// perEntry, perMessage and perSection are the bytes of a check of sums, besides the sets.
const perEntry, perMessage, perSection = 8, 88, 16

func checkSums(ctx context.Context, s *schedule.Schedule, g *Goal, length int, at Times) (*Report, error) {
	c := &sums{s: s, goal: g, at: at, length: length, cuts: cuts(s, g, length)}
	if err := c.sort(ctx); err != nil {
		return nil, err
	}
	c.countFlits()
	p := newPlay(c)
	for section := range len(c.cuts) - 1 {
		if err := p.section(ctx, section); err != nil {
			return nil, err
		}
	}
	p.close()
	r := c.done()
	for i := range r.First {
		if v := &r.First[i]; v.Fault != Flits {
			v.Block = c.name(v.who, v.id, v.words)
		}
	}
	return r, nil
}

// cuts are the ends of the sections.
func cuts(s *schedule.Schedule, g *Goal, length int) []int {
	ends, most := []int{0, length}, 1<<16
	for row := range s.Rows {
		for i := range s.Rows[row].Blocks {
			if span := &s.Rows[row].Blocks[i]; span.Part {
				ends = append(ends, int(span.First), int(span.End)+1)
			}
		}
		if len(ends) > most {
			ends = sorted(ends)
			most = max(most, 2*len(ends))
		}
	}
	for n := range router.NodeID(g.Nodes) {
		from, to := g.summed(n, length)
		ends = append(ends, from, to)
	}
	return sorted(ends)
}

// sorted is a list in rising order, with each number once.
func sorted(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// sections are those of a span, from and to behind the last.
func (c *sums) sections(span *schedule.Span) (from, to int) {
	if !span.Part {
		return 0, len(c.cuts) - 1
	}
	from, _ = slices.BinarySearch(c.cuts, int(span.First))
	to, _ = slices.BinarySearch(c.cuts, int(span.End)+1)
	return from, to
}

// sort enters the spans of all rows into the sections.
func (c *sums) sort(ctx context.Context) error {
	sections := len(c.cuts) - 1
	changes := make([]int, sections+1) // by section: how many spans begin, less those that end
	total := 0.0
	for row := range c.s.Rows {
		for i := range c.s.Rows[row].Blocks {
			from, to := c.sections(&c.s.Rows[row].Blocks[i])
			changes[from]++
			changes[to]--
			total += float64(to - from)
		}
	}
	most, open := 0, 0
	c.first = make([]int, sections+1)
	for k := range sections {
		open += changes[k]
		c.first[k+1], most = c.first[k]+open, max(most, open)
	}
	most = min(most, len(c.s.Rows))
	bytes := perEntry*(total+float64(len(c.s.Rows))) + perSection*float64(sections) + float64(most)*perMessage + 8*float64(len(bitset.New(c.goal.Nodes)))*float64(most+c.goal.Nodes)
	if err := memory.Need(ctx, "the sums of "+input.Count(len(c.s.Rows), "message"), memory.Of(bytes)); err != nil {
		return err
	}
	c.entries = make([]entry, c.first[sections])
	next := slices.Clone(c.first)
	for row := range c.s.Rows {
		for i := range c.s.Rows[row].Blocks {
			from, to := c.sections(&c.s.Rows[row].Blocks[i])
			for k := from; k < to; k++ {
				c.entries[next[k]] = entry{int32(row), int32(i)}
				next[k]++
			}
		}
	}
	return nil
}

// countFlits compares the flits of each row with the words of its sum.
func (c *sums) countFlits() {
	words, last := make([]int, len(c.s.Rows)), make([]int, len(c.s.Rows))
	for k := range len(c.cuts) - 1 {
		for _, e := range c.entries[c.first[k]:c.first[k+1]] {
			if last[e.row] != k+1 {
				last[e.row] = k + 1
				words[e.row] += c.cuts[k+1] - c.cuts[k]
			}
		}
	}
	for row, want := range words {
		if r := &c.s.Rows[row]; want > 0 && want != r.Flits {
			c.add(Violation{Fault: Flits, Row: row, Node: r.Source, Block: r.Blocks.String(), Sent: c.at.Sent[row], Want: want})
		}
	}
}

// name is some words of some nodes' blocks, as files have it.
func (c *sums) name(who bitset.Set, first, words int) string {
	var blocks schedule.Blocks
	for n := range who.All() {
		span := schedule.BlockOf(router.NodeID(n))
		if words < c.length {
			span = span.Words(first, words)
		}
		blocks = blocks.Join(span)
	}
	return blocks.String()
}
