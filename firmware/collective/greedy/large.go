// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"meshwright/firmware/collective/sampled"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Gossip gives every node's words to every other. Its errors are *input.Error, or the context's.
func Gossip(t *plan.Task) (*plan.Plan, error) { return anySize(t, grownGossip) }

// Vector broadcasts a vector, sums up vectors for a root, for all nodes, or piece by piece. Its errors are *input.Error, or the context's.
func Vector(t *plan.Task) (*plan.Plan, error) { return anySize(t, grownVector) }

// anySize plans with messages that are the best of all, on large networks also with the best of some, and on larger ones with these alone. Where there is a plan already, a schedule that grows is soon given up if it takes much longer.
func anySize(t *plan.Task, grown func(t *plan.Task, known router.Cycle) (*plan.Plan, error)) (*plan.Plan, error) {
	if len(t.Lengths) <= closeNodes {
		return grown(t, never)
	}
	own := *t
	p, err := sampled.Plan(&own)
	if err != nil || len(t.Lengths) > maxPairs || p.Predicted.Least <= t.LowerBound() {
		return p, err
	}
	other, err := grown(t, p.Predicted.Least+p.Predicted.Least/4)
	if err != nil || other != nil && other.Predicted.Least < p.Predicted.Least {
		return other, err
	}
	return p, nil
}
