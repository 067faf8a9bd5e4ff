// SPDX-License-Identifier: Apache-2.0

// Package contest finds the fastest of several plans for a job. It compares predicted
// times where the predictions are exact, and simulates the other plans.
package contest

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Estimate is the knowledge of a plan's time before it runs. The zero value says nothing.
type Estimate struct {
	Least router.Cycle // the plan takes no less
	Exact bool         // and no more
}

// Plan is a way to do the job, ready to run.
type Plan interface {
	Estimate() Estimate
	// Floor is a time that no plan for the job can beat.
	Floor() router.Cycle
	// Simulate returns the plan's time, or some time above limit as soon as it
	// takes longer; ok is false when the plan does not do the job.
	Simulate(ctx context.Context, limit router.Cycle) (cycles router.Cycle, ok bool, err error)
}

// Entry is a candidate. Of plans with the same time the first entry wins.
type Entry[P Plan] struct {
	Name     string
	Plan     func() (P, error)   // an *input.Error: the entry does not fit the job
	Least    func() router.Cycle // nil, or of a plan that is costly to make: a time that it cannot beat; such plans are made last, those first that could take the least time, if they can win
	Searches bool                // a costly plan comes of a search, which may take all the time that there is: made behind those that do not
	TooLong  bool                // planning takes too long: only if no other entry fits
}

// How says how the time of an entry is known.
type How string

// Predicted and Simulated times are exact; an entry that is Bounded takes at
// least its time, which is enough to lose; one LeftOut was not planned, one
// TooLarge has no room in memory. The Only one has no rival, so it is not simulated.
const (
	Predicted How = "predicted"
	Simulated How = "simulated"
	Bounded   How = "bounded"
	LeftOut   How = "left out"
	Only      How = "only"
	TooLarge  How = "too large"
)

// Weighed is the result for one entry of the contest.
type Weighed struct {
	Name   string
	Cycles router.Cycle // 0 when LeftOut, TooLarge or Only
	How    How
}

// Outcome is how a contest ended.
type Outcome struct {
	Weighed []Weighed // the winner first, then the others by time, exact ones, bounded ones, those left out; those that do not fit the job are not listed
	Stopped bool      // the search ended: entries that are left out may be faster
	AtFloor bool      // the winner's time is a lower bound of the job: entries behind it were not looked at
}

// Options limit the work of a contest.
type Options struct {
	Keep   bool            // plans that wait for their simulation are kept, else they are made again
	Search context.Context // when it ends, and something does the job, no more plans are made; nil: the context of Run
}

// Unlimited is a limit that no plan reaches.
const Unlimited = router.Cycle(1) << 62

// Run holds a contest. Its error is the context's, or the error of a plan. If no entry fits
// the job, it is the *memory.TooLarge of an entry that is too large, or else the *input.Error
// of the first entry that does not fit.
func Run[P Plan](ctx context.Context, entries []Entry[P], o Options) (P, *Outcome, error) {
	c := &contest[P]{entries: entries, keep: o.Keep, search: o.Search, winner: -1, least: Unlimited}
	if err := c.run(ctx); err != nil {
		var none P
		return none, nil, err
	}
	return c.best, c.outcome(), nil
}

// contest is a contest under way.
type contest[P Plan] struct {
	entries []Entry[P]
	keep    bool
	search  context.Context
	stopped bool
	weighed []Weighed // by entry, of those that were weighed
	index   []int     // their entries
	waiting []waiting[P]
	failed  []waiting[P] // while there is no winner: those that do not do the job
	refused error        // of an entry that does not fit

	best   P
	winner int // entry
	least  router.Cycle
	how    How
	floor  bool
}

// waiting is an entry that nothing is known of, before there is a time to beat.
type waiting[P Plan] struct {
	entry int
	least router.Cycle
	plan  func() (P, error)
}

func (c *contest[P]) run(ctx context.Context) error {
	for _, cost := range []cost{cheap, costly, tooLong} {
		if cost == tooLong && c.winner >= 0 {
			c.leaveOut()
			break
		}
		if err := c.planAll(ctx, cost); err != nil {
			return err
		}
		if c.alone(cost) {
			if cost != tooLong { // which notes them itself
				c.leaveOut()
			}
			return c.takeOnly()
		}
		if err := c.simulateAll(ctx); err != nil {
			return err
		}
	}
	switch {
	case c.winner >= 0:
		return nil
	case len(c.failed) > 0: // the run of the first shows why
		p, err := c.failed[0].plan()
		c.best = p
		return err
	}
	return c.refused
}

// alone says that there is one plan, and no choice: the other entries do not fit,
// or take too long.
func (c *contest[P]) alone(cost cost) bool {
	more := slices.ContainsFunc(c.entries, func(e Entry[P]) bool { return e.cost() > cost && !e.TooLong })
	return c.winner < 0 && len(c.failed) == 0 && len(c.waiting) == 1 && !more
}

// takeOnly takes the only plan as it is.
func (c *contest[P]) takeOnly() (err error) {
	w := c.waiting[0]
	c.winner = w.entry
	c.note(w.entry, 0, Only)
	c.best, err = w.plan()
	return err
}

// cost is the cost of planning.
type cost int

const (
	cheap cost = iota
	costly
	tooLong
)

func (e *Entry[P]) cost() cost {
	switch {
	case e.TooLong:
		return tooLong
	case e.Least != nil:
		return costly
	}
	return cheap
}

// hasPlan reports whether there is a plan that does the job, or may do it.
func (c *contest[P]) hasPlan() bool { return c.winner >= 0 || len(c.waiting) > 0 }

// ended reports whether the search is over.
func (c *contest[P]) ended() bool { return c.search != nil && c.search.Err() != nil }

// planAll plans the entries of a cost, up to the first that meets the floor; of
// those that take too long the first that fits is enough.
func (c *contest[P]) planAll(ctx context.Context, cost cost) error {
	phase := progress.Begin(ctx, "compare algorithms", len(c.entries))
	defer phase.End()
	order, least := c.order(cost)
	for _, i := range order {
		phase.Set(i, len(c.entries))
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case c.floor && c.winner < i:
			continue
		case cost == tooLong && c.hasPlan():
			c.note(i, 0, LeftOut)
			continue
		case c.winner >= 0 && least[i] > c.limit(i):
			c.note(i, least[i], Bounded)
			continue
		case c.ended() && c.hasPlan():
			c.stopped = true
			c.note(i, 0, LeftOut)
			continue
		}
		phase.Describe(c.entries[i].Name)
		if err := c.weigh(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// order lists the entries of a cost in the order in which they are planned, and the times that they cannot beat: costly ones with the
// least time first, but searches last.
func (c *contest[P]) order(cost cost) (order []int, least []router.Cycle) {
	least = make([]router.Cycle, len(c.entries))
	for i := range c.entries {
		e := &c.entries[i]
		if e.cost() != cost || c.floor && c.winner < i {
			continue
		}
		if order = append(order, i); cost == costly {
			least[i] = e.Least()
		}
	}
	late := func(i int) int {
		if c.entries[i].Searches {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(late(i), late(j)), cmp.Compare(least[i], least[j])) })
	return order, least
}

// leaveOut notes the entries that take too long, unless they could not win anyway.
func (c *contest[P]) leaveOut() {
	for i := range c.entries {
		if c.entries[i].TooLong && !(c.floor && c.winner < i) {
			c.note(i, 0, LeftOut)
		}
	}
}

// simulateAll simulates the plans that waited for a time to beat: those first that
// may be the fastest, so that the others need not be.
func (c *contest[P]) simulateAll(ctx context.Context) error {
	slices.SortStableFunc(c.waiting, func(a, b waiting[P]) int { return cmp.Compare(a.least, b.least) })
	phase := progress.Begin(ctx, "simulate algorithms", len(c.waiting))
	defer phase.End()
	for i, w := range c.waiting {
		phase.Set(i, len(c.waiting))
		if c.floor && c.winner < w.entry {
			continue
		}
		if c.winner >= 0 && w.least > c.limit(w.entry) {
			c.note(w.entry, w.least, Bounded)
			continue
		}
		p, err := w.plan()
		if err != nil {
			return err
		}
		if err := c.simulate(ctx, w.entry, p); err != nil {
			return err
		}
	}
	if c.winner < 0 {
		c.failed = append(c.failed, c.waiting...)
	}
	c.waiting = nil
	return nil
}

// plan plans an entry. A search, of which nobody knows how long it takes, is a phase of its own.
func (c *contest[P]) plan(ctx context.Context, i int) (P, error) {
	e := &c.entries[i]
	if e.Searches {
		defer progress.Begin(ctx, "search with "+e.Name, 0).End()
	}
	return e.Plan()
}

// weigh plans an entry and compares what is known of its time.
func (c *contest[P]) weigh(ctx context.Context, i int) error {
	p, err := c.plan(ctx, i)
	var unfit *input.Error
	var large *memory.TooLarge
	switch {
	case errors.As(err, &large):
		c.note(i, 0, TooLarge)
		c.refused = err
		return nil
	case errors.As(err, &unfit):
		if c.entries[i].Searches && c.ended() { // it may have found something with more time
			c.stopped = true
			c.note(i, 0, LeftOut)
		}
		if c.refused == nil {
			c.refused = err
		}
		return nil
	case err != nil:
		return err
	}
	e := p.Estimate()
	switch {
	case e.Exact:
		c.enter(i, p, e.Least, Predicted)
	case c.winner >= 0:
		return c.simulate(ctx, i, p)
	case c.keep:
		c.waiting = append(c.waiting, waiting[P]{i, e.Least, func() (P, error) { return p, nil }})
	default:
		c.waiting = append(c.waiting, waiting[P]{i, e.Least, c.entries[i].Plan})
	}
	return nil
}

// limit is the time that entry i must not exceed to win.
func (c *contest[P]) limit(i int) router.Cycle {
	if i < c.winner {
		return c.least
	}
	return c.least - 1
}

// simulate runs a plan as long as it can win.
func (c *contest[P]) simulate(ctx context.Context, i int, p P) error {
	limit := c.limit(i)
	if least := max(p.Estimate().Least, p.Floor()); least > limit {
		c.note(i, least, Bounded)
		return nil
	}
	cycles, ok, err := p.Simulate(ctx, limit)
	switch {
	case err != nil:
		return err
	case ok && cycles > limit:
		c.note(i, limit+1, Bounded)
	case ok:
		c.enter(i, p, cycles, Simulated)
	}
	return nil
}

// enter compares a time that is certain.
func (c *contest[P]) enter(i int, p P, cycles router.Cycle, how How) {
	c.note(i, cycles, how)
	if cycles <= c.limit(i) {
		c.best, c.winner, c.least, c.how = p, i, cycles, how
		c.floor = cycles <= p.Floor()
	}
}

func (c *contest[P]) note(i int, cycles router.Cycle, how How) {
	c.index = append(c.index, i)
	c.weighed = append(c.weighed, Weighed{c.entries[i].Name, cycles, how})
}

// outcome lists the winner first.
func (c *contest[P]) outcome() *Outcome {
	rank := func(k int) int {
		switch {
		case c.index[k] == c.winner:
			return 0
		case c.weighed[k].How == LeftOut, c.weighed[k].How == TooLarge:
			return 3
		case c.weighed[k].How == Bounded:
			return 2
		}
		return 1
	}
	order := make([]int, len(c.weighed))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(c.weighed[a].Cycles, c.weighed[b].Cycles), cmp.Compare(c.index[a], c.index[b]))
	})
	o := &Outcome{AtFloor: c.floor, Stopped: c.stopped}
	for _, k := range order {
		o.Weighed = append(o.Weighed, c.weighed[k])
	}
	return o
}
