// SPDX-License-Identifier: Apache-2.0

package gossip

import (
	"slices"

	"meshwright/router"
)

// mostBuckets bounds the buckets that are tried: every one costs its links'
// hops in every step.
const mostBuckets = 12

// BestStrides returns the fastest strides that it finds for blocks of so many
// words, and their time. Sides that are not equal get the rounds that suit a
// torus of that side. There are none for grids with paths of more than two nodes.
func BestStrides(g Grid, words int, p Pace) (Strides, router.Cycle, bool) {
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
			plan := strider{Pace: p, size: a.Size, axes: len(g), words: words, buckets: buckets, memo: map[[2]int]*choice{}}
			for c := plan.best(a.Size, 1); c != nil && c.Factor > 0; c = c.rest {
				known[a.Size] = append(known[a.Size], c.Stride)
			}
		}
		s.Axes = append(s.Axes, known[a.Size])
	}
	return s
}

// strider finds good rounds for a torus of equal sides, from the last one
// back: what is left to do depends on the largest gap between places that are
// known, and on how many these are.
type strider struct {
	Pace
	size, axes, words, buckets int
	memo                       map[[2]int]*choice
}

// choice is a round with the best ones behind it.
type choice struct {
	Stride
	first frame // of its first step
	time  router.Cycle
	rest  *choice
}

// best returns the best rounds for a gap when m places are known; a choice
// without a factor when there is no gap.
func (s *strider) best(gap, m int) *choice {
	if gap == 1 {
		return &choice{}
	}
	key := [2]int{gap, m}
	if c := s.memo[key]; c != nil {
		return c
	}
	var found *choice
	for _, a := range factorsOf(gap) {
		even := ceil(gap, a)
		near := s.size / ceil(s.size, even) // so many fit round the ring without a rest
		for _, d := range distinctOf(even, even/s.buckets*s.buckets, ceil(even, s.buckets)*s.buckets, near, near/s.buckets*s.buckets) {
			if d < 1 || 2*d >= s.size || (a-1)*d >= gap || a == gap && d > 1 {
				continue
			}
			if c := s.round(Stride{a, d}, gap, m); c != nil && (found == nil || c.time < found.time) {
				found = c
			}
		}
	}
	s.memo[key] = found
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

func distinctOf(list ...int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

// round is a choice with the time of its own round, all axes after one another.
func (s *strider) round(r Stride, gap, m int) *choice {
	rest := s.best(max(r.Distance, gap-(r.Factor-1)*r.Distance), min(s.size, m*r.Factor))
	if rest == nil {
		return nil
	}
	c := &choice{Stride: r, rest: rest}
	blocks := 1
	for range s.axes {
		blocks *= m
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
	if rest.Factor == 0 {
		c.time += s.end(last)
	} else {
		c.time += s.then(last, rest.first) + rest.time
	}
	return c
}
