// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"

	"meshwright/router"
)

// beginning is the part of a plan that is dispatched before a cycle. Two messages collide after both have been
// dispatched, so it has all collisions before that cycle, and of the later ones some.
type beginning struct {
	*plan
	until router.Cycle // MaxInt64: all rows
	rules []rule
}

// beginning returns the part with about so many rows.
func (p *plan) beginning(rows int) *beginning {
	until := p.rows[rows].dispatch
	for rows > 0 && p.rows[rows-1].dispatch == until {
		rows--
	}
	q := *p
	q.rows, q.begin, q.pieces = p.rows[:rows], p.begin[:rows+1], p.pieces[:p.begin[rows]]
	q.load, q.way, q.parts, q.hops, q.cut = make([]int64, len(p.load)), nil, nil, 0, nil
	for i := range q.pieces {
		q.bear(&q.pieces[i])
	}
	b := &beginning{plan: &q, until: until}
	q.chooseWay(listSection)
	b.rules = q.rules()
	return b
}

// name puts the first collisions into the report, unless they may begin later. It returns how many it has found.
func (b *beginning) name(e effort, r *Report) int {
	c := newCollector(b.plan.rows)
	c.limit = b.until
	b.search(e, c, b.rules)
	if len(c.pairs) > Listed {
		c.prune()
	}
	if b.until < math.MaxInt64 && len(c.pairs) < Listed {
		return len(c.pairs)
	}
	r.Collisions = len(c.pairs)
	delays := newDelays(b.plan)
	for _, key := range c.sorted() {
		r.First = append(r.First, b.describe(key, c.pairs[key], delays.smallest))
	}
	return len(c.pairs)
}

// count counts the collisions, up to Counted. It keeps nothing of a pair but that it was there.
func (b *beginning) count(e effort, r *Report) {
	c := newCounter(b.plan.rows)
	if !b.countAbreast(e, c, b.rules) {
		b.search(e, c, b.rules)
	}
	r.Collisions, r.More = len(c.tally), c.more
}
