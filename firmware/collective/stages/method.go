// SPDX-License-Identifier: Apache-2.0

package stages

// Method is a gossip along a line.
type Method interface {
	// Stages returns the stages on a line of at least two places; at the end every place holds the
	// whole line.
	Stages(l Line) []*Stage
	// Runs returns the steps when every place begins with so many words. For
	// regular lines their sum is the exact time; see the methods.
	Runs(l Line, words int) Runs
	// name is the name of the method's row in the table of package collective.
	name() string
}

func (ThroughCentre) name() string { return approach1Name }

func (PlaceByPlace) name() string { return approach2Name }

func (Circular) name() string { return circularName }

func (circularRounds) name() string { return circularName }

// ThroughCentre concentrates all blocks in one place and spreads them from there,
// each in s = ⌈log3 n⌉ steps: Σ_{i<s}(r + 3^i) + s(r + n) units of a block's
// transfer, startups of r units (Juurlink, Sibeyn and Rao, approach 1). Runs is
// exact for n = 3^s, else an upper bound.
type ThroughCentre struct{}

// Stages implements Method.
func (ThroughCentre) Stages(l Line) []*Stage {
	segments := l.halve([]int{(l.Size - 1) / 2})
	return []*Stage{Concentrate(l, segments), Spread(l, segments)}
}

// Runs implements Method.
func (ThroughCentre) Runs(l Line, words int) Runs {
	return append(concentrateRuns(l.Size/2, words), spreadRuns(l.Size/2, l.Size*words)...)
}

// PlaceByPlace moves all blocks one place a step, both ways: ⌊n/2⌋(r + 1) units
// round a ring (Juurlink, Sibeyn and Rao, approach 2), n-1 steps along a path.
// Runs is exact.
type PlaceByPlace struct{}

// Stages implements Method.
func (PlaceByPlace) Stages(l Line) []*Stage {
	heads := distinct(l.Size)
	return []*Stage{Exchange(l, heads, heads, func(int) Places { return l.all() })}
}

// Runs implements Method.
func (PlaceByPlace) Runs(l Line, words int) Runs {
	return exchangeRuns(l, l.Size, words, words, 1)
}

// Circular is CIRCGOS(n, A, B): A bridgeheads first, and each gap between
// bridgeheads becomes A gaps in every round of B steps, a smaller one at the end
// as many as it can, in B's proportion. A ≥ 2, B ≥ ⌊A/2⌋. On lines of at most A
// places it is PlaceByPlace. Runs is exact for rings of A^i places where the
// first gap, A^(i-1), is a power of 3, and for rings of 3A, when every round's
// parts divide the words; else it is an upper bound.
type Circular struct{ A, B int }

// Stages implements Method.
func (c Circular) Stages(l Line) []*Stage { return c.inRounds(l).Stages(l) }

// Runs implements Method.
func (c Circular) Runs(l Line, words int) Runs { return c.inRounds(l).Runs(l, words) }

func (c Circular) inRounds(l Line) circularRounds {
	s := circularRounds{heads: l.heads(c.A)}
	for width := l.width(s.heads); width > 1; width = ceil(width, min(width, c.A)) {
		s.rounds = append(s.rounds, Round{min(width, c.A), c.steps(min(width, c.A) - 1)})
	}
	return s
}

// steps returns the steps of a round that puts at most x bridgeheads in a gap.
func (c Circular) steps(x int) int { return max((x+1)/2, c.B*(x+1)/c.A) }

// heads returns how many of at least so many bridgeheads a line can have.
func (l Line) heads(least int) int {
	if heads := min(least, l.Size); !l.crowded(heads) {
		return heads
	}
	return l.Size
}

// circularRounds has so many bridgeheads first, as evenly as they can stand, and then
// rounds that multiply them: CIRCGOS with parameters of its own in every round.
// There are as many rounds as it takes to make bridgeheads of all places.
type circularRounds struct {
	heads  int
	rounds []Round
}

// Round makes of every gap between bridgeheads at most Factor gaps, in so many
// Steps, at least ⌊Factor/2⌋.
type Round struct{ Factor, Steps int }

// parts returns the number of parts into which a round cuts the words of the bridgeheads, when
// it puts at most x new bridgeheads into a gap: as many parts as the steps have time for.
func (r Round) parts(x int) int { return max(1, 2*r.Steps-x+1) }

// Stages implements Method.
func (c circularRounds) Stages(l Line) []*Stage {
	heads := l.even(c.heads)
	stages := []*Stage{
		Concentrate(l, l.halve(heads)),
		Exchange(l, heads, distinct(len(heads)), func(int) Places { return l.all() }),
	}
	width := l.width(c.heads)
	for _, r := range c.rounds {
		factor := min(width, r.Factor)
		more := l.divide(heads, factor)
		stages = append(stages, Insert(l, heads, more, r.parts(factor-1)))
		heads, width = more, ceil(width, factor)
	}
	return stages
}

// Runs implements Method.
func (c circularRounds) Runs(l Line, words int) Runs {
	width := l.width(c.heads)
	runs := concentrateRuns(width/2, words)
	runs = append(runs, exchangeRuns(l, c.heads, width*words, (1+width/2)*words, width)...)
	for _, r := range c.rounds {
		factor := min(width, r.Factor)
		width = ceil(width, factor)
		runs = append(runs, insertRuns(factor-1, 0, r.parts(factor-1), l.Size*words, width)...)
	}
	return runs
}
