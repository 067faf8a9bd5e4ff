// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"slices"

	"meshwright/router"
)

// use is what a message of an allreduce is good for.
type use struct {
	add                 bool         // or a sum that takes the place of a part of it
	from, after, before router.Cycle // the sender has the words from this cycle on; it must be whole behind that one, and handed over before the last one
	giver               int32        // the message that brought the last of the words
}

// add books a message of an allreduce. One without use is left out.
func (t *timer) add(m message) bool {
	words, way := t.words(&m), t.Route(m.from, m.to)
	until := t.model.UntilWhole(len(way), words)
	for ; m.skip >= 0; m.skip-- {
		x, ok := t.use(&m)
		if !ok {
			return true
		}
		t.work += len(way) + 4
		at := t.book.Earliest(router.NodeID(m.from), way, words, max(x.from, x.after+1-until))
		if at >= x.before { // the next sum is there by then
			continue
		}
		handed, whole := t.book.Reserve(router.NodeID(m.from), way, words, at)
		t.store(&m, &x, handed, whole)
		return t.enter(booked{message: m, handed: handed, whole: whole, add: x.add, giver: x.giver})
	}
	return true
}

// carried is which sum of a node a message brings.
func (m *message) carried(s *state) int { return max(0, len(s.sums)-1-int(m.skip)) }

// use looks up what a message is good for; ok is false if for nothing, or if its pieces are good for different things.
func (t *timer) use(m *message) (x use, ok bool) {
	x = use{before: never, after: -1, giver: none}
	for i, p := range m.pieces {
		s, r := t.at(m.from, p), t.at(m.to, p)
		k := m.carried(s)
		a, b := &s.sums[k], &r.sums[len(r.sums)-1]
		add := a.of&b.of == 0
		if !add && (a.of == b.of || a.of&b.of != b.of) || i > 0 && add != x.add {
			return x, false
		}
		x.add = add
		if a.at > x.from {
			x.from, x.giver = a.at, a.giver
		}
		if k+1 < len(s.sums) {
			x.before = min(x.before, s.sums[k+1].at)
		}
		x.after = max(x.after, r.sent) // what was sent must not have these words
		if add {
			x.after = max(x.after, r.put) // sums may come in any order, but not before one that would take their place
		} else {
			x.after = max(x.after, b.at)
		}
	}
	return x, true
}

// store changes the sums of both ends of a message that is entered next.
func (t *timer) store(m *message, x *use, handed, whole router.Cycle) {
	for _, p := range m.pieces {
		s, r := t.at(m.from, p), t.at(m.to, p)
		s.sent = max(s.sent, handed)
		of, k := s.sums[m.carried(s)].of, len(r.sums)
		for ; r.sums[k-1].at > whole; k-- { // it is added before messages that come first in the list
			r.sums[k-1].of |= of
		}
		r.sums = slices.Insert(r.sums, k, sum{r.sums[k-1].of | of, whole, int32(len(t.booked))})
		if !x.add {
			r.put = whole
		}
	}
}
