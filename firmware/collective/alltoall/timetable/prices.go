// SPDX-License-Identifier: Apache-2.0

package timetable

import "math"

// mostStarts bounds the starts of a message that are looked at when none is free.
const mostStarts = 200

// prices are what it costs to take out the messages that are in the way of one, for all of some starts at once: the weights of these messages. One that is met in several calendars counts in each.
type prices struct {
	starts []int32 // to choose from
	link   []int32 // by link of the routes and start
	place  []int32 // by place on the routes and start: of the cheapest route there
	owners []int32 // of quanta of a calendar, see ownersFrom
	sums   []int32 // of a calendar, before a quantum: the weights of messages that begin there or earlier
}

// putCheapest gives a message the cheapest of some starts.
func (r *repair) putCheapest(e *errand, latest int) {
	p := &r.prices
	p.starts = p.starts[:0]
	first, step := r.random.IntN(latest+1), 1+latest/mostStarts
	for k := 0; k <= latest; k += step {
		p.starts = append(p.starts, int32((first+k)%(latest+1)))
	}
	r.priceLinks(e, latest)
	r.pricePlaces()
	n := len(p.starts)
	best := 0
	for j, price := range p.place[len(p.place)-n:] {
		if price < p.place[len(p.place)-n+best] {
			best = j
		}
	}
	e.start = int(p.starts[best])
	// Only edges on a cheapest route stay open, so that retrace takes such a route.
	for k := range r.ways {
		w := &r.ways[k]
		w.open = 0
		if p.place[int(w.from)*n+best]+p.link[k*n+best] == p.place[int(w.to)*n+best] {
			w.open = 1
		}
	}
	r.retrace(e, 0)
}

// priceLinks finds the prices of all links on the routes of a message.
func (r *repair) priceLinks(e *errand, latest int) {
	p := &r.prices
	n := len(p.starts)
	p.link = zeros(p.link, n*len(r.ways))
	for i := range r.ways {
		of := p.link[i*n : (i+1)*n]
		r.usesOf(e, r.ways[i].link, r.ways[i].hop, func(k int32, at, width int) {
			if latest < n*width {
				r.addBySums(of, k, at, width, latest)
			} else {
				r.addEach(of, k, at, width)
			}
		})
	}
}

// addEach adds the weights of those that have some quanta of a calendar, for each start by itself: where starts are few, or far between.
func (r *repair) addEach(of []int32, k int32, at, width int) {
	r.work -= len(of) * (width + 4)
	for j, start := range r.prices.starts {
		last := int32(-1)
		for q := int(start) + at; q < int(start)+at+width; q++ {
			if o := *r.ownerAt(k, q); o != last {
				if o >= 0 {
					of[j] += r.weight[o]
				}
				last = o
			}
		}
	}
}

// addBySums adds the same, by sums over the calendar: in a window there are the message of its first quantum, and those that begin behind it.
func (r *repair) addBySums(of []int32, k int32, at, width, latest int) {
	p := &r.prices
	r.work -= len(of) + latest + width
	p.sums = zeros(p.sums, latest+width+1)
	owners := r.ownersFrom(k, at, latest+width)
	last, sum := int32(-1), int32(0)
	for q, o := range owners {
		if o != last {
			if o >= 0 {
				sum += r.weight[o]
			}
			last = o
		}
		p.sums[q+1] = sum
	}
	for j, start := range p.starts {
		of[j] += p.sums[int(start)+width] - p.sums[start+1]
		if o := owners[start]; o >= 0 {
			of[j] += r.weight[o]
		}
	}
}

// ownersFrom returns who has so many quanta of a calendar. It is valid until the next call.
func (r *repair) ownersFrom(k int32, from, count int) []int32 {
	if r.every == 0 {
		r.ownerAt(k, from+count-1) // makes them all
		return r.owner[k][from : from+count]
	}
	p := &r.prices
	p.owners = p.owners[:0]
	for q := from; q < from+count; q++ {
		p.owners = append(p.owners, *r.ownerAt(k, q))
	}
	return p.owners
}

// pricePlaces finds the prices of all places on the routes.
func (r *repair) pricePlaces() {
	p := &r.prices
	n := len(p.starts)
	r.work -= n * len(r.ways)
	p.place = zeros(p.place, n*len(r.reach))
	for i := n; i < len(p.place); i++ {
		p.place[i] = math.MaxInt32
	}
	for k := range r.ways { // nearest to the source first
		w := &r.ways[k]
		from, to := p.place[int(w.from)*n:int(w.from+1)*n], p.place[int(w.to)*n:int(w.to+1)*n]
		for j, price := range p.link[k*n : (k+1)*n] {
			to[j] = min(to[j], from[j]+price)
		}
	}
}

// zeros returns a slice of so many zeros, in the memory of another if there is room.
func zeros(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}
