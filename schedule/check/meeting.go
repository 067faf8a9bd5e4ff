// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"meshwright/router"
)

// meeting is the search for worms that meet on a line: those that go there, those
// that come back, and dots, which use one position. There and dots are in the frame
// t - h·x, in which those that come back fall by 2h with every position.
//
// The range of positions is halved again and again. What spans all of a range is in
// order in it, as worms do not overtake each other, so that those among it that
// another worm meets are found by bisection; what spans a part goes on to the
// halves. Every worm is so in a number of ranges logarithmic in the positions, and
// in no further one when nothing it could meet is there at the time (type times). Worms that go
// the same way are not compared: they meet on links.
type meeting struct {
	hop    router.Cycle
	limit  router.Cycle // meetings from this cycle on are left out
	yield  func(m *meeting, a, b *rect, cycle router.Cycle, x int32) bool
	stack  []rect         // parts of lists, of this range and those around it
	latest []router.Cycle // by index in a list: latest end up to there
	times  [3]times       // of the lists at hand
}

// times is a set of spans of which it may say that one meets them though none does: time is
// cut into parts of one length, and parts far away from each other share a bit.
type times struct {
	bits  []uint64
	shift int  // parts of 1<<shift cycles
	any   bool // a span is too long: everything meets it
}

// mostParts is the number of parts of a span that are looked at one by one.
const mostParts = 8

// note makes the set that of the uses of a list.
func (t *times) note(list []rect, from, to int32, hop router.Cycle, shift int) {
	size := 1
	for size*16 < len(list) {
		size *= 2
	}
	t.bits = append(t.bits[:0], make([]uint64, size)...)
	t.shift, t.any = shift, false
	for i := range list {
		s := during(&list[i], from, to, hop)
		if s.from >= s.to {
			continue
		}
		first, last := s.from>>shift, (s.to-1)>>shift
		if last-first >= mostParts {
			t.any = true
			return
		}
		for ; first <= last; first++ {
			t.bits[int(first>>6)&(size-1)] |= 1 << (first & 63)
		}
	}
}

// meet reports whether a span may meet one of the set.
func (t *times) meet(s span) bool {
	first, last := s.from>>t.shift, (s.to-1)>>t.shift
	if t.any || last-first >= mostParts {
		return true
	}
	for ; first <= last; first++ {
		if t.bits[int(first>>6)&(len(t.bits)-1)]>>(first&63)&1 != 0 {
			return true
		}
	}
	return false
}

// within looks for meetings at positions from to to-1; the lists are sorted by
// start. It reports whether yield never returned false.
func (m *meeting) within(from, to int32, there, back, dots []rect) bool {
	mark := len(m.stack)
	defer func() { m.stack = m.stack[:mark] }()
	h := m.hop
	aHull, bHull, dHull := hull(there, from, to, h), hull(back, from, to, -h), hull(dots, from, to, h)
	shift := bits.Len64(uint64(to-from) * uint64(h))
	m.times[0].note(there, from, to, h, shift)
	m.times[1].note(back, from, to, -h, shift)
	m.times[2].note(dots, from, to, h, shift)
	there = m.keep(there, from, to, h, bHull.join(dHull), &m.times[1], &m.times[2])
	back = m.keep(back, from, to, -h, aHull.join(dHull), &m.times[0], &m.times[2])
	dots = m.keep(dots, from, to, h, aHull.join(bHull), &m.times[0], &m.times[1])
	if len(there) == 0 && (len(back) == 0 || len(dots) == 0) || len(back) == 0 && len(dots) == 0 {
		return true
	}
	long := func(r *rect) bool { return r.x1 <= from && r.x2 >= to }
	longThere, shortThere := m.split(there, long, true)
	longBack, shortBack := m.split(back, long, true)
	if !m.match(longThere, back, from, to, -2*h) || !m.match(longBack, shortThere, from, to, 2*h) ||
		!m.match(longThere, dots, from, to, 0) || !m.match(longBack, dots, from, to, 2*h) {
		return false
	}
	if to-from == 1 {
		return true
	}
	middle := from + (to-from)/2
	return m.within(from, middle, shortThere, shortBack, dots) && m.within(middle, to, shortThere, shortBack, dots)
}

// during returns the cycles of a worm's use of positions from to to-1, in which it
// gets on by hop with every position; none if it is not there.
func during(r *rect, from, to int32, hop router.Cycle) span {
	from, to = max(from, r.x1), min(to, r.x2)
	if from >= to {
		return nothing
	}
	first, last := router.Cycle(from)*hop, router.Cycle(to-1)*hop
	return span{r.from + min(first, last), r.to + max(first, last)}
}

// nothing is the span without cycles.
var nothing = span{math.MaxInt64, math.MinInt64}

func (s span) join(other span) span { return span{min(s.from, other.from), max(s.to, other.to)} }

// hull returns the cycles from the first to the last use.
func hull(list []rect, from, to int32, hop router.Cycle) span {
	all := nothing
	for i := range list {
		all = all.join(during(&list[i], from, to, hop))
	}
	return all
}

// keep returns the rectangles of a list that use some of the positions in cycles of a span, and
// may do so at one of the times of other lists.
func (m *meeting) keep(list []rect, from, to int32, hop router.Cycle, in span, one, other *times) []rect {
	kept, _ := m.split(list, func(r *rect) bool {
		s := during(r, from, to, hop)
		return s.from < in.to && in.from < s.to && s.from < m.limit && (one.meet(s) || other.meet(s))
	}, false)
	return kept
}

// split returns the rectangles of a list for which so is true, and, if wanted, the others. It
// copies them, in their order, unless it returns the whole list.
func (m *meeting) split(list []rect, so func(r *rect) bool, others bool) (yes, no []rect) {
	count := 0
	for i := range list {
		if so(&list[i]) {
			count++
		}
	}
	if count == len(list) {
		return list, nil
	}
	if count == 0 {
		return nil, list
	}
	yes, no = m.room(count), nil
	if others {
		no = m.room(len(list) - count)
	}
	for i := range list {
		if so(&list[i]) {
			yes = append(yes, list[i])
		} else if others {
			no = append(no, list[i])
		}
	}
	return yes, no
}

// room returns room for n on the stack.
func (m *meeting) room(n int) []rect {
	start := len(m.stack)
	m.stack = slices.Grow(m.stack, n)[:start+n]
	return m.stack[start : start : start+n]
}

// match finds the rectangles of a sorted list that others meet. All rectangles of the list
// span the positions. In the list's frame the others move on by drift with every position.
func (m *meeting) match(long, others []rect, from, to int32, drift router.Cycle) bool {
	if len(long) == 0 || len(others) == 0 {
		return true
	}
	m.latest = m.latest[:0]
	end := noEnd
	for i := range long {
		end = max(end, long[i].to)
		m.latest = append(m.latest, end)
	}
	for i := range others {
		o := &others[i]
		in := during(o, from, to, drift)
		first := sort.Search(len(long), func(k int) bool { return m.latest[k] > in.from })
		for k := first; k < len(long) && long[k].from < in.to; k++ {
			if long[k].to <= in.from {
				continue
			}
			if m.soonest(&long[k], o, drift) >= m.limit {
				break // those behind meet it later still
			}
			if !m.pair(&long[k], o, max(from, o.x1), min(to, o.x2), drift) {
				return false
			}
		}
	}
	return true
}

// soonest returns a cycle before which two do not meet.
func (m *meeting) soonest(long, other *rect, drift router.Cycle) router.Cycle {
	if drift == 0 {
		return long.from + router.Cycle(other.x1)*m.hop
	}
	return floorDivide(long.from+other.from, 2)
}

// pair hands on the first cycle in which two meet at positions from to to-1, if
// they do. The first one spans these; in its frame the other gets on by drift.
func (m *meeting) pair(long, other *rect, from, to int32, drift router.Cycle) bool {
	if drift == 0 {
		if cycle := max(long.from, other.from) + router.Cycle(from)*m.hop; cycle < m.limit {
			return m.yield(m, long, other, cycle, from)
		}
		return true
	}
	there, back := long, other
	if drift > 0 {
		there, back = other, long
	}
	// At x the uses begin in cycles there.from + h·x and back.from - h·x.
	twice := 2 * m.hop
	first := max(router.Cycle(from), floorDivide(back.from-there.to, twice)+1)
	last := min(router.Cycle(to-1), floorDivide(back.to-there.from-1, twice))
	if first > last {
		return true // they pass each other on the two links between neighbours
	}
	even := floorDivide(back.from-there.from, twice) // about there both begin at once
	for _, x := range [2]router.Cycle{min(max(even, first), last), min(max(even+1, first), last)} {
		cycle := max(there.from+x*m.hop, back.from-x*m.hop)
		if cycle < m.limit && !m.yield(m, long, other, cycle, int32(x)) {
			return false
		}
	}
	return true
}

func floorDivide(a, b router.Cycle) router.Cycle {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}
