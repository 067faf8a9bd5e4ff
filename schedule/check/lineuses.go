// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"slices"

	"meshwright/router"
)

// lineUses is the uses of lines under a rule: by the pieces on them, and at nodes
// that a line owns by the corners of other pieces. They are turned into
// rectangles when a line is looked at: all at once would take much memory.
type lineUses struct {
	p     *plan
	ports *portUses // nil for the rule link
	kind  router.Conflict
	place func(slot int32) place
	begin []int32 // uses on line i: of[begin[i]:begin[i+1]]
	of    []int32 // a piece, or for its corner the piece's complement; rising by piece
	sort  *sorter
}

// newLineUses sorts the uses by line.
func (p *plan) newLineUses(ports *portUses, kind router.Conflict, at func(slot int32) place, sort *sorter) *lineUses {
	l := &lineUses{p: p, ports: ports, kind: kind, place: at, sort: sort}
	l.begin, l.of = group(len(p.lines.rings), len(p.pieces), l.each)
	return l
}

// each calls yield for every use by some of the pieces.
func (l *lineUses) each(first, end int, yield func(line, use int32)) {
	for i := first; i < end; i++ {
		part := &l.p.pieces[i]
		if line := l.p.lines.line[part.first]; l.ports == nil || l.ports.looked(line) {
			yield(line, int32(i))
		}
		if l.ports == nil {
			continue
		}
		if _, owner, ok := l.ports.foreign(part); ok {
			yield(l.p.lines.line[owner], ^int32(i))
		}
	}
}

// rects appends the uses of a line that begin before the limit.
func (l *lineUses) rects(list []rect, line int, limit router.Cycle) []rect {
	uses := l.of[l.begin[line]:l.begin[line+1]]
	list = slices.Grow(list, len(uses))
	for _, use := range uses {
		if use >= 0 {
			if part := &l.p.pieces[use]; part.at < limit {
				list = append(list, l.p.rectOf(part, part.first, part.last))
			}
			continue
		}
		part := &l.p.pieces[^use]
		slot, owner, _ := l.ports.foreign(part)
		if r := l.ports.at(part, slot); r.from < limit {
			shift := router.Cycle(owner) * l.p.hop
			list = append(list, rect{from: r.from - shift, to: r.to - shift, x1: owner, x2: owner + 1, row: r.row})
		}
	}
	return list
}

func (l *lineUses) free(e effort) bool {
	return e.all(l.begin, func() func(int) bool {
		var list []rect
		seats, sort := newSeats(len(l.p.lines.line)), &sorter{}
		return func(line int) bool {
			list = l.rects(list[:0], line, math.MaxInt64)
			return seats.all(sort.byStart(list))
		}
	})
}

// find sweeps the lines that are not free, as many at a time as have a good
// number of uses.
func (l *lineUses) find(_ effort, c *collector) {
	const many = 1 << 16
	var line, list []rect
	seats := newSeats(len(l.p.lines.line))
	for i := range l.p.lines.rings {
		line = l.rects(line[:0], i, c.limit)
		if sorted := l.sort.byStart(line); !seats.all(sorted) {
			list = append(list, sorted...)
		}
		if len(list) >= many {
			l.p.newSweep(l.kind, l.place, list, l.sort).find(c)
			list = list[:0]
		}
	}
	l.p.newSweep(l.kind, l.place, list, l.sort).find(c)
}
