// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"fmt"
	"math/rand/v2"

	"meshwright/firmware/bound"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
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
	Steps    int // of Improve; 0: its default
}

// Spread is the mean and the largest of some ratios.
type Spread struct{ Mean, Worst float64 }

// Quality says how far plans are from the optimum, as ratios of times.
type Quality struct {
	Sample
	Furthest Spread // FurthestFirst over the optimum
	Unbroken Spread // OptimumUnbroken over the optimum
	Improved Spread // Improve over the optimum
	Met      int    // cases in which Improve is optimal
	Bound    Spread // the optimum over bound.PacketTree
}

// Compare measures a sample. It returns an error for samples that Optimum does
// not take, or when ctx ends.
func Compare(ctx context.Context, s Sample) (Quality, error) {
	q := Quality{Sample: s}
	if s.Cases < 1 || s.Messages < 1 || s.Flits < 1 || s.Span < 1 || s.Nodes <= s.Messages {
		return q, input.Errorf("expected 1 or more of each, and more nodes than messages",
			"%d cases, %d nodes, span %d, %d messages, %d flits", s.Cases, s.Nodes, s.Span, s.Messages, s.Flits)
	}
	if s.Nodes > maxNodes {
		return q, input.Errorf(fmt.Sprintf("expected at most %d", maxNodes), "trees of %d nodes", s.Nodes)
	}
	random := rand.New(rand.NewPCG(s.Seed, 2))
	for range s.Cases {
		parent, lengths := s.draw(random)
		if err := q.add(ctx, parent, lengths); err != nil {
			return q, err
		}
	}
	for _, spread := range []*Spread{&q.Furthest, &q.Unbroken, &q.Improved, &q.Bound} {
		spread.Mean /= float64(s.Cases)
	}
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
	best, err := Optimum(ctx, t, lengths, q.Beta)
	if err != nil {
		return err
	}
	unbroken, err := OptimumUnbroken(ctx, t, lengths, q.Beta)
	if err != nil {
		return err
	}
	if !best.Optimal || !unbroken.Optimal {
		return input.Errorf("", "stopped before the optimum was found")
	}
	first, err := FurthestFirst(t, lengths, q.Beta)
	if err != nil {
		return err
	}
	better, err := Improve(ctx, t, lengths, q.Beta, Effort{Seed: q.Seed, Steps: q.Steps})
	if err != nil {
		return err
	}
	low, err := bound.PacketTree(parent, lengths, router.Cycle(q.Beta.Num()), router.Cycle(q.Beta.Den()))
	if err != nil {
		return err
	}
	if better.Ticks == best.Ticks {
		q.Met++
	}
	q.Furthest.add(first.Ticks, best.Ticks)
	q.Unbroken.add(unbroken.Ticks, best.Ticks)
	q.Improved.add(better.Ticks, best.Ticks)
	q.Bound.add(best.Ticks, Ticks(low))
	return nil
}

// add sums ratios up in Mean until their number is known.
func (s *Spread) add(time, best Ticks) {
	ratio := float64(time) / float64(best)
	s.Mean += ratio
	s.Worst = max(s.Worst, ratio)
}
