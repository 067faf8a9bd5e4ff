// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// lanes is how many pieces of a form differ.
func (f *form) lanes() int32 {
	a, b := len(f.trees), len(f.up())
	lanes := a
	for lanes%b != 0 {
		lanes += a
	}
	return int32(lanes)
}

// periodic books one piece for each tree of a form, as long as the longest; nil if all pieces take more than limit cycles.
func (n *timer) periodic(f *form, limit router.Cycle) *schedule {
	lanes := min(f.lanes(), int32(f.parts))
	rounds := (f.parts + int(lanes) - 1) / int(lanes)
	words := (n.words + f.parts - 1) / f.parts
	longer := n.model.Work(words) - n.model.Work(0)
	period, mean := n.rotas.load(f, lanes, longer)
	if period += period * router.Cycle(f.slack) / slacks; rounds == 1 {
		period = never // nothing repeats
	}
	more := router.Cycle(rounds-1) * period
	if more >= limit {
		return nil
	}
	n.rotas.clear(period)
	one := *f
	one.parts = int(lanes)
	j := &joint{timer: n, form: &one}
	j.begin()
	for len(j.later) > 0 {
		x := j.later.Pop()
		handed, ok := n.rotas.reserve(x.from, x.to, longer, x.at)
		if !ok {
			return nil
		}
		whole := handed + n.model.UntilWhole(n.Links(x.from, x.to), words)
		if whole+more >= limit {
			return nil
		}
		j.booked(x.errand, handed, whole)
	}
	s := j.measure()
	s.period = period
	s.cycles += more
	s.mean += 2 * float64(rounds-1) * mean
	return s
}

// repeating lists the same forms with pieces that repeat the first ones, those with several pieces.
func (n *network) repeating(list []*found) (periodic []*found) {
	if n.nodes == 1 { // no messages, and no period
		return nil
	}
	timer := newTimer(n)
	for _, x := range list {
		var best *found
		limit := never
		for slack := 0; slack <= slacks && x.form.parts > 1 && n.Search.Err() == nil; slack += 2 {
			f := *x.form
			f.periodic, f.slack = true, slack
			if made := timer.schedule(&f, limit); made != nil {
				best, limit = &found{&f, made}, made.cycles
			}
		}
		if best != nil {
			periodic = append(periodic, best)
		}
	}
	return periodic
}

// repeated is a form with the messages of all its pieces, of which those that differ are booked: in their turns, or each as early as it can go, or booked anew, whichever is fastest.
func (n *timer) repeated(x *found) *found {
	best := n.inTurn(x)
	if earlier := n.earlier(best.form, best.made); earlier.cycles < best.made.cycles {
		best = &found{best.form, earlier}
	}
	if flows := n.faster(*best.form, best.made.cycles); flows != nil {
		best = flows
	}
	return best
}

// inTurn lets each piece do what the one before it did, a period later.
func (n *timer) inTurn(x *found) *found {
	f := *x.form
	f.periodic = false
	s, lanes := &schedule{}, min(f.lanes(), int32(f.parts))
	for i, m := range x.made.messages {
		for ; m.piece < int32(f.parts); m.piece, m.handed = m.piece+lanes, m.handed+x.made.period {
			r := n.piece(m.piece, f.parts)
			m.whole = m.handed + n.model.UntilWhole(n.Links(m.from, m.to), r.To-r.From)
			s.cycles = max(s.cycles, m.whole+1)
			s.messages = append(s.messages, m)
		}
		if i == x.made.sums-1 {
			s.sums = len(s.messages)
		}
	}
	return &found{&f, s}
}

// earlier books the messages of a schedule in the same order, each as early as it can go.
func (n *timer) earlier(f *form, s *schedule) *schedule {
	own := &schedule{messages: slices.Clone(s.messages), sums: s.sums}
	order := make([]int, len(own.messages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.messages[a].handed, s.messages[b].handed) })
	n.forwards.Clear()
	ready := make([]router.Cycle, n.nodes*f.parts)
	for _, i := range order {
		m := &own.messages[i]
		r := n.piece(m.piece, f.parts)
		m.handed, m.whole = n.forwards.Reserve(router.NodeID(m.from), n.Route(m.from, m.to), r.To-r.From, ready[int(m.from)*f.parts+int(m.piece)])
		has := &ready[int(m.to)*f.parts+int(m.piece)]
		*has = max(*has, m.whole)
		own.cycles = max(own.cycles, m.whole+1)
	}
	return own
}
