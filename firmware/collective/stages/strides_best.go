// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

	"meshwright/router"
)

// mostBuckets bounds the buckets that are tried: every one costs its links'
// hops in every step.
const mostBuckets = 12

// BestStrides returns the fastest strides that it finds for blocks of so many
// words, as Strides or as Legs, and their time. Sides that are not equal get the rounds that suit a
// torus of that side. There are none for grids with paths of more than two nodes.
func BestStrides(g Grid, words int, p Pace) (Form, router.Cycle, bool) {
	turns, least, found := BestTurns(g, words, p)
	if found && len(g) == 2 && words > 0 {
		legs := bestLegs(g, words, p)
		if time, err := legs.Time(g, words, p); err == nil && time < least {
			return legs, time, true
		}
	}
	return turns, least, found
}

// BestTurns is the best of the strides whose axes take turns.
func BestTurns(g Grid, words int, p Pace) (Strides, router.Cycle, bool) {
	common := 0
	for _, a := range g {
		switch {
		case a.Ring:
			common = divisor(common, a.Size)
		case a.Size > 2:
			return Strides{}, 0, false
		}
	}
	var best Strides
	found, least := false, router.Cycle(0)
	for buckets := 1; buckets <= mostBuckets; buckets++ {
		if buckets > 1 && (common == 0 || common%buckets != 0) {
			continue
		}
		s := planStrides(g, words, buckets, p)
		time, err := s.Time(g, words, p)
		if err == nil && (!found || time < least) {
			best, least, found = s, time, true
		}
	}
	return best, least, found
}

// planStrides plans every side by itself.
func planStrides(g Grid, words, buckets int, p Pace) Strides {
	s := Strides{Buckets: buckets}
	known := map[int][]Stride{}
	for _, a := range g {
		if !a.Ring {
			s.Axes = append(s.Axes, []Stride{{2, 1}})
			continue
		}
		if known[a.Size] == nil {
			plan := strider{Pace: p, size: a.Size, axes: len(g), words: words, buckets: buckets, memo: make([]choice, a.Size+1)}
			for gap := a.Size; gap > 1; {
				c := plan.best(gap)
				known[a.Size] = append(known[a.Size], c.Stride)
				gap = c.Stride.leaves(gap)
			}
		}
		s.Axes = append(s.Axes, known[a.Size])
	}
	return s
}

// strider finds good rounds for a torus of equal sides, from the last one
// back. What is left to do depends on the largest gap between places that are
// known; their number is taken to be the least that leaves such a gap.
type strider struct {
	Pace
	size, axes, words, buckets int
	memo                       []choice // by gap
}

// choice is a round, the first of the best ones for a gap.
type choice struct {
	Stride
	first frame        // of its first step
	time  router.Cycle // with all that follow
}

// leaves returns the largest gap after a round.
func (r Stride) leaves(gap int) int { return max(r.Distance, gap-(r.Factor-1)*r.Distance) }

// best returns the best round for a gap of at least 2.
func (s *strider) best(gap int) *choice {
	found := &s.memo[gap]
	if found.Factor > 0 {
		return found
	}
	var least choice
	for _, a := range factorsOf(gap) {
		even := ceil(gap, a)
		near := s.size / ceil(s.size, even) // so many fit round the ring without a rest
		last := 0
		for _, d := range [...]int{near / s.buckets * s.buckets, even / s.buckets * s.buckets, near, even, ceil(even, s.buckets) * s.buckets} {
			if d <= last || 2*d >= s.size || (a-1)*d >= gap || a == gap && d > 1 {
				continue
			}
			last = d
			if c := s.round(Stride{a, d}, gap); least.Factor == 0 || c.time < least.time {
				least = c
			}
		}
	}
	*found = least
	return found
}

// factorsOf lists the factors that are tried for a gap, in rising order: small
// ones, those that leave small gaps, and some between.
func factorsOf(gap int) []int {
	var list []int
	for a := 2; a <= gap; a += 1 + a/32 {
		list = append(list, a)
	}
	for rest := 1; rest <= min(gap/2, 32); rest++ {
		list = append(list, ceil(gap, rest))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// round is a choice with the time of its own round, all axes after one another,
// and of what follows.
func (s *strider) round(r Stride, gap int) choice {
	c := choice{Stride: r}
	blocks := 1
	for range s.axes {
		blocks *= ceil(s.size, gap)
	}
	var last frame
	for turn := range s.axes {
		words := blocks * s.words / s.axes
		steps := r.Factor / 2
		full, _ := s.frame(Line{s.size, true}, r.Distance, s.buckets, words)
		end := full
		if r.Factor%2 == 0 {
			end, _ = s.frame(Line{s.size, true}, r.Distance, s.buckets, (words+1)/2)
		}
		first := full
		if steps == 1 {
			first = end
		}
		if turn == 0 {
			c.first = first
		} else {
			c.time += s.then(last, first)
		}
		if steps > 1 {
			c.time += router.Cycle(steps-2)*s.then(full, full) + s.then(full, end)
		}
		last = end
		blocks *= r.Factor
	}
	if rest := r.leaves(gap); rest == 1 {
		c.time += s.end(last)
	} else {
		next := s.best(rest)
		c.time += s.then(last, next.first) + next.time
	}
	return c
}
