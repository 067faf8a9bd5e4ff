// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"cmp"
	"math"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// rotas say what is busy in one period of a schedule that repeats: every piece does the same as the one before it, a period later.
//
//	period 10    piece 0  0>1 in cycle 0    1>2 in cycle 6
//	             piece 1      in cycle 10       in cycle 16
//
// So only the messages of one piece, or of one for each tree, are booked, and many more forms are tried than with all pieces.
type rotas struct {
	*network
	book   *booking.Book
	number map[*booking.Calendar]int32
	uses   [][]use // by pair, of a message without words
	busy   [][]span
	loads  []router.Cycle // by number, of one period
	room   []router.Cycle // for gaps
	period router.Cycle
}

// use is that of rotas by their numbers, see booking.Use.
type use struct {
	rota, enters int32
	at, long     router.Cycle
}

// span is part of a period, from a cycle below the period on.
type span struct{ from, long router.Cycle }

func newRotas(n *network, book *booking.Book) *rotas {
	return &rotas{network: n, book: book, number: map[*booking.Calendar]int32{}, uses: make([][]use, n.nodes*n.nodes)}
}

// clear makes everything free, with another period.
func (r *rotas) clear(period router.Cycle) {
	r.period = period
	for i := range r.busy {
		r.busy[i] = r.busy[i][:0]
		r.room[i] = period - r.loads[i]
	}
}

// of lists what a message uses.
func (r *rotas) of(from, to int32) []use {
	list := &r.uses[int(from)*r.nodes+int(to)]
	if *list == nil {
		for _, u := range r.book.Uses(router.NodeID(from), r.Route(from, to), 0) {
			x := use{r.numberOf(u.Calendar), 0, u.At, u.Long}
			if x.enters = x.rota; u.Enters != nil {
				x.enters = r.numberOf(u.Enters)
			}
			*list = append(*list, x)
		}
	}
	return *list
}

func (r *rotas) numberOf(c *booking.Calendar) int32 {
	i, ok := r.number[c]
	if !ok {
		i = int32(len(r.busy))
		r.number[c] = i
		r.busy, r.loads, r.room = append(r.busy, nil), append(r.loads, 0), append(r.room, 0)
	}
	return i
}

// reserve gives a message, each use of which is so much longer than without words, the first time that is free in all periods and leaves enough room for others. It reports false if there is none.
func (r *rotas) reserve(from, to int32, longer, at router.Cycle) (handed router.Cycle, ok bool) {
	uses := r.of(from, to)
	start := at + r.model.Startup
	for i := 0; i < len(uses); {
		u := &uses[i]
		if u.long+longer > r.period || start > at+r.model.Startup+r.period {
			return 0, false
		}
		if wait := r.wait(u.rota, start+u.at, u.long+longer); wait > 0 {
			start, i = start+wait, 0
			continue
		}
		i++
	}
	for i := range uses {
		u := &uses[i]
		r.enter(u.enters, span{(start + u.at) % r.period, u.long + longer})
	}
	return start - r.model.Startup, true
}

// enter enters a span in the order of time.
func (r *rotas) enter(rota int32, x span) {
	list := append(r.busy[rota], x)
	for i := len(list) - 1; i > 0 && list[i-1].from > x.from; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	r.busy[rota] = list
}

// wait returns for how many cycles something is not free yet for so long, or would be left with gaps that are too short, at least.
func (r *rotas) wait(rota int32, at, long router.Cycle) router.Cycle {
	busy := r.busy[rota]
	if len(busy) == 0 {
		return 0
	}
	at %= r.period
	// The spans before and behind it, around the period.
	next := 0
	for next < len(busy) && busy[next].from <= at {
		next++
	}
	last := len(busy) - 1
	if next > 0 {
		last = next - 1
	}
	if next == len(busy) {
		next = 0
	}
	since, until := r.around(at-busy[last].from), r.around(busy[next].from-at)
	if until == 0 {
		until = r.period
	}
	if since < busy[last].long {
		return busy[last].long - since
	}
	if until < long {
		return until + busy[next].long
	}
	before, behind := since-busy[last].long, until-long
	room := r.room[rota]
	for i := range busy {
		j := i + 1
		gap := router.Cycle(0)
		if j == len(busy) {
			gap = busy[0].from + r.period - busy[i].from - busy[i].long
		} else {
			gap = busy[j].from - busy[i].from - busy[i].long
		}
		if i != last && gap < long {
			room -= gap
		}
	}
	if before < long {
		room -= before
	}
	if behind < long {
		room -= behind
	}
	if room >= 0 {
		return 0
	}
	wait := r.period
	if behind > 0 {
		wait = behind
	}
	if before < long {
		wait = min(wait, long-before)
	}
	return wait
}

func (r *rotas) around(x router.Cycle) router.Cycle {
	if x < 0 {
		return x + r.period
	}
	return x
}

// load is the least period in which the messages of one piece for each tree fit, and a mean of the loads in which the large ones count most.
func (r *rotas) load(f *form, lanes int32, longer router.Cycle) (most router.Cycle, mean float64) {
	clear(r.loads)
	add := func(from, to int32) {
		for _, u := range r.of(from, to) {
			r.loads[u.rota] += u.long + longer
		}
	}
	for p := range lanes {
		for v := range int32(r.nodes) {
			if up := f.up(); r.Kind.Name != plan.Broadcast {
				if parent := up[of(p, up)].parent[v]; parent != none {
					add(v, parent)
				}
			}
			if r.Kind.Name != plan.Reduce {
				if parent := f.trees[of(p, f.trees)].parent[v]; parent != none {
					add(parent, v)
				}
			}
		}
	}
	most = slices.Max(r.loads)
	for _, x := range r.loads {
		x := float64(x) / float64(most)
		x *= x
		x *= x
		mean += x * x
	}
	return most, float64(most) * math.Pow(mean, 1./8)
}

// lanes is how many pieces of a form differ.
func (f *form) lanes() int32 {
	a, b := len(f.trees), len(f.up())
	lanes := a
	for lanes%b != 0 {
		lanes += a
	}
	return int32(lanes)
}

// periodic books one piece for each tree of a form; nil if all pieces take more than limit cycles.
func (n *timer) periodic(f *form, limit router.Cycle) *schedule {
	lanes := min(f.lanes(), int32(f.parts))
	rounds := (f.parts + int(lanes) - 1) / int(lanes)
	words := (n.words + f.parts - 1) / f.parts
	longer := n.model.Work(words) - n.model.Work(0)
	period, mean := router.Cycle(1), 0.
	if rounds > 1 {
		period, mean = n.rotas.load(f, lanes, longer)
		period += period * router.Cycle(f.slack) / slacks
	} else {
		period = 1 << 40
		clear(n.rotas.loads)
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
	timer := newTimer(n)
	for _, x := range list {
		var best *found
		limit := never
		for slack := 0; slack <= slacks && x.form.parts > 1; slack += 2 {
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

// repeated is a form with the messages of all its pieces, of which those that differ are booked. Each message goes as early as it can, if this is faster.
func (n *timer) repeated(x *found) *found {
	f := *x.form
	f.periodic = false
	lanes := min(f.lanes(), int32(f.parts))
	s := &schedule{cycles: x.made.cycles, mean: x.made.mean, first: x.made.first, last: x.made.last}
	var sums, puts []message
	for i, m := range x.made.messages {
		for p, k := m.piece, router.Cycle(0); p < int32(f.parts); p, k = p+lanes, k+1 {
			again := m
			again.piece, again.handed, again.whole = p, m.handed+k*x.made.period, m.whole+k*x.made.period
			if i < x.made.sums {
				sums = append(sums, again)
			} else {
				puts = append(puts, again)
			}
		}
	}
	s.messages, s.sums = append(sums, puts...), len(sums)
	best := &found{&f, s}
	if earlier := n.earlier(&f, s); earlier.cycles < s.cycles {
		best = &found{&f, earlier}
	}
	if flows := n.faster(f, best.made.cycles); flows != nil {
		best = flows
	}
	return best
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
