// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Cost is the cost of the longest chain of messages of an all-gather: the numbers of
// startups, flits and links that follow one another.
type Cost struct{ Startups, Flits, Hops int }

// Cycles returns the time of the operation: the messages of the chain are whole one
// after the other, and the operation ends a cycle later.
func (c Cost) Cycles(m *machine.Machine) router.Cycle { return c.time(PaceOf(m)) }

func (c Cost) time(p Pace) router.Cycle {
	if c.Startups == 0 {
		return 0
	}
	return p.Chain(c.Startups, c.Flits, c.Hops) + 1
}

// Run is some steps in which the longest message has so many words and the
// furthest goes over so many links.
type Run struct{ Steps, Words, Hops int }

// Runs are steps, one after the other.
type Runs []Run

// cost adds the steps up.
func (r Runs) cost() Cost {
	var c Cost
	for _, x := range r {
		c.Startups += x.Steps
		c.Flits += x.Steps * x.Words
		c.Hops += x.Steps * x.Hops
	}
	return c
}

// with returns the steps of r and of other at the same time: each step costs
// the more of both.
func (r Runs) with(other Runs) Runs {
	var both Runs
	a, b := append(Runs(nil), r...), append(Runs(nil), other...)
	for len(a) > 0 && len(b) > 0 {
		steps := min(a[0].Steps, b[0].Steps)
		if steps > 0 {
			both = append(both, Run{steps, max(a[0].Words, b[0].Words), max(a[0].Hops, b[0].Hops)})
		}
		a, b = a.behind(steps), b.behind(steps)
	}
	return append(append(both, a...), b...)
}

// behind returns the runs without so many steps of the first one.
func (r Runs) behind(steps int) Runs {
	if r[0].Steps -= steps; r[0].Steps == 0 {
		return r[1:]
	}
	return r
}
