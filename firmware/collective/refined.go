// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"errors"
	"slices"

	"meshwright/firmware/collective/leaders"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// refinedPlan plans by the fastest of the other algorithms, and makes its schedule faster.
func refinedPlan(t *plan.Task) (*plan.Plan, error) {
	if err := refine.Refuse(t); err != nil {
		return nil, err
	}
	own := *t
	own.Among = nil
	p, err := autoPlan(nil)(&own)
	if err != nil {
		return nil, err
	}
	p.Algorithm, p.Chosen = "", nil
	return p, nil
}

// withoutRefined takes the row of refined schedules away, which begin with those of other rows. It reports whether auto looks for one.
func withoutRefined(t *plan.Task, rows []Algorithm) (others []Algorithm, found bool) {
	others = slices.DeleteFunc(rows, func(a Algorithm) bool { return a.Name == refine.Name })
	return others, len(others) < len(rows) && refine.Refuse(t) == nil
}

// refined returns a faster plan than that of the winner of a contest, if searches find one; otherwise the winner.
func refined(t *plan.Task, winner *plan.Plan, outcome *contest.Outcome) (*plan.Plan, error) {
	searches := []func(*plan.Task, *plan.Plan) (*plan.Plan, error){refine.Plan}
	if t.Kind.Name == plan.Allreduce {
		searches = append(searches, leaders.Improve, refine.Plan)
	}
	if t.Kind.Name == plan.Gossip || t.Kind.Name == plan.ReduceScatter {
		searches = append(searches, refine.Bundles)
	}
	best, known, how := winner, timed(winner, outcome), contest.Predicted
	for _, search := range searches {
		if t.Search.Err() != nil {
			break
		}
		own := *t
		p, err := search(&own, known)
		var refusal *input.Error // its messages need larger headers, or more words, than the machine has
		switch {
		case errors.As(err, &refusal):
			continue
		case err != nil:
			return nil, err
		case p == nil || p.FitsHeaders() != nil:
			continue
		}
		better, as, err := faster(t, p, known.Predicted.Least)
		if err != nil {
			return nil, err
		}
		if better != nil {
			best, known, how = p, better, as
		}
	}
	if best == winner {
		return winner, nil
	}
	best.Collective, best.Algorithm = t.Kind.Name, refine.Name
	outcome.Weighed = slices.Insert(outcome.Weighed, 0, contest.Weighed{Name: refine.Name, Cycles: known.Predicted.Least, How: how})
	outcome.AtFloor = known.Predicted.Least <= best.LowerBound()
	return best, nil
}

// faster returns a plan with its time, and how that is known; nil if it is not below a limit. A plan whose prediction is not exact is simulated.
func faster(t *plan.Task, p *plan.Plan, limit router.Cycle) (*plan.Plan, contest.How, error) {
	if p.Predicted.Exact {
		return p, contest.Predicted, nil
	}
	cycles, ok, err := contender{p}.Simulate(t.Ctx, limit-1)
	if err != nil || !ok || cycles >= limit {
		return nil, contest.Simulated, err
	}
	return withTime(p, cycles), contest.Simulated, nil
}

// withTime is a plan with an exact time, which a simulation has shown.
func withTime(p *plan.Plan, cycles router.Cycle) *plan.Plan {
	known := *p
	known.Predicted = contest.Estimate{Least: cycles, Exact: true}
	return &known
}

// timed is a winner with the time that it took in a simulation, if there was one.
func timed(winner *plan.Plan, outcome *contest.Outcome) *plan.Plan {
	first := &outcome.Weighed[0]
	if first.How != contest.Simulated {
		return winner
	}
	return withTime(winner, first.Cycles)
}
