// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
)

// Factors are the a and b of algorithms with bridgeheads.
type Factors struct{ A, B int }

// The options for a and b. Errors name them so.
const (
	Bridgeheads = "bridgeheads"
	RoundSteps  = "round-steps"
)

// String shows what there is of them, in parentheses.
func (f Factors) String() string {
	switch {
	case f.A == 0:
		return ""
	case f.B == 0:
		return fmt.Sprintf("(%d)", f.A)
	}
	return fmt.Sprintf("(%d,%d)", f.A, f.B)
}

// CheckAxes returns an *input.Error if the factors of a Circular do not fit the axes of a
// grid: a is at most the longest side (shorter sides are one round of neighbours), b lies
// between half of a and the number of nodes.
func (f Factors) CheckAxes(g Grid) error {
	_, most := g.sides()
	return f.check(most, "the nodes along the longest dimension", g.Nodes())
}

// CheckDiagonal returns an *input.Error if the factors of a Diagonal do not fit a grid: a
// is at most the shortest side.
func (f Factors) CheckDiagonal(g Grid) error {
	if len(g) < 2 {
		return input.Errorf("expected at least 2 dimensions of more than one node", "a diagonal in %s", input.Count(len(g), "dimension"))
	}
	least, _ := g.sides()
	return f.check(least, "the nodes along the shortest dimension", g.Nodes())
}

func (f Factors) check(places int, which string, nodes int) error {
	if places < 2 {
		return input.Errorf("expected at least 2 nodes", "bridgeheads on %s", input.Count(nodes, "node"))
	}
	if f.A < 2 || f.A > places {
		return input.Errorf(fmt.Sprintf("expected 2 to %d, %s", places, which), "%s %d", Bridgeheads, f.A)
	}
	if least, most := f.A/2, max(f.A, nodes); f.B < least || f.B > most {
		return f.wrongSteps(fmt.Sprintf("expected %d, half of the bridgeheads, to %d", least, most))
	}
	return nil
}

// CheckOpen returns an *input.Error if b is given and a is left open.
func (f Factors) CheckOpen() error {
	if f.A == 0 && f.B != 0 {
		return input.Errorf("expected "+Bridgeheads+", too", "%s %d without %s", RoundSteps, f.B, Bridgeheads)
	}
	return nil
}

// CheckRounds returns an *input.Error if b is given and a is 1, for an algorithm
// that has no rounds then.
func (f Factors) CheckRounds() error {
	if f.A == 1 && f.B != 0 {
		return f.wrongSteps("expected none: there are no rounds")
	}
	return nil
}

// wrongSteps refuses a b that does not suit the a.
func (f Factors) wrongSteps(want string) error {
	return input.Errorf(want, "%s %d with %s %d", RoundSteps, f.B, Bridgeheads, f.A)
}

// BestAxes returns the factors with which Axes and a Circular take the least
// time, for blocks of so many words; with a > 0 the b that suits that a. Grids
// of a single node have none.
func BestAxes(g Grid, words, colours, a int, m *machine.Machine) Factors {
	_, most := g.sides()
	return best(a, most, g.Nodes(), m, func(f Factors) Cost { return AxesCost(g, words, colours, Circular(f)) })
}

// BestDiagonal returns the same for a Diagonal.
func BestDiagonal(g Grid, words, colours, a int, m *machine.Machine) Factors {
	least, _ := g.sides()
	known := newMeasured()
	return best(a, least, g.Nodes(), m, func(f Factors) Cost { return Diagonal(f).cost(g, words, colours, known) })
}

// best tries all a up to a number of places, or the given one.
func best(a, places, nodes int, m *machine.Machine, cost func(Factors) Cost) Factors {
	from, to := 2, places
	if a > 0 {
		from, to = a, a
	}
	var found Factors
	for a := from; a <= to; a++ {
		f := bestB(a, max(a, nodes), m, cost)
		if found.A == 0 || cost(f).Cycles(m) < cost(found).Cycles(m) {
			found = f
		}
	}
	return found
}

// bestB tries every b up to some beyond half of a, further ones at growing
// distances, and walks from the best of them until no step to either side is
// faster: the time as a function of b falls and then rises, but for the
// rounding of parts and of the last round's steps.
func bestB(a, most int, m *machine.Machine, cost func(Factors) Cost) Factors {
	at, time := 0, router.Cycle(0)
	try := func(b int) bool {
		if b < a/2 || b > most {
			return false
		}
		next := cost(Factors{a, b}).Cycles(m)
		if at > 0 && next >= time {
			return false
		}
		at, time = b, next
		return true
	}
	for beyond := 0; beyond <= most-a/2; beyond += 1 + beyond/4 {
		try(a/2 + beyond)
	}
	for step := 1 + (at-a/2)/8; step > 0; {
		if !try(at+step) && !try(at-step) {
			step /= 2
		}
	}
	return Factors{a, at}
}
