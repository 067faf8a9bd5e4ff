// SPDX-License-Identifier: Apache-2.0

package stages

import "meshwright/router"

// blockParts is into how many parts a block is thought cut when two colours
// share it.
const blockParts = 16

// legFinder finds good legs of a torus of two dimensions.
type legFinder struct {
	Pace
	grid  Grid
	words int
	short int                 // the axis along which the first part goes first
	memo  map[[2]int]timedLeg // by axis and words
}

type timedLeg struct {
	Leg
	time router.Cycle
}

// bestLegs returns the best of the strides that go along whole axes: all of a
// block along one axis first, or part of it along the other. The parts are
// found by halving, for the sum over the phases of the longer leg.
func bestLegs(g Grid, words int, p Pace) Legs {
	short := 0
	if g[1].Size < g[0].Size {
		short = 1 // lying and standing tori get the same
	}
	f := &legFinder{Pace: p, grid: g, words: words, short: short, memo: map[[2]int]timedLeg{}}
	best, least := 0, router.Cycle(-1)
	weigh := func(parts int) {
		if parts < 0 || parts > blockParts {
			return
		}
		if time := f.time(parts); least < 0 || time < least {
			best, least = parts, time
		}
	}
	for parts := 0; parts <= blockParts; parts += 4 {
		weigh(parts)
	}
	for _, step := range [...]int{2, 1} {
		middle := best
		weigh(middle - step)
		weigh(middle + step)
	}
	return f.choose(best)
}

// cut returns the words of a block that go along the short axis first, and those that go
// along the long one, rounded as the transfers' are.
func (f *legFinder) cut(parts int) [2]int {
	first := f.words * parts / blockParts
	return [2]int{first, f.words - first}
}

// time is about that of strides in which so many parts go along the short axis first.
func (f *legFinder) time(parts int) router.Cycle {
	w := f.cut(parts)
	short, long := f.short, 1-f.short
	return max(f.leg(short, w[0]).time, f.leg(long, w[1]).time) +
		max(f.leg(long, w[0]*f.grid[short].Size).time, f.leg(short, w[1]*f.grid[long].Size).time)
}

// leg returns the best for so many words a node.
func (f *legFinder) leg(axis, words int) timedLeg {
	key := [2]int{axis, words}
	l, ok := f.memo[key]
	if !ok {
		l = timedLeg{Leg: Leg{Axis: axis, Buckets: 1}}
		line := Grid{f.grid[axis]}
		if s, time, ok := BestTurns(line, words, f.Pace); ok && words > 0 {
			l.Buckets, l.Rounds, l.time = s.Buckets, s.Axes[0], time
		}
		f.memo[key] = l
	}
	return l
}

// choose enters the legs.
func (f *legFinder) choose(parts int) Legs {
	var s Legs
	share := [2]int{parts, blockParts - parts}
	for colour, words := range f.cut(parts) {
		if words > 0 {
			first := (f.short + colour) % 2
			legs := []Leg{f.leg(first, words).Leg, f.leg(1-first, words*f.grid[first].Size).Leg}
			s.Colours = append(s.Colours, Colour{share[colour], legs})
		}
	}
	return s
}
