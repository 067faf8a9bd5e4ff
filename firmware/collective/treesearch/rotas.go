// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
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
	loads  []router.Cycle // of one period
	room   []router.Cycle // for gaps
	period router.Cycle
}

// use is that of rotas by their numbers, see booking.Use.
type use struct {
	rota, enters int32
	at, long     router.Cycle
}

// span is part of a period, from a cycle below the period on. It may go on at the beginning of the period.
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

// reserve gives a message, each use of which is so much longer than without words, the first time that is free in all periods and leaves enough room for others. It reports false if there is none.
func (r *rotas) reserve(from, to int32, longer, at router.Cycle) (handed router.Cycle, ok bool) {
	uses := r.of(from, to)
	start := at + r.model.Startup
	for i := 0; i < len(uses); {
		u := &uses[i]
		if u.long+longer > r.period || start > at+r.model.Startup+r.period {
			return 0, false
		}
		if wait := r.wait(u.rota, (start+u.at)%r.period, u.long+longer); wait > 0 {
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

// wait returns for how many cycles something is not free for so long, or leaves too little room, at least. All spans of a rota are equally long.
func (r *rotas) wait(rota int32, at, long router.Cycle) router.Cycle {
	busy := r.busy[rota]
	if len(busy) == 0 {
		return 0
	}
	next := 0 // behind it; last: before it, both around the period
	for next < len(busy) && busy[next].from <= at {
		next++
	}
	last := (next + len(busy) - 1) % len(busy)
	next %= len(busy)
	since, until := r.around(at-busy[last].from), r.around(busy[next].from-at)
	if until == 0 {
		until = r.period
	}
	switch {
	case since < busy[last].long:
		return busy[last].long - since
	case until < long:
		return until + busy[next].long
	}
	before, behind := since-busy[last].long, until-long
	if r.gaps(busy, last, long)+short(before, long)+short(behind, long) <= r.room[rota] {
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

// gaps adds up the gaps between spans in which no other one fits, but for the gap behind one of them.
func (r *rotas) gaps(busy []span, but int, long router.Cycle) (sum router.Cycle) {
	for i := range busy {
		if i == but {
			continue
		}
		next := busy[(i+1)%len(busy)].from
		if i+1 == len(busy) {
			next += r.period
		}
		sum += short(next-busy[i].from-busy[i].long, long)
	}
	return sum
}

// short is a gap, or 0 if something fits in.
func short(gap, long router.Cycle) router.Cycle {
	if gap < long {
		return max(0, gap)
	}
	return 0
}

// around is a time of a period.
func (r *rotas) around(x router.Cycle) router.Cycle {
	if x < 0 {
		return x + r.period
	}
	return x
}
