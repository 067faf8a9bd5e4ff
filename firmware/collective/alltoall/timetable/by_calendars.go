// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"fmt"
	"slices"

	"meshwright/router"
	"meshwright/schedule/bound"
)

// anyhow searches with the calendars of all resources; with a lattice, with the calendars of
// one node's resources.
func (g *goal) anyhow(ctx context.Context, s split, l *lattice, o Options) error {
	longest, messages := slices.Max(g.lengths)/s.rounds, g.t.Nodes()-1
	if l == nil {
		messages *= g.t.Nodes()
	}
	if g.met() || messages > maxMessages || g.hopeless(s) {
		return nil
	}
	space := newSpace(g.t, g.m, l)
	c := newCalendars(space, g.flitsOf(s), o.Seed)
	x := newGeneral(c, g.errandsOf(c, l, s.rounds))
	if err := x.best(ctx); err != nil {
		return err
	}
	g.report("list")
	r := newRepair(x, c.movesFor(len(x.errands), longest, o), o)
	r.report = func() { g.report(fmt.Sprintf("repair to %d", r.deadline)) }
	err := r.run(ctx, int(g.least))
	g.takeRounds(space, x.timetable(g, l, s.rounds)) // without a repair, it is the list's
	if err != nil {
		return err
	}
	if s.rounds > 1 && c.quantum == 1 {
		return g.inRounds(ctx, space, s, l, o)
	}
	return nil
}

// flitsOf returns how many flits go at a time, by source.
func (g *goal) flitsOf(s split) []int {
	flits := make([]int, len(g.lengths))
	for n, length := range g.lengths {
		flits[n] = length / s.rounds
	}
	return flits
}

// periodsTried bounds the periods that are tried before the search leaves rounds as they are.
const periodsTried = 6

// inRounds searches for rounds that follow one another quickly: for the least
// period by which nothing is ever used twice.
func (g *goal) inRounds(ctx context.Context, space *space, s split, l *lattice, o Options) error {
	single, many := make([]int, len(g.lengths)), make([]int, len(g.lengths))
	for n := range single {
		single[n], many[n] = s.flits, 1001*s.flits
	}
	least := int(bound.Exchange(g.t, g.m, single).Cycles)
	period := max(g.leastPeriod(s), (int(bound.Exchange(g.t, g.m, many).Cycles)-least+999)/1000)
	for step := 1; step <= periodsTried && least+(s.rounds-1)*period < int(g.best.Cycles); period, step = period+step, step+1 {
		c := newCalendars(space, single, o.Seed)
		x := newGeneral(c, g.errandsOf(c, l, s.rounds))
		x.sort(0)
		longest := 0
		for i := range x.errands {
			longest = max(longest, x.end(&x.errands[i])+x.quantum)
		}
		c.every, c.horizon = period, period+longest+64
		r := newRepair(x, c.movesFor(len(x.errands), s.flits, o)/2, o)
		r.deadline = period + longest
		r.report = func() { g.report(fmt.Sprintf("rounds every %d", period)) }
		done, err := r.rounds(ctx, least)
		if err != nil {
			return err
		}
		if done {
			g.takeRounds(space, x.timetable(g, l, s.rounds))
			break
		}
		r.report()
	}
	return nil
}

// timetable makes a timetable of one round from the calendars.
func (x *general) timetable(g *goal, l *lattice, rounds int) *Timetable {
	t := &Timetable{Topology: g.t, Lengths: g.lengths, Bound: g.bound, Rounds: rounds, Cycles: router.Cycle(x.time()), lattice: l}
	for i := range x.errands {
		t.ways = append(t.ways, x.way(&x.errands[i], l))
	}
	return t
}

// movesFor returns the moves of a repair that take some seconds.
func (c *calendars) movesFor(messages, longest int, o Options) int {
	_, width := c.span(0, int(c.held(longest)))
	return (min(30_000, 200*messages) << o.Effort) * 4096 / max(4096, messages) / (1 + width/8)
}
