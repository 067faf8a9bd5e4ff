// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"math/bits"
)

// repair improves a timetable with a deadline that comes nearer: the messages
// that end too late are taken out, and put where the fewest others are in the
// way, which are taken out for it, and so on until all have a place. Those that
// were in the way often become expensive to move (guided local search).
type repair struct {
	*general
	owner    [][]int32 // by calendar and quantum, -1: free
	weight   []int32   // by errand: what it costs to be taken out
	deadline int
	pool     []int32 // without a place
	prices   prices
	best     []errand
	moves    int // that may be made yet
	work     int // quanta and prices that may be looked at yet
	report   func()
}

// mostLooked bounds the quanta of calendars and the prices that a repair looks at, with an effort of 1: some seconds.
const mostLooked = 1 << 28

func newRepair(x *general, moves int, o Options) *repair {
	r := &repair{general: x, owner: make([][]int32, x.calendars.space.calendars), weight: make([]int32, len(x.errands)), moves: moves, work: mostLooked << (o.Effort - 1)}
	for i := range r.weight {
		r.weight[i] = 1
		if x.errands[i].start >= 0 {
			r.own(int32(i), int32(i))
		}
	}
	r.best = append([]errand(nil), x.errands...)
	r.save()
	return r
}

// save keeps the timetable.
func (r *repair) save() {
	for i := range r.errands {
		links := append(r.best[i].links[:0:0], r.errands[i].links...)
		r.best[i] = r.errands[i]
		r.best[i].links = links
	}
}

// restore returns to the timetable that was kept.
func (r *repair) restore() {
	copy(r.errands, r.best)
}

// run brings the deadline nearer, down to least or to the time of the longest message alone, as long as moves are left, and leaves the fastest timetable, also when ctx ends.
func (r *repair) run(ctx context.Context, least int) error {
	r.deadline = r.time()
	for i := range r.errands {
		least = max(least, r.end(&errand{hops: r.errands[i].hops, flits: r.errands[i].flits}))
	}
	for r.moves > 0 && r.work > 0 && r.deadline > least {
		r.deadline--
		for i := range r.errands {
			if r.end(&r.errands[i]) > r.deadline {
				r.take(int32(i))
			}
		}
		done, err := r.fill(ctx)
		if err != nil {
			r.restore()
			return err
		}
		if done {
			r.save()
		}
		r.report()
	}
	r.restore()
	return nil
}

// fill gives all in the pool a place; false when the moves ran out.
func (r *repair) fill(ctx context.Context) (bool, error) {
	for len(r.pool) > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if r.moves--; r.moves < 0 || r.work <= 0 {
			return false, nil
		}
		last := len(r.pool) - 1
		k := r.random.IntN(last + 1)
		i := r.pool[k]
		r.pool[k] = r.pool[last]
		r.pool = r.pool[:last]
		r.put(i)
	}
	return true, nil
}

// rounds places all messages anew, so that a round can follow every so many
// quanta, and then brings the deadline nearer. It reports whether it could.
func (r *repair) rounds(ctx context.Context, least int) (bool, error) {
	for _, i := range r.order {
		r.put(i)
	}
	done, err := r.fill(ctx)
	if err != nil || !done {
		return false, err
	}
	r.save()
	return true, r.run(ctx, least)
}

// take puts a message into the pool.
func (r *repair) take(i int32) {
	r.own(i, -1)
	r.remove(&r.errands[i])
	r.pool = append(r.pool, i)
}

// own notes whose the calendars are that a message uses.
func (r *repair) own(i, owner int32) {
	e := &r.errands[i]
	r.eachUse(e, func(k int32, at, width int) {
		at += e.start
		for q := at; q < at+width; q++ {
			*r.ownerAt(k, q) = owner
		}
	})
}

// ownerAt returns the message that has a quantum of a calendar.
func (r *repair) ownerAt(k int32, q int) *int32 {
	if r.every > 0 {
		q %= r.every
	}
	for len(r.owner[k]) <= q {
		r.owner[k] = append(r.owner[k], -1)
	}
	return &r.owner[k][q]
}

// put gives a message a place.
func (r *repair) put(i int32) {
	e := &r.errands[i]
	latest := (r.deadline - r.end(&errand{hops: e.hops, flits: e.flits})) / r.quantum
	if r.every > 0 {
		latest = min(latest, r.every-1)
	}
	r.survey(e)
	if !r.putFree(e, latest) {
		r.putCheapest(e, latest)
		r.eachUse(e, func(k int32, at, width int) {
			for q := e.start + at; q < e.start+at+width; q++ {
				if o := *r.ownerAt(k, q); o >= 0 {
					r.weight[o]++
					r.take(o)
				}
			}
		})
	}
	r.leave()
	r.calendars.mark(e, true)
	r.own(i, i)
}

// putFree gives a message one of the starts at which nothing is in its way.
func (r *repair) putFree(e *errand, latest int) bool {
	windows := latest/64 + 1
	from := r.random.IntN(windows)
	for k := range windows {
		start := 64 * ((from + k) % windows)
		open := r.openings(e, start)
		if latest-start < 63 {
			open &= 1<<(latest-start+1) - 1
		}
		if open == 0 {
			continue
		}
		for range r.random.IntN(bits.OnesCount64(open)) {
			open &= open - 1
		}
		bit := bits.TrailingZeros64(open)
		e.start = start + bit
		r.retrace(e, bit)
		return true
	}
	return false
}
