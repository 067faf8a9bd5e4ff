// SPDX-License-Identifier: Apache-2.0

package staggered

import "meshwright/router"

// lookEvery is the number of messages after which a search looks whether it is over.
const lookEvery = 1 << 10

// ordered books the messages of a pattern in order, each at the earliest cycle in which nothing is in its way: also before messages that are booked already. First those of the first part go, then those of the
// second … With a lead of 1 a part is summed up before the part before it goes out. The result is nil if the schedule is not faster than the best.
func (s *search) ordered(p *pattern, parts, lead int) *schedule {
	made := s.newSchedule(p, parts)
	s.book.Clear()
	for i := range parts + lead {
		if i < parts && !s.inOrder(made, i, 0, p.sums) || i >= lead && !s.inOrder(made, i-lead, p.sums, len(p.messages)) {
			return nil
		}
	}
	return made
}

// inOrder books some messages of a part. It reports whether the schedule may still be the best.
func (s *search) inOrder(made *schedule, part, first, end int) bool {
	count := len(made.messages)
	times, words := made.times[part*count:][:count], made.words[part*count:][:count]
	for k := first; k < end; k++ {
		m, from := &made.messages[k], router.Cycle(0)
		for _, before := range m.after {
			from = max(from, times[before].whole)
		}
		times[k] = booked{from, from}
		if words[k] > 0 {
			times[k].handed, times[k].whole = s.book.Reserve(router.NodeID(m.from), s.Route(m.from, m.to), int(words[k]), from)
			made.cycles = max(made.cycles, times[k].whole+1)
		}
		if made.cycles >= s.limit() || k%lookEvery == 0 && s.over() {
			return false
		}
	}
	return true
}
