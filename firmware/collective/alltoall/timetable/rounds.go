// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"meshwright/router"
)

// period returns the least time, in cycles, from the start of one round of
// messages to that of the next, so that so many rounds do not collide: no two
// uses of a calendar may be a multiple of it apart.
func (s *space) period(t *Timetable, rounds int) router.Cycle {
	if rounds < 2 {
		return 0
	}
	busy := make([][]uint64, s.calendars)
	words, longest := int(t.Cycles)/64+2, router.Cycle(1)
	var list []use
	var links []int32
	for i := range t.ways {
		w := &t.ways[i]
		route := w.path
		if t.lattice != nil {
			_, route = t.lattice.walk(t.Topology, w.source, w.path)
		}
		links = s.linksOf(links[:0], w.source, route)
		list = s.uses(list[:0], w.start, t.Lengths[w.source]/t.Rounds, links)
		for _, u := range list {
			if busy[u.calendar] == nil {
				busy[u.calendar] = make([]uint64, words)
			}
			busy[u.calendar] = mark(busy[u.calendar], int(u.from), int(u.to))
			longest = max(longest, u.to-u.from)
		}
	}
	least := longest
	for _, c := range busy {
		least = max(least, router.Cycle(count(c)))
	}
	apart := differences(busy, int(t.Cycles+longest))
	for p := least; ; p++ {
		if !hits(apart, int(p), rounds) {
			return p
		}
	}
}

// hits reports whether one of the first multiples of p is in a set.
func hits(set []bool, p, rounds int) bool {
	for k := 1; k < rounds && k*p < len(set); k++ {
		if set[k*p] {
			return true
		}
	}
	return false
}

// differences says for every number below most whether two cycles of one of the
// calendars are so far apart.
func differences(busy [][]uint64, most int) []bool {
	apart := make([]bool, most)
	for d := range apart {
		apart[d] = d == 0 || anyShifted(busy, d)
	}
	return apart
}

func anyShifted(busy [][]uint64, d int) bool {
	for _, c := range busy {
		for w := d / 64; w < len(c); w++ {
			if c[w-d/64]&window(c, 64*(w-d/64)+d) != 0 {
				return true
			}
		}
	}
	return false
}
