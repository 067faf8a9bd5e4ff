// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"cmp"
	"context"
	"slices"

	"meshwright/router"
)

// general places messages one after the other, each where it arrives first
// (list scheduling), the furthest ones first, and improves on it: it takes out
// the messages that end last with some others, and puts them back in another order.
type general struct {
	*calendars
	errands []errand
	order   []int32
	saved   []errand
	budget  int // messages that may be placed yet
	out     []int32
	ends    []int32
}

// errandsOf lists the messages of a round, those of node 0 when all do the same.
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

// build places all messages anew: those with most to do first, with some luck.
func (x *general) build(luck float64) {
	for k := range x.busy {
		clear(x.busy[k])
	}
	key := make([]float64, len(x.errands))
	for i := range x.errands {
		e := &x.errands[i]
		key[i] = float64(int(e.hops)*x.m.Hop+e.flits*x.m.Flit)*(1-luck) - luck*float64(x.m.Hop)*8*x.random.Float64() + 1e-3*x.random.Float64()
		x.order[i] = int32(i)
	}
	slices.SortFunc(x.order, func(a, b int32) int { return cmp.Compare(key[b], key[a]) })
	for _, i := range x.order {
		x.insert(&x.errands[i])
	}
	x.budget -= len(x.errands)
}

// cost is what is to be small: the time, then the messages that end so late.
type cost struct{ time, last int }

func (a cost) compare(b cost) int { return cmp.Or(a.time-b.time, a.last-b.last) }

func (x *general) cost() (c cost) {
	for i := range x.errands {
		switch end := x.end(&x.errands[i]); {
		case end > c.time:
			c = cost{end, 1}
		case end == c.time:
			c.last++
		}
	}
	return c
}

// improve changes the timetable until the budget is spent, or it takes no more
// than least.
func (x *general) improve(ctx context.Context, least int) error {
	best := x.cost()
	for x.budget > 0 && best.time > least {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.takeOut(best.time)
		x.putBack()
		now := x.cost()
		if now.compare(best) <= 0 {
			best = now
			continue
		}
		x.undo()
	}
	return nil
}

// takeOut removes the messages that end last and others at random.
func (x *general) takeOut(time int) {
	x.out, x.saved = x.out[:0], x.saved[:0]
	share := 0.01 + 0.15*x.random.Float64()*x.random.Float64()
	late := time - x.random.IntN(1+time/16)
	for i := range x.errands {
		e := &x.errands[i]
		if end := x.end(e); end == time || end >= late && x.random.IntN(2) == 0 || x.random.Float64() < share {
			x.out = append(x.out, int32(i))
		}
	}
	for _, i := range x.out {
		e := &x.errands[i]
		saved := *e
		saved.links = slices.Clone(e.links)
		x.saved = append(x.saved, saved)
		x.remove(e)
	}
}

// putBack places what is out: late ones and far ones first, with luck.
func (x *general) putBack() {
	key := make(map[int32]float64, len(x.out))
	for k, i := range x.out {
		e := &x.saved[k]
		key[i] = float64(x.end(e))*float64(x.random.IntN(2)) + float64(int(e.hops)*x.m.Hop*2) + 16*x.random.Float64()
	}
	x.order = append(x.order[:0], x.out...)
	slices.SortFunc(x.order, func(a, b int32) int { return cmp.Compare(key[b], key[a]) })
	for _, i := range x.order {
		x.insert(&x.errands[i])
	}
	x.budget -= len(x.out)
}

// undo puts what was out back to where it was.
func (x *general) undo() {
	for _, i := range x.out {
		x.remove(&x.errands[i])
	}
	for k, i := range x.out {
		e := &x.errands[i]
		links := e.links
		*e = x.saved[k]
		e.links = append(links[:0], x.saved[k].links...)
		x.mark(e, true)
	}
}
