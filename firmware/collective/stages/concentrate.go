// SPDX-License-Identifier: Apache-2.0

package stages

// Segment is a bridgehead and how many places to its left and right are its own.
type Segment struct{ Head, Left, Right int }

// side returns the places of the larger side.
func (s Segment) side() int { return max(s.Left, s.Right) }

// A bridgehead takes the blocks of a side of R places in steps. In the last step it
// gets the blocks of the outermost ⌊(2R+1)/3⌋ places, which were concentrated in
// the middle of these places before. In the earlier steps it gets the blocks of the
// other places in the same way. The messages to the bridgehead so carry R blocks
// together. When R = (3^s-1)/2, its message of step i carries 3^i blocks.

// outermost returns how many of the R places of a side come in its last step.
func outermost(side int) int { return (2*side + 1) / 3 }

// depth returns the steps in which a side of so many places is concentrated:
// ⌈log3(2R+1)⌉.
func depth(side int) int {
	steps := 0
	for ; side > 0; steps++ {
		side -= outermost(side)
	}
	return steps
}

// Concentrate brings the blocks of the places of each segment to its bridgehead, from both
// sides at once, in ⌈log3(2R+1)⌉ steps, where R is the number of places on the larger
// side.
func Concentrate(l Line, segments []Segment) *Stage {
	s := &Stage{}
	largest := 0
	for _, g := range segments {
		largest = max(largest, g.side())
	}
	for _, g := range segments {
		l.concentrate(s, g, depth(largest))
		s.gain(l.wrap(g.Head), Places{First: l.wrap(g.Head - g.Left), Count: g.Left + 1 + g.Right}, l.wrap(g.Head))
	}
	s.sort()
	return s
}

// concentrate does so within the given number of steps.
func (l Line) concentrate(s *Stage, g Segment, steps int) {
	if steps == 0 || g.side() == 0 {
		return
	}
	if q := outermost(g.Right); q > 0 {
		g.Right -= q
		first := g.Head + g.Right + 1
		l.outer(s, g.Head, Segment{first + (q-1)/2, (q - 1) / 2, q / 2}, steps)
	}
	if q := outermost(g.Left); q > 0 {
		g.Left -= q
		first := g.Head - g.Left - 1
		l.outer(s, g.Head, Segment{first - (q-1)/2, q / 2, (q - 1) / 2}, steps)
	}
	l.concentrate(s, g, steps-1)
}

// outer concentrates an outermost group, and sends it to the bridgehead in the
// last of the steps.
func (l Line) outer(s *Stage, head int, g Segment, steps int) {
	l.concentrate(s, g, steps-1)
	s.add(Move{Step: steps - 1, From: l.wrap(g.Head), To: l.wrap(head), First: l.wrap(g.Head - g.Left), Count: g.Left + 1 + g.Right, Of: 1})
}

// Spread is Concentrate reversed in time: all places of each segment get the words of its
// bridgehead, which has the words of the whole line.
func Spread(l Line, segments []Segment) *Stage {
	s := Concentrate(l, segments)
	s.Gains = nil
	for i := range s.Moves {
		m := &s.Moves[i]
		m.Step, m.From, m.To = s.Steps-1-m.Step, m.To, m.From
	}
	for _, g := range segments {
		for x := -g.Left; x <= g.Right; x++ {
			s.gain(l.wrap(g.Head), l.all(), l.wrap(g.Head+x))
		}
	}
	head := make([]int, l.Size)
	for _, g := range s.Gains {
		head[g.Place] = g.Like
	}
	for i := range s.Moves {
		m := &s.Moves[i]
		m.First, m.Count = head[m.To], 1
	}
	s.sort()
	return s
}

// concentrateRuns returns the cost of Concentrate for a largest side of so many places with so
// many words each.
func concentrateRuns(side, words int) Runs {
	runs := make(Runs, depth(side))
	for i := len(runs) - 1; i >= 0; i-- {
		q := outermost(side)
		inner := side - q
		runs[i] = Run{1, q * words, inner + 1 + (q-1)/2}
		side = inner
	}
	return runs
}

// spreadRuns returns the cost of Spread for a largest side of so many places when the
// bridgehead has so many words.
func spreadRuns(side, words int) Runs {
	runs := concentrateRuns(side, 1)
	for i, j := 0, len(runs)-1; i <= j; i, j = i+1, j-1 {
		runs[i], runs[j] = Run{1, words, runs[j].Hops}, Run{1, words, runs[i].Hops}
	}
	return runs
}
