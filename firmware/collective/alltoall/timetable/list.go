// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"cmp"
	"context"
	"slices"

	"meshwright/router"
)

// general places messages one after the other, each where it arrives first
// (list scheduling).
type general struct {
	*calendars
	errands []errand
	order   []int32
}

// errandsOf lists the messages of a round; when all nodes do the same, only the messages of
// node 0.
func (g *goal) errandsOf(c *calendars, l *lattice, rounds int) []errand {
	var list []errand
	for from := range router.NodeID(g.t.Nodes()) {
		if l != nil && from > 0 || g.lengths[from] == 0 {
			continue
		}
		for to := range router.NodeID(g.t.Nodes()) {
			if to != from {
				list = append(list, errand{from: from, to: to, flits: g.lengths[from] / rounds, hops: int32(c.distance[from][to]), start: -1})
			}
		}
	}
	return list
}

// newGeneral returns a search in which nothing has a place.
func newGeneral(c *calendars, errands []errand) *general {
	return &general{calendars: c, errands: errands, order: make([]int32, len(errands))}
}

// build places all messages anew: those with most to do first, with some luck.
func (x *general) build(ctx context.Context, luck float64) error {
	for k := range x.busy {
		clear(x.busy[k])
	}
	x.sort(luck)
	for _, i := range x.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.insert(&x.errands[i])
	}
	return nil
}

// sort puts the messages in order: those with most to do first, with some luck.
func (x *general) sort(luck float64) {
	key := make([]float64, len(x.errands))
	for i := range x.errands {
		e := &x.errands[i]
		work := float64(int(e.hops)*x.hop() + int(x.model.Work(e.flits)))
		key[i] = work*(1-luck) - 8*luck*float64(x.hop())*x.random.Float64() + 1e-3*x.random.Float64()
		x.order[i] = int32(i)
	}
	slices.SortFunc(x.order, func(a, b int32) int { return cmp.Compare(key[b], key[a]) })
}

// time returns when the last message ends, in cycles.
func (x *general) time() (time int) {
	for i := range x.errands {
		time = max(time, x.end(&x.errands[i]))
	}
	return time
}

// best builds with more and less luck, and leaves the fastest timetable.
func (x *general) best(ctx context.Context) error {
	least, choice := 0, 0.0
	for _, luck := range []float64{0, 0.1, 0.3, 0.5, 0.7, 1} {
		if err := x.build(ctx, luck); err != nil {
			return err
		}
		if time := x.time(); least == 0 || time < least {
			least, choice = time, luck
		}
	}
	return x.build(ctx, choice) // as good, or nearly
}

// way returns a message as a row of a timetable.
func (x *general) way(e *errand, l *lattice) way {
	w := way{source: e.from, destination: e.to, start: router.Cycle(x.m.Startup + e.start*x.quantum)}
	for _, link := range e.links {
		port := x.links[link].FromPort
		if l != nil {
			port = router.Port(l.directionOf(&x.links[link]))
		}
		w.path = append(w.path, port)
	}
	return w
}
