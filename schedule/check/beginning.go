// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"meshwright/router"
	"meshwright/schedule"
)

// beginning is the part of a plan that is dispatched before a cycle. Two messages collide after both have been
// dispatched, so it has all collisions before that cycle, and of the later ones some.
type beginning struct {
	*plan
	rows  []int32 // the rows of the whole plan, rising; nil: all of them
	until router.Cycle
	rules []rule
}

// beginning returns the part with about so many rows.
func (p *plan) beginning(rows int) *beginning {
	until := p.dispatchAfter(rows)
	b := &beginning{until: until, rows: make([]int32, 0, rows)}
	q := *p
	few := rows + rows/4
	q.s = &schedule.Schedule{File: p.s.File, Rows: make([]schedule.Row, 0, few)}
	q.pieces = make([]piece, 0, few*(len(p.pieces)/len(p.s.Rows)+1))
	q.begin, q.spans, q.load = make([]int32, 1, few+1), make([]router.Cycle, 0, few), make([]int64, len(p.load))
	q.way, q.parts, q.hops, q.cut = nil, nil, 0, nil
	for i := range p.s.Rows {
		if p.s.Rows[i].Dispatch < until {
			q.adopt(p, i)
			b.rows = append(b.rows, int32(i))
		}
	}
	b.plan = &q
	q.chooseWay(listSection)
	b.rules = q.rules()
	return b
}

// dispatchAfter returns a cycle before which about so many rows are dispatched: as many of a
// regular sample are.
func (p *plan) dispatchAfter(rows int) router.Cycle {
	const step = 101
	var sample []router.Cycle
	for row := 0; row < len(p.s.Rows); row += step {
		sample = append(sample, p.s.Rows[row].Dispatch)
	}
	slices.Sort(sample)
	return sample[rows/step]
}

// adopt appends a row of another plan of the same machine.
func (p *plan) adopt(other *plan, row int) {
	to, first := int32(len(p.s.Rows)), len(p.pieces)
	p.s.Rows = append(p.s.Rows, other.s.Rows[row])
	p.pieces = append(p.pieces, other.pieces[other.begin[row]:other.begin[row+1]]...)
	for i := range p.pieces[first:] {
		part := &p.pieces[first+i]
		part.row = to
		p.bear(part)
	}
	p.begin = append(p.begin, int32(len(p.pieces)))
	p.spans = append(p.spans, other.spans[row])
}

// name puts the first collisions into the report, unless they may begin later. It returns how many it has found.
func (b *beginning) name(e effort, r *Report) int {
	c := newCollector(b.s.Rows)
	c.limit = b.until
	b.search(e, c, b.rules)
	if len(c.pairs) > Listed {
		c.prune()
	}
	if b.rows != nil && len(c.pairs) < Listed {
		return len(c.pairs)
	}
	r.Collisions = len(c.pairs)
	delays := newDelays(b.plan)
	for _, key := range c.sorted() {
		found := b.describe(key, c.pairs[key], delays)
		for k, row := range found.Rows {
			if row >= 0 && b.rows != nil {
				found.Rows[k] = int(b.rows[row])
			}
		}
		r.First = append(r.First, found)
	}
	return len(c.pairs)
}

// count counts the collisions, up to Counted. It keeps nothing of a pair but that it was there.
func (b *beginning) count(e effort, r *Report) {
	c := newCounter(b.s.Rows)
	if !b.countAbreast(e, c, b.rules) {
		b.search(e, c, b.rules)
	}
	r.Collisions, r.More = len(c.tally), c.more
}
