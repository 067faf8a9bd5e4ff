// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"

	"meshwright/router"
)

// crossings is the uses of nodes on paths and chains of trees through which worms
// pass straight both ways. Each such node is on a line and on the opposite one;
// its position is its slot of the first.
type crossings struct {
	u     *portUses
	from  []int32 // by pair of lines: the first such position, and the one after the last
	to    []int32
	begin []int32 // uses at pair i: of[begin[i]:begin[i+1]]
	of    []int32 // a piece, or for its corner the piece's complement
	sort  *sorter
}

func newCrossings(u *portUses, sort *sorter) *crossings {
	pairs := len(u.p.lines.rings) / 2
	c := &crossings{u: u, from: make([]int32, pairs), to: make([]int32, pairs), sort: sort}
	for _, owner := range u.owner {
		if x := position(owner); x >= 0 {
			pair := u.p.lines.line[x] / 2
			if c.to[pair] == 0 {
				c.from[pair] = x
			}
			c.from[pair], c.to[pair] = min(c.from[pair], x), max(c.to[pair], x+1)
		}
	}
	c.begin, c.of = group(pairs, len(u.p.pieces), c.each)
	return c
}

// each calls yield for every use by some of the pieces.
func (c *crossings) each(first, end int, yield func(pair, use int32)) {
	lines := c.u.p.lines
	for i := first; i < end; i++ {
		part := &c.u.p.pieces[i]
		own := lines.line[part.first] / 2
		if c.to[own] > 0 {
			yield(own, int32(i))
		}
		if slot, ok := c.u.corner(part); ok {
			if x := position(c.u.home[slot]); x >= 0 && lines.line[x]/2 != own {
				yield(lines.line[x]/2, ^int32(i))
			}
		}
	}
}

func (c *crossings) free(e effort) bool {
	return e.all(c.begin, func() func(int) bool {
		var lists [3][]rect
		sort := &sorter{}
		never := func(*meeting, *rect, *rect, router.Cycle, int32) bool { return false }
		m := &meeting{hop: c.u.p.hop, limit: math.MaxInt64, yield: never}
		return func(pair int) bool { return c.meet(m, &lists, pair, sort) }
	})
}

func (c *crossings) find(_ effort, to *collector) {
	var lists [3][]rect
	m := &meeting{hop: c.u.p.hop, limit: to.limit}
	m.yield = func(m *meeting, a, b *rect, cycle router.Cycle, x int32) bool {
		to.add(found{cycle, c.u.kind, place{c.u.nodes[x], -1}}, a.row, b.row)
		m.limit = to.limit
		return true
	}
	for pair := range c.from {
		c.meet(m, &lists, pair, c.sort)
	}
}

// meet looks for what meets on a pair of lines. It reports whether yield never returned false.
func (c *crossings) meet(m *meeting, lists *[3][]rect, pair int, sort *sorter) bool {
	if c.to[pair] == 0 {
		return true
	}
	c.fill(lists, pair, m.limit)
	return m.within(c.from[pair], c.to[pair], sort.byStart(lists[0]), sort.byStart(lists[1]), sort.byStart(lists[2]))
}

// fill finds the uses at a pair of lines that begin before the limit, as rectangles
// over positions: those by worms on the first line, in the frame t - h·x, by worms
// on the second, in the frame t + h·x, and at corners, in the frame t - h·x.
func (c *crossings) fill(lists *[3][]rect, pair int, limit router.Cycle) {
	p := c.u.p
	there, back, dots := lists[0][:0], lists[1][:0], lists[2][:0]
	second := p.lines.start[2*pair+1]
	sum := 2 * second // of a node's slots on both lines
	if c.u.half == receiving {
		sum -= 2
	}
	for _, use := range c.of[c.begin[pair]:c.begin[pair+1]] {
		if use < 0 {
			slot, _ := c.u.corner(&p.pieces[^use])
			r := c.u.at(&p.pieces[^use], slot)
			if r.from < limit {
				x := position(c.u.home[slot])
				shift := router.Cycle(x) * p.hop
				dots = append(dots, rect{from: r.from - shift, to: r.to - shift, x1: x, x2: x + 1, row: r.row})
			}
			continue
		}
		part := &p.pieces[use]
		switch {
		case part.at >= limit:
		case part.first < second:
			there = append(there, p.rectOf(part, part.first, part.last))
		default:
			from := part.at + router.Cycle(sum-part.first)*p.hop
			back = append(back, rect{from: from, to: from + p.spanOf(part), x1: sum - part.last + 1, x2: sum - part.first + 1, row: part.row})
		}
	}
	*lists = [3][]rect{there, back, dots}
}
