// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// mostAxes is the number of dimensions of the largest grids that type abreast knows.
const mostAxes = 3

// leg is the route of a worm along a straight section. Its nodes are neighbours along an axis.
//
//	sending     o==>o==>o==>o        four nodes, three links: the first three nodes send,
//	receiving       o==>o==>o==>o    the last three receive
type leg struct {
	box
	from router.Cycle // when the first node sends, and the second one receives; each next one does a hop later
	span router.Cycle // for how long a node does
	row  int32
	axis uint8
	back bool // coordinates fall
	goes bool // to a node beyond the last one, where a ring closes: the last one sends, too
	ends bool // at the node where a ring closes: there is only a receiver
}

// box is what nodes a leg uses, and until when.
type box struct {
	until     router.Cycle // the last node is free again
	low, high [mostAxes]int32
}

// apart reports whether two boxes have no node in common.
func (b *box) apart(other *box) bool {
	apart := int32(0)
	for d := range mostAxes {
		apart |= (b.high[d] - other.low[d]) | (other.high[d] - b.low[d])
	}
	return apart < 0
}

// abreast counts the pairs of messages that collide at the nodes of a grid whose nodes have one port. It compares
// every leg with those that are under way when it begins. So the time depends on how many messages are
// under way at the same time, but not on how far they go.
type abreast struct {
	p       *plan
	longest router.Cycle // from the dispatch of a message to the end of its last use
}

// countAbreast tells a collector, which only counts, of all pairs, up to its limit. False: this takes too long, or cannot be done; then the
// collector may know some of the pairs.
func (p *plan) countAbreast(e effort, c *collector, rules []rule) bool {
	if p.m.Ports != machine.SinglePort || !p.t.IsGrid() || len(p.axes) > mostAxes {
		return false
	}
	a := &abreast{p: p}
	begin := a.cut()
	if !e.count(begin, c, func(to *collector) func(int) bool {
		w := &abreastCounter{abreast: a, to: to}
		return func(part int) bool { return w.count(int(begin[part]), int(begin[part+1])) }
	}) && !c.more {
		return false
	}
	p.tellStartups(c)
	for i := range rules {
		if rules[i].implied || rules[i].nodes {
			continue
		}
		for _, set := range rules[i].sets() {
			set.find(e, c)
		}
	}
	return true
}

// cut cuts the order of dispatch into parts that take longer than a message.
func (a *abreast) cut() []int32 {
	p, rows := a.p, len(a.p.rows)
	for i := range rows {
		a.longest = max(a.longest, p.arrival(i)+p.span(int32(i))-p.rows[i].dispatch)
	}
	const fewest = 1 << 14
	parts := max(1, min(router.Cycle(rows/fewest), (p.rows[rows-1].dispatch-p.rows[0].dispatch)/(2*a.longest)))
	if a.p.windows > 0 {
		parts = router.Cycle(a.p.windows)
	}
	begin := make([]int32, parts+1)
	for i := range begin {
		begin[i] = int32(rows * i / int(parts))
	}
	return begin
}

// abreastCounter counts the pairs in some of the parts.
type abreastCounter struct {
	*abreast
	to     *collector
	legs   []leg
	active []int32 // legs that may not have ended
	boxes  []box   // of these
	sort   sorter
}

// mostCompared bounds the comparisons, by links that heads cross: as long as these take no longer than to follow the heads.
const mostCompared = 4

// count compares the legs that begin when the rows from the first-th on up to before the end-th are dispatched. It reports whether
// there is reason to look at others.
func (n *abreastCounter) count(first, end int) bool {
	left := mostCompared * n.collect(first, end)
	order := n.sort.sort(len(n.legs), func(i int) uint64 { return uint64(n.legs[i].from) })
	since := n.p.rows[first].dispatch
	n.active, n.boxes = n.active[:0], n.boxes[:0]
	for _, i := range order {
		l := &n.legs[i]
		for k := 0; k < len(n.boxes); k++ {
			other := &n.boxes[k]
			if other.until <= l.from {
				last := len(n.boxes) - 1
				n.boxes[k], n.active[k] = n.boxes[last], n.active[last]
				n.boxes, n.active = n.boxes[:last], n.active[:last]
				k--
				continue
			}
			if !other.apart(&l.box) && l.from >= since && l.meets(&n.legs[n.active[k]], n.p.hop) {
				n.to.add(found{cycle: l.from}, n.legs[n.active[k]].row, l.row)
			}
		}
		n.active, n.boxes = append(n.active, i), append(n.boxes, l.box)
		if left -= int64(len(n.active)); left < 0 {
			return false
		}
	}
	return !n.to.more
}

// collect gathers the legs that begin while the rows are dispatched, and those before that may still be
// under way. It returns the links that their heads cross, and some.
func (n *abreastCounter) collect(first, end int) (links int64) {
	n.legs = n.legs[:0]
	p, rows := n.p, n.p.rows
	before, until := rows[first].dispatch-n.longest, router.Cycle(math.MaxInt64)
	if end < len(rows) {
		until = rows[end].dispatch
	}
	from := sort.Search(len(rows), func(i int) bool { return rows[i].dispatch >= before })
	to := sort.Search(len(rows), func(i int) bool { return rows[i].dispatch >= until })
	for k := p.begin[from]; k < p.begin[to]; k++ {
		if part := &p.pieces[k]; part.at < until {
			n.legs = p.appendLegs(n.legs, part)
			links += int64(part.last-part.first) + mostCompared
		}
	}
	return links
}

// appendLegs appends the leg of a piece. Where a ring closes, the last node is far from the others, and its leg another one.
func (p *plan) appendLegs(list []leg, part *piece) []leg {
	l := p.lines
	first := l.tail[part.first]
	last := l.head[part.last-1]
	if !l.closed || last != l.tail[l.start[l.line[part.first]]] {
		return append(list, p.legOf(part, first, last))
	}
	most, end := p.legOf(part, first, l.tail[part.last-1]), p.legOf(part, last, last)
	way := router.Cycle(part.last-part.first-1) * p.hop
	most.goes, end.ends = true, true
	end.from, end.until = end.from+way, end.until+way
	return append(list, most, end)
}

// legOf returns the leg of a piece over neighbours, from node a to node b.
func (p *plan) legOf(part *piece, a, b router.NodeID) leg {
	l := leg{from: part.at, span: p.spanOf(part), row: part.row}
	l.until = l.from + l.span
	for d := range p.lines.grid {
		g := &p.lines.grid[d]
		low, high := int32(g.coordinate(a)), int32(g.coordinate(b))
		if low != high {
			l.axis, l.back = uint8(d), low > high
			low, high = min(low, high), max(low, high)
			l.until += router.Cycle(high-low) * p.hop
		}
		l.low[d], l.high[d] = low, high
	}
	return l
}

// meets reports whether two legs use a half of a node at the same time.
func (l *leg) meets(other *leg, hop router.Cycle) bool {
	for _, h := range []half{sending, receiving} {
		if a, ok := l.of(h); ok {
			if b, ok := other.of(h); ok && !a.apart(&b.box) && a.overlaps(&b, hop) {
				return true
			}
		}
	}
	return false
}

// of returns the part of a leg whose nodes use a half; false when there is none. It begins with the use of the first of its nodes.
func (l *leg) of(h half) (leg, bool) {
	part := *l
	first, last := &part.low[l.axis], &part.high[l.axis] // where to cut off a node
	switch {
	case h == sending && (l.goes || l.ends):
		return part, l.goes
	case l.ends:
		return part, true
	case (h == sending) == l.back:
		*first++
	default:
		*last--
	}
	return part, *first <= *last
}

// overlaps reports whether two parts of legs, which have nodes in common, use one at the same time.
func (l *leg) overlaps(other *leg, hop router.Cycle) bool {
	first, last := max(l.low[l.axis], other.low[l.axis]), min(l.high[l.axis], other.high[l.axis])
	apart := l.at(first, hop) - other.at(max(l.low[other.axis], other.low[other.axis]), hop)
	if l.axis != other.axis || l.back == other.back {
		return -l.span < apart && apart < other.span
	}
	// They go towards each other: from node to node they are two hops further apart, or closer.
	low, high := apart, apart+2*hop*router.Cycle(last-first)
	if l.back {
		low, high = apart-2*hop*router.Cycle(last-first), apart
	}
	if low <= -l.span {
		low += 2 * hop * ((-l.span-low)/(2*hop) + 1)
	}
	return low < other.span && low <= high
}

// at returns when a leg uses the node at a coordinate.
func (l *leg) at(x int32, hop router.Cycle) router.Cycle {
	if l.back {
		return l.from + hop*router.Cycle(l.high[l.axis]-x)
	}
	return l.from + hop*router.Cycle(x-l.low[l.axis])
}
