// SPDX-License-Identifier: Apache-2.0

package stages

// Cost returns the cost of List for blocks of so many words: the sum over the
// steps of the largest message and the largest distance. It is exact for tori
// of equal sides where side/A is a power of 3 and of A, or 3, when every round's
// parts divide the words; else it is an upper bound. Of a
// torus of d sides n in d colours, with l flits a block, it is (in units of l
// flits; r startup)
//
//	concentrate  Σ_{i<s} (r + 3^i/d), s = ⌈log3 n/A⌉
//	exchange     ⌊A/2⌋ (r + n/(A·d)) along the first axis,
//	             ⌊A/2⌋ (r + m/d) along every other, m = n, A·n, A²·n, …
//	round        B (r + m/(k·d)) with k = 2B-A+2,
//	             ⌊A/2⌋ (r + m/d) along every other axis, after which m is A times as large
//
// and as many rounds as it takes until m = n^d (paper, theorem on CUBGOS). On
// meshes the bridgeheads at the border are fed from one side only: there a
// round has k+A-2 steps, up to 2B, and an exchange A-1.
func (d Diagonal) Cost(g Grid, words, colours int) Cost {
	return d.cost(g, words, colours, newMeasured())
}

// measured remembers what axes of equal length, and other Diagonals of the same grid, have measured.
type measured struct {
	starts map[ruler]start
	rounds map[measuredRound]round
}

// measuredRound is a round between two spacings.
type measuredRound struct {
	ruler
	wide, narrow int
}

func newMeasured() *measured {
	return &measured{map[ruler]start{}, map[measuredRound]round{}}
}

func (m *measured) start(r ruler) start {
	s, ok := m.starts[r]
	if !ok {
		s = r.start()
		m.starts[r] = s
	}
	return s
}

func (m *measured) round(r ruler, wide, narrow int) round {
	key := measuredRound{r, wide, narrow}
	s, ok := m.rounds[key]
	if !ok {
		s = r.round(wide, narrow)
		m.rounds[key] = s
	}
	return s
}

func (d Diagonal) cost(g Grid, words, colours int, known *measured) Cost {
	f := d.formula(g, ceil(words, colours), colours)
	f.measured = known
	spacings := d.spacings(g)
	f.begin()
	for i := 1; i < len(spacings); i++ {
		f.round(spacings[i-1], spacings[i])
	}
	return f.runs.cost()
}

// diagonalFormula adds up the steps of a Diagonal.
type diagonalFormula struct {
	Diagonal
	grid    Grid
	words   int
	colours int
	rulers  []ruler
	*measured
	counts [][]int // by colour, of what a bridgehead knows: places along each axis
	runs   Runs
}

func (d Diagonal) formula(g Grid, words, colours int) *diagonalFormula {
	f := &diagonalFormula{Diagonal: d, grid: g, words: words, colours: colours}
	spacing := d.spacings(g)[0]
	for _, a := range g {
		f.rulers = append(f.rulers, newRuler(a.Line, spacing))
	}
	for range colours {
		f.counts = append(f.counts, distinct(len(g)))
		for a := range g {
			f.counts[len(f.counts)-1][a] = 1
		}
	}
	return f
}

// together adds steps that all colours take at the same time.
func (f *diagonalFormula) together(further int, runs func(axis, colour int) Runs) {
	var all Runs
	for c := range f.colours {
		all = all.with(runs((c+further)%len(f.grid), c))
	}
	f.runs = append(f.runs, all...)
}

// known returns the words that a bridgehead knows.
func (f *diagonalFormula) known(colour int) int {
	words := f.words
	for _, count := range f.counts[colour] {
		words *= count
	}
	return words
}

func (f *diagonalFormula) begin() {
	starts := make([]start, len(f.grid))
	for a, r := range f.rulers {
		starts[a] = f.measured.start(r)
	}
	f.together(0, func(axis, _ int) Runs { return concentrateRuns(starts[axis].side, f.words) })
	for further := range f.grid {
		f.together(further, func(axis, colour int) Runs {
			s, hold, ends, count := starts[axis], 1, 1, starts[axis].heads
			if further == 0 {
				hold, ends, count = s.hold, s.ends, f.grid[axis].Size
			}
			known := f.known(colour)
			f.counts[colour][axis] = count
			return exchangeRuns(f.grid[axis].Line, s.heads, hold*known, ends*known, s.gap)
		})
	}
}

func (f *diagonalFormula) round(wide, narrow int) {
	rounds := make([]round, len(f.grid))
	for a, r := range f.rulers {
		rounds[a] = f.measured.round(r, wide, narrow)
	}
	f.together(0, func(axis, colour int) Runs {
		r := rounds[axis]
		return insertRuns(r.inner, r.outer, f.parts(wide/narrow), f.known(colour), r.gap)
	})
	for further := 1; further < len(f.grid); further++ {
		f.together(further, func(axis, colour int) Runs {
			r, known := rounds[axis], f.known(colour)
			f.counts[colour][axis] = r.heads
			return Runs{{r.steps, known, r.gap}}
		})
	}
}
