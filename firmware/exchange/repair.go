// SPDX-License-Identifier: Apache-2.0

package exchange

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
	price    []int32 // by place on the ways of a message
	best     []errand
	moves    int // that may be made yet
}

// starts are how many starts of a message are looked at when none is free.
const starts = 24

func newRepair(x *general, moves int) *repair {
	r := &repair{general: x, owner: make([][]int32, x.calendars.space.calendars), weight: make([]int32, len(x.errands)), moves: moves}
	for i := range r.weight {
		r.weight[i] = 1
	}
	for i := range x.errands {
		r.own(int32(i), int32(i))
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

// run brings the deadline nearer, down to least, as long as moves are left.
func (r *repair) run(ctx context.Context, least int) error {
	r.deadline = r.cost().time
	for r.moves > 0 && r.deadline > least {
		r.deadline--
		for i := range r.errands {
			if r.end(&r.errands[i]) > r.deadline {
				r.take(int32(i))
			}
		}
		for len(r.pool) > 0 && r.moves > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.moves--
			k := r.random.IntN(len(r.pool))
			i := r.pool[k]
			r.pool[k] = r.pool[len(r.pool)-1]
			r.pool = r.pool[:len(r.pool)-1]
			r.put(i)
		}
		if len(r.pool) == 0 {
			r.save()
		}
	}
	r.restore()
	return nil
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
		for len(r.owner[k]) < at+width {
			r.owner[k] = append(r.owner[k], -1)
		}
		for q := at; q < at+width; q++ {
			r.owner[k][q] = owner
		}
	})
}

// put gives a message a place.
func (r *repair) put(i int32) {
	e := &r.errands[i]
	latest := (r.deadline - r.end(&errand{hops: e.hops, flits: e.flits})) / r.quantum
	r.survey(e)
	if !r.putFree(e, latest) {
		r.putCheapest(e, latest)
		r.eachUse(e, func(k int32, at, width int) {
			for q := e.start + at; q < min(e.start+at+width, len(r.owner[k])); q++ {
				if o := r.owner[k][q]; o >= 0 {
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

// putCheapest gives a message the cheapest of some starts.
func (r *repair) putCheapest(e *errand, latest int) {
	best, choice := int32(1<<30), 0
	for range min(starts, latest+1) {
		start := r.random.IntN(latest + 1)
		if price := r.prices(e, start); price < best {
			best, choice = price, start
		}
	}
	r.prices(e, choice)
	e.start = choice
	// The ways of a price are what is open.
	for k := range r.ways {
		w := &r.ways[k]
		w.open = 0
		if r.price[w.from]+w.price == r.price[w.to] {
			w.open = 1
		}
	}
	r.retrace(e, 0)
}

// prices finds the cheapest way with a start, by all places on the ways.
func (r *repair) prices(e *errand, start int) int32 {
	const none = 1 << 30
	r.price = append(r.price[:0], 0)
	for len(r.price) < len(r.reach) {
		r.price = append(r.price, none)
	}
	for k := range r.ways {
		w := &r.ways[k]
		w.price = 0
		r.usesOf(e, w.link, w.hop, func(k int32, at, width int) { w.price += r.priceOf(k, start+at, width) })
		r.price[w.to] = min(r.price[w.to], r.price[w.from]+w.price)
	}
	return r.price[len(r.price)-1]
}

// priceOf adds up the weights of those that have some quanta of a calendar.
func (r *repair) priceOf(k int32, at, width int) (price int32) {
	last := int32(-1)
	for q := at; q < min(at+width, len(r.owner[k])); q++ {
		if o := r.owner[k][q]; o != last {
			if o >= 0 {
				price += r.weight[o]
			}
			last = o
		}
	}
	return price
}
