// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/rational"
)

// Sample describes random scatters: trees in which every node hangs from one
// of the Span nodes numbered before it (1: a path), and Messages messages of 1
// to Flits flits to different nodes.
type Sample struct {
	Seed     uint64
	Cases    int
	Nodes    int
	Span     int
	Messages int
	Flits    int
	Beta     rational.Rational
	Steps    int // of Improve; 0: compareSteps
}

// compareSteps is the default effort of Compare's local search for a case, and
// compareWork bounds its exact searches for all cases together, see engine.work.
const (
	compareSteps = 200_000
	compareWork  = 1_000_000_000
)

// Spread is the mean and the largest of some ratios.
type Spread struct{ Mean, Worst float64 }

// Quality says how far plans are from the optimum, as ratios of times: in the
// cases in which the optimum could be found and proved, and from the lower
// bound in all.
type Quality struct {
	Sample
	Proved   int    // cases in which the optimum is known
	Furthest Spread // FurthestFirst over the optimum
	Unbroken Spread // OptimumUnbroken over the optimum, in the cases Whole
	Whole    int    // proved cases in which OptimumUnbroken is known too
	Improved Spread // Improve over the optimum
	Met      int    // proved cases in which Improve is optimal
	Bound    Spread // the optimum over bound.PacketTree

	FurthestBound Spread // FurthestFirst over bound.PacketTree, in all cases
	ImprovedBound Spread // Improve over bound.PacketTree, in all cases
}

// Compare measures a sample. It returns an error for a sample that makes no
// sense, or when ctx ends.
func Compare(ctx context.Context, s Sample) (Quality, error) {
	if s.Steps == 0 {
		s.Steps = compareSteps
	}
	q := Quality{Sample: s}
	if s.Cases < 1 || s.Messages < 1 || s.Flits < 1 || s.Span < 1 || s.Nodes <= s.Messages {
		return q, input.Errorf("expected 1 or more of each, and more nodes than messages",
			"%d cases, %d nodes, span %d, %d messages, %d flits", s.Cases, s.Nodes, s.Span, s.Messages, s.Flits)
	}
	if s.Nodes > maxNodes {
		return q, input.Errorf(fmt.Sprintf("expected at most %d", maxNodes), "trees of %d nodes", s.Nodes)
	}
	random := rand.New(rand.NewPCG(s.Seed, 2))
	phase := progress.Begin(ctx, "compare schedules of random trees", s.Cases)
	defer phase.End()
	for done := range s.Cases {
		phase.Set(done, s.Cases)
		parent, lengths := s.draw(random)
		if err := q.add(ctx, parent, lengths); err != nil {
			return q, err
		}
	}
	for _, spread := range []*Spread{&q.Furthest, &q.Improved, &q.Bound} {
		spread.Mean /= float64(max(1, q.Proved))
	}
	q.Unbroken.Mean /= float64(max(1, q.Whole))
	q.FurthestBound.Mean /= float64(s.Cases)
	q.ImprovedBound.Mean /= float64(s.Cases)
	return q, nil
}

func (s Sample) draw(random *rand.Rand) (parent, lengths []int) {
	parent, lengths = make([]int, s.Nodes), make([]int, s.Nodes)
	parent[0] = -1
	for v := 1; v < s.Nodes; v++ {
		parent[v] = v - 1 - random.IntN(min(v, s.Span))
	}
	for _, v := range random.Perm(s.Nodes - 1)[:s.Messages] {
		lengths[v+1] = 1 + random.IntN(s.Flits)
	}
	return parent, lengths
}

func (q *Quality) add(ctx context.Context, parent, lengths []int) error {
	t, err := NewTree(parent)
	if err != nil {
		return err
	}
	first, err := FurthestFirstContext(ctx, t, lengths, q.Beta)
	if err != nil {
		return err
	}
	better, err := Improve(ctx, t, lengths, q.Beta, Effort{Seed: q.Seed, Steps: q.Steps})
	if err != nil {
		return err
	}
	low, err := leastTicks(t, lengths, clockOf(q.Beta))
	if err != nil {
		return err
	}
	q.FurthestBound.add(first.Ticks, low)
	q.ImprovedBound.add(better.Ticks, low)
	work := compareWork / q.Cases
	best, err := prove(ctx, t, lengths, q.Beta, better, work)
	if err != nil || best == nil {
		return err
	}
	q.Proved++
	if better.Ticks == best.Ticks {
		q.Met++
	}
	q.Furthest.add(first.Ticks, best.Ticks)
	q.Improved.add(better.Ticks, best.Ticks)
	q.Bound.add(best.Ticks, low)
	unbroken, err := findUnbroken(ctx, t, lengths, q.Beta, best, work)
	if err == nil && unbroken != nil {
		q.Whole++
		q.Unbroken.add(unbroken.Ticks, best.Ticks)
	}
	return cmp.Or(err, ctx.Err())
}

// prove is the optimum, or nil if that takes too much work.
func prove(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, start *Plan, work int) (*Plan, error) {
	if start.Optimal {
		return start, nil
	}
	own := *start // the search writes into it
	best, err := optimum(ctx, t, lengths, beta, 1, work, &own)
	var tooMuch *input.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &tooMuch):
		return nil, nil
	case err != nil || !best.Optimal:
		return nil, err
	}
	return best, nil
}

// add sums ratios up in Mean until their number is known.
func (s *Spread) add(time, best Ticks) {
	ratio := float64(time) / float64(best)
	s.Mean += ratio
	s.Worst = max(s.Worst, ratio)
}
