// SPDX-License-Identifier: Apache-2.0

package check

import "meshwright/router"

// seats looks for overlaps among the rectangles of lines, the rectangles of a line in the
// order in which they start. It keeps the rectangles that lie across the present as a set of
// disjoint ranges of slots. Rectangles that have ended leave when others need their slots, so
// nothing needs to be cleared between lines.
type seats struct {
	taken rankSet        // first slots of the ranges
	end   []int32        // by first slot: the slot after the last
	until []router.Cycle // by first slot: end of the rectangle
}

func newSeats(slots int) *seats {
	return &seats{taken: newRankSet(slots + 1), end: make([]int32, slots), until: make([]router.Cycle, slots)}
}

// all reports whether the rectangles of a line, in the order in which they start,
// are disjoint.
func (s *seats) all(list []rect) bool {
	for i := range list {
		if !s.take(&list[i]) {
			return false
		}
	}
	return true
}

// take adds a rectangle; false when it overlaps one that is there.
func (s *seats) take(r *rect) bool {
	for at := s.taken.before(r.x2); at >= 0 && s.end[at] > r.x1; at = s.taken.before(at) {
		if s.until[at] > r.from {
			return false
		}
		if at != r.x1 {
			s.taken.remove(at)
		}
	}
	s.taken.add(r.x1)
	s.end[r.x1], s.until[r.x1] = r.x2, r.to
	return true
}
