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

// leg is the uses of one half of the nodes of a straight section: of its first node from cycle from on, of each
// next one a hop later. The nodes are neighbours along an axis.
//
//	sending     o==>o==>o==>o        four nodes, three links: the first three nodes send,
//	receiving       o==>o==>o==>o    the last three receive
type leg struct {
	from, until router.Cycle // until: when the last of the nodes is free again
	span        router.Cycle // of the use of one node
	low, high   [mostAxes]int32
	row         int32
	axis        uint8
	back        bool // coordinates fall
	half        half
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
	active [2][]int32 // by half: legs that have not ended
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
	n.active[sending], n.active[receiving] = n.active[sending][:0], n.active[receiving][:0]
	for _, it := range order {
		l := &n.legs[it.of]
		kept := n.active[l.half][:0]
		for _, k := range n.active[l.half] {
			other := &n.legs[k]
			if other.until <= l.from {
				continue
			}
			kept = append(kept, k)
			if l.from >= since && l.meets(other, n.p.hop) {
				n.to.add(found{cycle: l.from}, other.row, l.row)
			}
		}
		n.active[l.half] = append(kept, it.of)
		if left -= int64(len(kept)); left < 0 {
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

// appendLegs appends the legs of a piece: two, and one for the last node where a ring closes.
func (p *plan) appendLegs(list []leg, part *piece) []leg {
	l, last := p.lines, part.last-1
	list = append(list, p.legOf(part, sending, part.first, l.tail[part.first], l.tail[last]))
	if first := l.tail[l.start[l.line[last]]]; l.closed && l.head[last] == first {
		list = append(list, p.legOf(part, receiving, last, first, first))
		if last--; last < part.first {
			return list
		}
	}
	return append(list, p.legOf(part, receiving, part.first, l.head[part.first], l.head[last]))
}

// legOf returns the leg over neighbours from node a, which uses a slot's link, to node b.
func (p *plan) legOf(part *piece, h half, slot int32, a, b router.NodeID) leg {
	from := part.at + router.Cycle(slot-part.first)*p.hop
	l := leg{from: from, span: p.spanOf(part), row: part.row, half: h}
	nodes := router.Cycle(0)
	for d, axis := range p.axes {
		low, high := int32(axis.Coordinate(a)), int32(axis.Coordinate(b))
		if low != high {
			l.axis, l.back = uint8(d), low > high
			low, high = min(low, high), max(low, high)
			nodes = router.Cycle(high - low)
		}
		l.low[d], l.high[d] = low, high
	}
	l.until = from + nodes*p.hop + l.span
	return l
}

// meets reports whether two legs use a node at the same time.
func (l *leg) meets(other *leg, hop router.Cycle) bool {
	for d := range mostAxes {
		if l.high[d] < other.low[d] || other.high[d] < l.low[d] {
			return false
		}
	}
	first, last := max(l.low[l.axis], other.low[l.axis]), min(l.high[l.axis], other.high[l.axis])
	apart := l.at(other, hop) - other.at(l, hop)
	if l.axis != other.axis || l.back == other.back || first == last {
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

// at returns when a leg uses the first node that it has in common with another one, by its axis.
func (l *leg) at(other *leg, hop router.Cycle) router.Cycle {
	x := max(l.low[l.axis], other.low[l.axis])
	if l.back {
		return l.from + hop*router.Cycle(l.high[l.axis]-x)
	}
	return l.from + hop*router.Cycle(x-l.low[l.axis])
}
