// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// auto is the algorithm that weighs all others of its collective.
const auto = "auto"

// effort bounds what auto spends on planning an algorithm. The zero value: it
// plans it on every network.
type effort struct {
	nodes int                           // at most so many; on larger networks only if nothing else runs,
	quick func(*plan.Task) bool         // or where this reports that planning is quick
	least func(*plan.Task) router.Cycle // of a plan that is costly to make: a bound that is known before,
	above int                           // on networks of more nodes than these
	weak  func(*plan.Task) bool         // where others are faster, as far as is known: only if there is no other

	searches bool // planning is a search, which may take a time limit: behind all other algorithms
}

// autoPlan plans by the fastest algorithm: of all that run on the
// job's network and machine, and take the options that the job has; and of
// variants, which are nil where the table has everything.
func autoPlan(variants func(*plan.Task) ([]plan.Variant, error)) func(*plan.Task) (*plan.Plan, error) {
	return func(t *plan.Task) (*plan.Plan, error) {
		list, err := rows(t)
		if err != nil {
			return nil, err
		}
		rows, refines := withoutRefined(t, list)
		if len(rows) == 0 {
			return refinedPlan(t)
		}
		own := *t
		own.KeepList = t.KeepList || refines
		var more []plan.Variant
		if variants != nil && !rows[0].lastResort && t.Whole == nil {
			if more, err = variants(t); err != nil {
				return nil, err
			}
			more = slices.DeleteFunc(more, func(v plan.Variant) bool { return t.Among != nil && !slices.Contains(t.Among, v.Algorithm) })
		}
		best, outcome, err := contest.Run(t.Ctx, entries(&own, rows, more), contest.Options{Keep: fewWords(t), Search: t.Search})
		if err != nil {
			return nil, nothingBut(rows, t, err)
		}
		if t.TimeOnly && !best.Predicted.Exact {
			return nil, input.Errorf(t.Machine.FullRateWants(), "%s: the time of %s needs a run, and no run is without words", t.Machine.SlowRate(), t.Kind.Name)
		}
		p, stopped := best.Plan, best.Stopped || outcome.Stopped
		if refines {
			if p, err = refined(&own, p, outcome); err != nil {
				return nil, err
			}
		}
		p.Chosen, p.Stopped = outcome, p.Stopped || stopped
		if !t.KeepList {
			p.List = nil
		}
		return p, nil
	}
}

// maxKept bounds the words of all PEs with which several plans are kept.
const maxKept = 1 << 22

// fewWords says that the plans of a job take little memory.
func fewWords(t *plan.Task) bool { return len(t.Lengths)*t.TotalWords() <= maxKept }

// rows lists the algorithms that fit a job, in the order of the table. If there is none,
// refused is the error of the first algorithm that does not take the job's options.
func rows(t *plan.Task) (list []Algorithm, refused error) {
	for _, a := range table() {
		if a.Collective != t.Kind.Name || a.Name == auto || t.Among != nil && !slices.Contains(t.Among, a.Name) {
			continue
		}
		a = a.through(&t.Job)
		if !a.runsOn(t.Topology) || !a.Switches(t.Machine.Switching) || a.isOther(&t.Job) || !a.isFor(t) {
			continue
		}
		if err := a.refuses(&t.Job); err != nil {
			if refused == nil {
				refused = err
			}
			continue
		}
		list = append(list, a)
	}
	switch {
	case len(list) > 0:
	case refused == nil:
		among := ""
		if t.Among != nil {
			among = fmt.Sprintf(" among %q", t.Among)
		}
		return nil, input.Errorf("expected "+input.Or(Algorithms(t.Kind.Name)), "no algorithm for %s on %s%s", t.Kind.Name, t.Topology, among)
	default:
		return nil, refused
	}
	last := func(a Algorithm) bool {
		return a.lastResort && !weighsLast(t) || a.effort.weak != nil && a.effort.weak(t)
	}
	if slices.ContainsFunc(list, func(a Algorithm) bool { return !last(a) }) {
		list = slices.DeleteFunc(list, last)
	}
	return list, nil
}

// mostWeighed bounds the networks on which a last resort is compared, in nodes.
const mostWeighed = 128

// weighsLast reports whether the last resort is compared as others are: where a list names it, and on small networks that switch packets, for which
// few algorithms are made.
func weighsLast(t *plan.Task) bool {
	return t.Among != nil || t.Machine.PacketSwitched() && len(t.Lengths) <= mostWeighed
}

// nothingBut begins a refusal that names an algorithm which is the last resort with what it means: the user did not name the algorithm, and the job
// has no other.
func nothingBut(rows []Algorithm, t *plan.Task, err error) error {
	var refusal *input.Error
	if len(rows) != 1 || !rows[0].lastResort || t.Among != nil || !errors.As(err, &refusal) || !strings.HasPrefix(refusal.What, t.Kind.Name+" "+rows[0].Name+" ") {
		return err
	}
	own := *refusal
	own.What = fmt.Sprintf("no %s takes this job: %s", t.Kind.Name, refusal.What)
	return &own
}

// entries are the candidates: the rows, but for those whose place a variant
// takes, and the variants.
func entries(t *plan.Task, rows []Algorithm, variants []plan.Variant) []contest.Entry[contender] {
	var list []contest.Entry[contender]
	for _, a := range rows {
		if slices.ContainsFunc(variants, func(v plan.Variant) bool { return v.IsRow && v.Algorithm == a.Name }) {
			continue
		}
		e := entry(t, plan.Variant{Name: a.Name, Algorithm: a.Name, Plan: a.plan})
		e.TooLong = a.effort.nodes > 0 && len(t.Lengths) > a.effort.nodes && (a.effort.quick == nil || !a.effort.quick(t))
		if least := a.effort.least; least != nil && len(t.Lengths) > a.effort.above {
			e.Least, e.Searches = func() router.Cycle { return least(t) }, a.effort.searches
		}
		list = append(list, e)
	}
	for _, v := range variants {
		list = append(list, entry(t, v))
	}
	return list
}

// entry makes a candidate. Every plan is made from a task of its own.
func entry(t *plan.Task, v plan.Variant) contest.Entry[contender] {
	return contest.Entry[contender]{Name: v.Name, Plan: func() (contender, error) {
		own := *t
		p, err := planned(&own, v.Plan)
		if err != nil {
			return contender{}, err
		}
		p.Collective, p.Algorithm = t.Kind.Name, v.Algorithm
		return contender{p}, nil
	}}
}

// contender is a plan in a contest.
type contender struct{ *plan.Plan }

// Estimate returns the algorithm's prediction.
func (c contender) Estimate() contest.Estimate { return c.Predicted }

// Floor is the job's lower bound. On machines that switch packets no algorithm
// puts messages together.
func (c contender) Floor() router.Cycle {
	if c.Machine.PacketSwitched() && c.Collective != plan.Gossip {
		return c.UncombinedBound()
	}
	return c.LowerBound()
}

// Simulate runs the plan until it is done, or later than limit.
func (c contender) Simulate(ctx context.Context, limit router.Cycle) (router.Cycle, bool, error) {
	switch {
	case c.TimeOnly:
		return 0, false, nil
	case c.Measured > 0:
		return c.Measured, true, nil
	}
	return simulate(ctx, c.Plan, limit)
}

// simulate runs a plan until it is done, or later than limit, and says whether it delivers, as far as it ran.
func simulate(ctx context.Context, p *plan.Plan, limit router.Cycle) (cycles router.Cycle, ok bool, err error) {
	timed, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r, err := Execute(timed, p, func(n *fabric.Network) error {
		n.Attach(&stopwatch{limit: limit, stop: stop})
		return nil
	})
	var unfit *input.Error
	var large *memory.TooLarge
	switch {
	case ctx.Err() == nil && errors.Is(context.Cause(timed), errLate):
		return limit + 1, true, nil
	case errors.As(err, &unfit), errors.As(err, &large):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return r.Cycles, r.Delivered, nil
}

// errLate ends a run that cannot win any more.
var errLate = errors.New("collective: too late")

// stopwatch ends a run in which data arrive later than limit.
type stopwatch struct {
	limit router.Cycle
	stop  context.CancelCauseFunc
}

// Evaluate watches the deliveries to the PEs.
func (w *stopwatch) Evaluate(s fabric.Signals) {
	if !s.Taking() || s.Network().ArrivalTime(s.Now()) <= w.limit {
		return
	}
	for _, d := range s.Flits() {
		if s.Worm(d.Flit).Kind == router.Data {
			w.stop(errLate)
			return
		}
	}
}

// Update has nothing to do.
func (w *stopwatch) Update(fabric.Signals) {}

// OnlyMessages marks a fabric.Messenger.
func (w *stopwatch) OnlyMessages() {}

// Wakes lets the clock skip: a stopwatch only watches.
func (w *stopwatch) Wakes() router.Cycle { return fabric.Never }
