// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"meshwright/router"
)

// rect is a use of slots x1 to x2-1 of a line by a worm: of slot x in cycles
// from+hop·x to to+hop·x-1. A use of one thing has x1 for it and x2 free.
type rect struct {
	from, to router.Cycle
	x1, x2   int32
	row      int32
}

// conflicts is a set of uses under one rule.
type conflicts interface {
	// free reports whether no two uses are in conflict. When the context ends it may say so wrongly.
	free(e effort) bool
	// find hands pairs in conflict to the collector, those it may want at least.
	find(e effort, c *collector)
}

// sweep is the search for the conflicts on some lines.
type sweep struct {
	plan   *plan
	kind   router.Conflict
	place  func(slot int32) place
	ranked []rect // by line, then by from: the index is the rank
	enter  []int32
	leave  []int32
}

func (p *plan) newSweep(kind router.Conflict, at func(slot int32) place, rects []rect, sort *sorter) *sweep {
	s := &sweep{plan: p, kind: kind, place: at}
	s.ranked = sort.byGroupAndStart(rects, func(r *rect) int32 { return p.lines.line[r.x1] })
	s.enter = ranksBy(sort, s.ranked, func(r *rect) int32 { return r.x1 })
	s.leave = ranksBy(sort, s.ranked, func(r *rect) int32 { return r.x2 })
	return s
}

func ranksBy(sort *sorter, ranked []rect, x func(r *rect) int32) []int32 {
	return slices.Clone(sort.sort(len(ranked), func(i int) uint64 { return uint64(x(&ranked[i])) }))
}

// find sweeps along x and asks for every rectangle that overlaps the new one: of
// those that start earlier, by their ends; of the others, by their starts. The
// pair's first common cycle is at the new one's first slot.
func (s *sweep) find(c *collector) {
	set, ends := newRankSet(len(s.ranked)), newEndTree(len(s.ranked))
	gone := 0
	for _, r := range s.enter {
		at := &s.ranked[r]
		for s.ranked[s.leave[gone]].x2 <= at.x1 {
			set.remove(s.leave[gone])
			ends.set(s.leave[gone], noEnd)
			gone++
		}
		now := at.from + router.Cycle(at.x1)*s.plan.hop
		if now < c.limit {
			s.overlapping(r, now, set, ends, c)
		}
		set.add(r)
		ends.set(r, at.to)
	}
}

func (s *sweep) overlapping(r int32, now router.Cycle, set rankSet, ends *endTree, c *collector) {
	at := &s.ranked[r]
	here := s.place(at.x1)
	ends.below(r, at.from, func(b int32) bool {
		c.add(found{now, s.kind, here}, s.ranked[b].row, at.row)
		return now < c.limit
	})
	for a := set.after(r); a >= 0; a = set.after(a) {
		cycle := now + s.ranked[a].from - at.from
		if s.ranked[a].from >= at.to || cycle >= c.limit {
			return
		}
		c.add(found{cycle, s.kind, here}, s.ranked[a].row, at.row)
	}
}

// points is the uses of single things, x1. They are turned into rectangles when a thing is
// looked at, as those of type lineUses.
type points struct {
	pointRule
	begin  []int32 // uses of thing i: of[begin[i]:begin[i+1]]
	of     []pointUse
	length func(flits int32) router.Cycle
}

// pointUse is a use of a thing: what its rectangle is made of.
type pointUse struct {
	from  router.Cycle
	flits int32
	row   int32 // on side 1 its complement
}

// pointRule is a rule about the uses of single things: they are in conflict when they overlap; when
// twoSided only if they differ in x2.
type pointRule struct {
	kind     router.Conflict
	place    func(x int32) place
	twoSided bool
}

// newPoints sorts uses 0 to count-1 by the thing, one of n. A use takes as long as its flits need.
func newPoints(r pointRule, n, count int, use func(i int32) (thing int32, use pointUse), length func(flits int32) router.Cycle) *points {
	p := &points{pointRule: r, length: length}
	p.begin, p.of = group(n, count, func(from, to int, yield func(group int32, member pointUse)) {
		for i := int32(from); i < int32(to); i++ {
			yield(use(i))
		}
	})
	return p
}

// rects appends the uses of a thing, sorted by start.
func (p *points) rects(list []rect, thing int, sort *sorter) []rect {
	for _, u := range p.of[p.begin[thing]:p.begin[thing+1]] {
		r := rect{from: u.from, to: u.from + p.length(u.flits), x1: int32(thing), row: u.row}
		if u.row < 0 {
			r.x2, r.row = 1, ^u.row
		}
		list = append(list, r)
	}
	return sort.byStart(list)
}

func (p *points) free(e effort) bool {
	return e.all(p.begin, func() func(int) bool {
		var list []rect
		sort := &sorter{}
		return func(thing int) bool {
			list = p.rects(list[:0], thing, sort)
			return p.pointRule.free(list)
		}
	})
}

func (p *points) find(e effort, c *collector) {
	search := func(to *collector) func(thing int) bool {
		var list []rect
		sort := &sorter{}
		return func(thing int) bool {
			if p.begin[thing+1]-p.begin[thing] > 1 {
				list = p.rects(list[:0], thing, sort)
				p.pointRule.find(list, to)
			}
			return !to.more || to.tally == nil
		}
	}
	if c.tally != nil {
		e.count(p.begin, c, search)
		return
	}
	find := search(c)
	for thing := range len(p.begin) - 1 {
		find(thing)
	}
}

// free reports whether no two of the uses, sorted by thing, then by start, are in conflict.
func (p *pointRule) free(sorted []rect) bool {
	last := [2]router.Cycle{} // by side: end of the uses of this thing
	for i := range sorted {
		r := &sorted[i]
		if i == 0 || sorted[i-1].x1 != r.x1 {
			last = [2]router.Cycle{noEnd, noEnd}
		}
		mine, other := p.sides(r)
		if last[other] > r.from {
			return false
		}
		last[mine] = max(last[mine], r.to)
	}
	return true
}

// sides returns the side a use is on, and the one it is in conflict with.
func (p *pointRule) sides(r *rect) (mine, other int32) {
	if p.twoSided {
		return r.x2, 1 - r.x2
	}
	return 0, 0
}

// find hands the pairs of uses, sorted by thing, then by start, in conflict to the collector.
func (p *pointRule) find(sorted []rect, c *collector) {
	var active []int32 // uses of this thing that have not ended
	for i := range sorted {
		r := &sorted[i]
		if i > 0 && sorted[i-1].x1 != r.x1 {
			active = active[:0]
		}
		if r.from >= c.limit {
			continue
		}
		kept := active[:0]
		for _, k := range active {
			other := &sorted[k]
			if other.to <= r.from {
				continue
			}
			kept = append(kept, k)
			if !p.twoSided || other.x2 != r.x2 {
				c.add(found{r.from, p.kind, p.place(r.x1)}, other.row, r.row)
			}
		}
		active = append(kept, int32(i))
	}
}
