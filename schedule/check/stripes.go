// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/bits"
	"slices"

	"meshwright/router"
)

// stripes cut the uses of lines by time, in the frame t - h·x, so that those at hand fit into a core's caches and all
// cores have work on a single line. A use that reaches from one stripe into the next is in both.
type stripes struct {
	p     *plan
	low   router.Cycle // when the first stripe of every line begins
	first []int32      // by line: its first stripe
	shift []uint8      // by line: its stripes are of 1<<shift cycles, at least the longest use
	begin []int32      // pieces of stripe i: of[begin[i]:begin[i+1]], rising
	of    []int32
}

func (p *plan) newStripes() *stripes {
	s := &stripes{p: p, first: make([]int32, len(p.lines.rings)+1), shift: make([]uint8, len(p.lines.rings))}
	uses, longest, all := p.extent()
	s.low = all.from
	length := uint64(all.to - all.from)
	for line := range s.shift {
		width := max(uint64(longest), length/uint64(uses[line]/int64(p.stripe)+1))
		s.shift[line] = uint8(bits.Len64(width))
		s.first[line+1] = s.first[line] + int32(length>>s.shift[line]) + 1
	}
	s.begin, s.of = group(int(s.first[len(s.shift)]), len(p.pieces), s.each)
	return s
}

// extent returns how many pieces are on every line, the longest use, and when the rectangles are.
func (p *plan) extent() (uses []int64, longest router.Cycle, all span) {
	parts := partsOf(len(p.pieces))
	counts, lengths, spans := make([][]int64, parts), make([]router.Cycle, parts), slices.Repeat([]span{nothing}, parts)
	inParts(len(p.pieces), parts, func(k, from, to int) {
		count, longest, all := make([]int64, len(p.lines.rings)), router.Cycle(1), nothing
		for i := from; i < to; i++ {
			part := &p.pieces[i]
			from, long := p.start(part), p.spanOf(part)
			all, longest = all.join(span{from, from + long}), max(longest, long)
			count[p.lines.line[part.first]]++
		}
		counts[k], lengths[k], spans[k] = count, longest, all
	})
	uses, all = counts[0], spans[0]
	for k := 1; k < parts; k++ {
		all = all.join(spans[k])
		for line, count := range counts[k] {
			uses[line] += count
		}
	}
	return uses, slices.Max(lengths), all
}

// stripes returns the plan's stripes, which are worked out once.
func (p *plan) stripes() *stripes {
	if p.cut == nil {
		p.cut = p.newStripes()
	}
	return p.cut
}

// start returns when a piece's rectangle begins.
func (p *plan) start(part *piece) router.Cycle { return part.at - router.Cycle(part.first)*p.hop }

// each calls yield for every stripe of some of the pieces.
func (s *stripes) each(first, end int, yield func(stripe, part int32)) {
	for i := first; i < end; i++ {
		part := &s.p.pieces[i]
		line, from := s.p.lines.line[part.first], uint64(s.p.start(part)-s.low)
		shift := s.shift[line]
		last := (from + uint64(s.p.spanOf(part)) - 1) >> shift
		for k := from >> shift; k <= last; k++ {
			yield(s.first[line]+int32(k), int32(i))
		}
	}
}

// cycles returns the cycles of a stripe that has uses.
func (s *stripes) cycles(stripe int) span {
	line := s.p.lines.line[s.p.pieces[s.of[s.begin[stripe]]].first]
	from := s.low + router.Cycle(stripe-int(s.first[line]))<<s.shift[line]
	return span{from, from + 1<<s.shift[line]}
}

// rects appends the uses of a stripe.
func (s *stripes) rects(list []rect, stripe int) []rect {
	uses := s.of[s.begin[stripe]:s.begin[stripe+1]]
	list = slices.Grow(list, len(uses))
	for _, use := range uses {
		part := &s.p.pieces[use]
		list = append(list, s.p.rectOf(part, part.first, part.last))
	}
	return list
}

// mostAbreast is the number of uses of a line at the same time that are compared one by one. Where there are more, type
// sweep is faster.
const mostAbreast = 256

// count tells a collector, which only counts, of all pairs that collide on links, up to its limit. False: too many uses are
// abreast; then the collector may know some of the pairs only.
func (s *stripes) count(e effort, c *collector) bool {
	return e.count(s.begin, c, func(to *collector) func(int) bool {
		return (&stripeCounter{stripes: s, to: to}).count
	}) || c.more
}

// estimate returns about how many pairs collide on links, from a sample of the stripes.
func (s *stripes) estimate(e effort) int {
	const step = 16
	n := &stripeCounter{stripes: s, to: newCounter(s.p.rows)}
	for stripe := 0; stripe < len(s.begin)-1 && e.ctx.Err() == nil && n.count(stripe); stripe += step {
	}
	return len(n.to.tally) * step
}

// stripeCounter counts the pairs that collide in some of the stripes.
type stripeCounter struct {
	*stripes
	to     *collector
	list   []rect
	sort   sorter
	active []int32 // uses that have not ended
}

// count compares each use of a stripe with those that began before it and have not ended. It reports
// whether there is reason to look at other stripes.
func (n *stripeCounter) count(stripe int) bool {
	n.list = n.rects(n.list[:0], stripe)
	list := n.sort.byStart(n.list)
	n.active = n.active[:0]
	for i := range list {
		r := &list[i]
		kept := n.active[:0]
		for _, k := range n.active {
			other := &list[k]
			if other.to <= r.from {
				continue
			}
			kept = append(kept, k)
			if other.x1 < r.x2 && r.x1 < other.x2 {
				n.to.add(found{cycle: r.from}, other.row, r.row)
			}
		}
		if n.active = append(kept, int32(i)); len(n.active) > mostAbreast {
			return false
		}
	}
	return !n.to.more
}
