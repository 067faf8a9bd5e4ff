// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"errors"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// findWork bounds the exact search of Find: some two seconds' worth, the same
// on every computer.
const findWork = 200_000_000

// Find plans a scatter, lengths by node. When messages are few and small, it finds the optimum
// in a few seconds; otherwise it returns the best plan of Improve or of the unfinished search.
// Plan.Optimal says which. A plan as fast as the lower bound is optimal in either case. The
// same arguments give the same plan, unless ctx ends early. Errors: see FurthestFirst.
func Find(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, effort Effort) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	return find(ctx, t, lengths, beta, effort, findWork)
}

func find(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, effort Effort, work int) (*Plan, error) {
	m, err := messagesOf(t, lengths, clockOf(beta))
	if err != nil {
		return nil, err
	}
	if len(m.node) > OptimumMessages {
		return Improve(ctx, t, lengths, beta, effort)
	}
	quick := Effort{Seed: effort.Seed, Steps: startSteps}
	best, err := Improve(ctx, t, lengths, beta, quick)
	if err != nil || best.Optimal {
		return best, err
	}
	proved, err := optimum(ctx, t, lengths, beta, 1, work, best)
	var tooMuch *input.Error
	switch {
	case err == nil && proved.Optimal:
		return proved, nil
	case err == nil:
		best = proved
	case !errors.As(err, &tooMuch):
		return nil, err
	}
	improved, err := Improve(ctx, t, lengths, beta, effort)
	if err == nil && improved.Ticks < best.Ticks {
		best = improved
	}
	return best, err
}

// FindUnbroken is OptimumUnbroken if that takes at most a few seconds; otherwise the plan is
// nil. If best is known to be optimal, a furthest-first plan of the same time needs no further
// proof.
func FindUnbroken(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, best *Plan) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	return findUnbroken(ctx, t, lengths, beta, best, findWork)
}

func findUnbroken(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, best *Plan, work int) (*Plan, error) {
	start, err := FurthestFirstContext(ctx, t, lengths, beta)
	if err != nil {
		return nil, err
	}
	start.Optimal = start.Optimal || best.Optimal && start.Ticks == best.Ticks
	if start.Optimal {
		return start, nil
	}
	plan, err := optimum(ctx, t, lengths, beta, maxFlits, work, start)
	var tooMuch *input.Error
	switch {
	case errors.As(err, &tooMuch):
		return nil, nil
	case err != nil || !plan.Optimal:
		return nil, err
	}
	return plan, nil
}
