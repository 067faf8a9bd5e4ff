// SPDX-License-Identifier: Apache-2.0

package sat

import (
	"math"
	"slices"
)

// Many searches may have most of their clauses in common: those before a mark. Behind it each search adds variables and clauses of its
// own, and Rewind removes them. What was learnt of the variables before the mark stays. So the clauses that a search adds must not
// say anything of the variables before the mark, such as clauses that only define the new ones, or that hold under a new variable only.

// mark is where the clauses of one search begin.
type mark struct {
	memory    ref
	variables int
	noted     []bool // by literal: it is in list
	list      []lit  // that clauses behind the mark look at
}

// never is the mark that no clause is behind.
const never = ref(math.MaxInt32)

// note notes that a clause looks at a literal.
func (m *mark) note(l lit, c ref) {
	if c >= m.memory && !m.noted[l] {
		m.noted[l] = true
		m.list = append(m.list, l)
	}
}

// Mark puts the mark behind all clauses and variables that there are.
func (s *Solver) Mark() {
	s.mark = mark{memory: ref(len(s.memory)), variables: len(s.level) - 1, noted: make([]bool, len(s.value))}
}

// Grow adds variables until there are so many. A search decides them first: the others are most of the time those of other searches.
func (s *Solver) Grow(variables int) {
	for v := len(s.level); v <= variables; v++ {
		s.value = append(s.value, 0, 0)
		s.level, s.reason = append(s.level, 0), append(s.reason, 0)
		s.phase, s.seen = append(s.phase, false), append(s.seen, false)
		s.activity, s.order.at = append(s.activity, s.bump), append(s.order.at, -1)
		s.order.activity = s.activity
		for range 2 {
			if s.mark.noted != nil {
				s.mark.noted = append(s.mark.noted, false)
			}
			if n := len(s.watches); n < cap(s.watches) {
				s.watches = s.watches[:n+1]
				s.watches[n] = s.watches[n][:0]
			} else {
				s.watches = append(s.watches, nil)
			}
		}
		s.order.push(int32(v))
	}
}

// Rewind removes what was added behind the mark.
func (s *Solver) Rewind() {
	n := s.mark.variables + 1
	move := s.sweep(s.mark.memory, func(c ref) bool {
		return s.memory[c]&1 == 1 && !slices.ContainsFunc(s.literals(c), func(l lit) bool { return int(l>>1) >= n })
	})
	list := s.mark.list
	s.mark.list = s.mark.list[:0]
	for _, l := range list {
		s.mark.noted[l] = false
		if int(l>>1) >= n {
			continue
		}
		if s.watches[l] = move.watches(s.watches[l]); slices.ContainsFunc(s.watches[l], func(w watch) bool { return w.clause >= s.mark.memory }) {
			s.mark.note(l, s.mark.memory)
		}
	}
	s.trail = slices.DeleteFunc(s.trail, func(l lit) bool { return int(l>>1) >= n })
	s.head = len(s.trail)
	for v := n; v < len(s.level); v++ {
		s.order.remove(int32(v))
	}
	s.value, s.watches, s.mark.noted = s.value[:2*n], s.watches[:2*n], s.mark.noted[:2*n]
	s.level, s.reason, s.phase, s.seen = s.level[:n], s.reason[:n], s.phase[:n], s.seen[:n]
	s.activity, s.order.at = s.activity[:n], s.order.at[:n]
	s.order.activity = s.activity
}

// move is where clauses behind a place are after a sweep.
type move struct {
	from ref
	to   []ref // 0: nowhere
}

// sweep removes the clauses from a place on that are not kept, and closes the gaps. No decision is open. The caller moves the watches.
func (s *Solver) sweep(from ref, keep func(c ref) bool) *move {
	for _, l := range s.trail {
		s.reason[l>>1] = 0 // nobody asks why a literal is true in all cases
	}
	m := &move{from: from, to: make([]ref, len(s.memory)-int(from))}
	to := from
	for c := from; int(c) < len(s.memory); {
		size := header + ref(s.memory[c]>>1)
		if keep(c) {
			m.to[c-from] = to
			copy(s.memory[to:], s.memory[c:c+size])
			to += size
		}
		c += size
	}
	s.memory = s.memory[:to]
	s.learnt = slices.DeleteFunc(s.learnt, func(c ref) bool { return c >= from && m.to[c-from] == 0 })
	for i, c := range s.learnt {
		if c >= from {
			s.learnt[i] = m.to[c-from]
		}
	}
	return m
}

// watches moves watches, and removes those of clauses that are gone.
func (m *move) watches(list []watch) []watch {
	kept := list[:0]
	for _, w := range list {
		if w.clause >= m.from {
			if w.clause = m.to[w.clause-m.from]; w.clause == 0 {
				continue
			}
		}
		kept = append(kept, w)
	}
	return kept
}
