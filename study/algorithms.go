// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"meshwright/firmware/collective"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// AlgorithmTime is what an algorithm makes of a job.
type AlgorithmTime struct {
	Algorithm string
	Predicted contest.Estimate // of the plan, if inexact at least the bound; with faults it says nothing
	Ran       bool             // in the cycle model, so that Cycles are measured
	Cycles    router.Cycle     // in the clock of the machine, as of a run; predicted exactly unless Ran
	Bound     router.Cycle     // no algorithm takes less
	BoundBy   bound.Proof      // the argument
	Delivered bool             // every word of every live PE arrives: by the run if Ran, otherwise by the plan alone
	Stopped   bool             // the limit ended the search for the plan: it is the best that was found
	Refused   error            // the algorithm does not take the job: an *input.Error or *memory.TooLarge
}

// Comparison says what CompareAlgorithms compares.
type Comparison struct {
	Collective string
	Algorithm  string        // only this one, or those of a list between commas; "": all but auto
	Limit      time.Duration // of a search, which then has the best plan that it found, of the rest of the planning, and of a run: what takes longer is refused; 0: none
}

// CompareAlgorithms plans a job by each algorithm of a collective except auto: those that deliver first, by time, those
// that refuse the job last. A plan with an exact prediction is run only if it is the best or the machine has faults, since
// predictions know nothing of the faults that plans do not know. Of a job with TimeOnly nothing is run. Errors other than refusals end the comparison.
func CompareAlgorithms(ctx context.Context, c Comparison, j plan.Job) ([]AlgorithmTime, error) {
	var list []AlgorithmTime
	phase := progress.Begin(ctx, "compare the algorithms of "+c.Collective, 0)
	defer phase.End()
	best := -1
	var plans []*plan.Plan
	names, err := c.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		phase.Describe(name)
		row, p, err := c.time(ctx, name, j)
		if err != nil {
			return nil, err
		}
		list, plans = append(list, row), append(plans, nil)
		if last := len(list) - 1; row.order() == 0 && (best < 0 || row.Cycles < list[best].Cycles) {
			if best >= 0 {
				plans[best] = nil // its memory may be needed
			}
			best, plans[last] = last, p
		}
	}
	if best >= 0 && !list[best].Ran && !j.TimeOnly {
		phase.Describe(list[best].Algorithm)
		if err := c.run(ctx, plans[best], &list[best]); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b AlgorithmTime) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(a.Cycles, b.Cycles))
	})
	return list, nil
}

// names lists the algorithms to compare.
func (c *Comparison) names() ([]string, error) {
	if c.Algorithm != "" && c.Algorithm != collective.Auto {
		return collective.Named(c.Collective, c.Algorithm)
	}
	return slices.DeleteFunc(collective.Algorithms(c.Collective), func(name string) bool { return name == collective.Auto }), nil
}

// order puts what delivers before what does not, and that before what refuses.
func (a *AlgorithmTime) order() int {
	switch {
	case a.Refused != nil:
		return 2
	case !a.Delivered:
		return 1
	}
	return 0
}

// time plans a job, and runs the plan if its time is not certain.
func (c *Comparison) time(ctx context.Context, algorithm string, j plan.Job) (AlgorithmTime, *plan.Plan, error) {
	row := AlgorithmTime{Algorithm: algorithm}
	if c.Limit > 0 {
		j.Limit = c.Limit
	}
	p, err := within(ctx, 2*c.Limit, func(ctx context.Context) (*plan.Plan, error) {
		return collective.Generate(ctx, c.Collective, algorithm, j)
	})
	switch {
	case errors.Is(err, errLate):
		row.Refused = input.Errorf("expected a higher limit", "not planned within %s", c.Limit)
	case refusal(err):
		row.Refused = err
	case err != nil:
		return row, nil, err
	}
	if row.Refused != nil {
		return row, nil, c.bound(ctx, &row, j)
	}
	row.Bound, row.BoundBy, row.Stopped = p.LowerBound(), p.Bound().Proof, p.Stopped
	if j.Machine.Faults != nil {
		return row, nil, c.run(ctx, p, &row)
	}
	row.Predicted = p.Predicted
	if least := &row.Predicted.Least; !p.Predicted.Exact && *least > 0 {
		*least = max(*least, row.Bound)
	}
	if sure(p) {
		row.Cycles, row.Delivered = p.Predicted.Least, true
		return row, p, nil
	}
	if j.TimeOnly {
		row.Refused = input.Errorf("expected a machine on which the prediction is exact, or fewer words", "its time of %d cycles or more needs a run, and no run holds so many words", p.Predicted.Least)
		return row, nil, nil
	}
	return row, nil, c.run(ctx, p, &row)
}

// bound notes the lower bound of a job that was given up.
func (c *Comparison) bound(ctx context.Context, row *AlgorithmTime, j plan.Job) error {
	if c.Limit == 0 {
		return nil
	}
	least, err := collective.Bound(ctx, c.Collective, j)
	if err == nil {
		row.Bound, row.BoundBy = least.Cycles, least.Proof
	} else if refusal(err) {
		err = nil
	}
	return err
}

// sure reports whether a plan takes the time that it predicts. Faults that a plan does not know, and tags that make headers
// too long for a flit, show in the run alone.
func sure(p *plan.Plan) bool {
	return p.Predicted.Exact && p.Machine.Faults == nil && p.Machine.HeaderFlits() == 0
}

// run measures the time of a plan. A best plan that cannot be run keeps its prediction.
func (c *Comparison) run(ctx context.Context, p *plan.Plan, row *AlgorithmTime) error {
	r, err := within(ctx, c.Limit, func(ctx context.Context) (*collective.Result, error) { return collective.Execute(ctx, p) })
	switch {
	case (refusal(err) || errors.Is(err, errLate)) && sure(p):
		return nil
	case errors.Is(err, errLate):
		row.Refused = input.Errorf("expected a higher limit", "not run within %s", c.Limit)
		return nil
	case refusal(err):
		row.Refused = err
		return nil
	case err != nil:
		return err
	}
	row.Ran, row.Cycles, row.Delivered = true, r.Cycles, r.Delivered
	return nil
}

// errLate is the error of work that took too long.
var errLate = errors.New("study: too late")

// within does work that may not take longer than a limit; 0: any time. The error of what takes longer is errLate.
func within[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
	if limit == 0 {
		return work(ctx)
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := work(timed)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		err = errLate
	}
	return result, err
}

// refusal reports whether an algorithm does not take a job.
func refusal(err error) bool {
	var unfit *input.Error
	var large *memory.TooLarge
	return errors.As(err, &unfit) || errors.As(err, &large)
}
