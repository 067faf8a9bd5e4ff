// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"errors"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// findVisits bounds the schedules that Find looks at for the optimum: some
// seconds' worth, the same on every computer.
const findVisits = 2_000_000

// Find plans a scatter, lengths by node: the optimum when messages are few and
// small enough to find it in a few seconds, else the best that Improve or the
// unfinished search came upon. Plan.Optimal says which. The same arguments give
// the same plan, unless ctx ends early. Errors: see FurthestFirst.
func Find(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, effort Effort) (*Plan, error) {
	best, err := optimum(ctx, t, lengths, beta, 1, findVisits)
	var tooMuch *input.Error
	switch {
	case errors.As(err, &tooMuch):
		return Improve(ctx, t, lengths, beta, effort)
	case err != nil || best.Optimal:
		return best, err
	}
	improved, err := Improve(ctx, t, lengths, beta, effort)
	if err == nil && improved.Ticks < best.Ticks {
		best = improved
	}
	return best, err
}
