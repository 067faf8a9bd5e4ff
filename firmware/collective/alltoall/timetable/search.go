// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/router"
)

// goal describes the timetable that is wanted.
type goal struct {
	t       *topology.Topology
	m       machine.Machine // resolved
	lengths []int
	most    int // messages of all rounds together
	bound   router.Cycle
	least   router.Cycle // the bound, or more: that of messages each sent for itself
	best    *Timetable   // so far

	phase *progress.Phase
}

// take keeps a timetable if it is better than the best so far.
func (g *goal) take(t *Timetable) {
	if g.best == nil || t.Cycles < g.best.Cycles {
		g.best = t
	}
}

// ratio returns the time of the best timetable divided by the bound, at least 1.
func (g *goal) ratio() float64 {
	if g.best == nil {
		return math.Inf(1)
	}
	return float64(g.best.Cycles) / float64(g.least)
}

func (g *goal) report(what string) {
	cycles := "none yet"
	if g.best != nil {
		cycles = fmt.Sprintf("%d cycles", g.best.Cycles)
	}
	g.phase.Describe(fmt.Sprintf("%s, bound %d, %s", cycles, g.bound, what))
}

// met reports whether nothing can be better.
func (g *goal) met() bool { return g.best != nil && g.best.Cycles <= g.least }

// search tries the most promising kinds of timetables first: timetables that are the same for
// all nodes, by slots and then by calendars; then timetables of any kind. Equal messages may
// go whole, or in rounds of single flits.
func (g *goal) search(ctx context.Context, o Options) error {
	splits, equal := g.splits()
	if l := newLattice(g.t); l != nil && equal {
		for _, s := range splits {
			if err := g.symmetric(ctx, l, s, o); err != nil {
				return err
			}
		}
		if g.ratio() < goodEnough {
			return nil
		}
	}
	for _, s := range splits {
		if err := g.anyhow(ctx, s, nil, o); err != nil {
			return err
		}
		if g.ratio() < goodEnough {
			break
		}
	}
	return nil
}

// goodEnough is the ratio to the bound below which another kind of search is
// not worth its time.
const goodEnough = 1.02

// split says how a message is sent: so many flits at a time, in so many rounds.
type split struct{ flits, rounds int }

// splits returns the splits to try, in this order, and whether all messages have one length:
// only such messages go in rounds.
func (g *goal) splits() (list []split, equal bool) {
	length := g.lengths[0]
	whole := split{length, 1}
	for _, other := range g.lengths {
		if other != length {
			return []split{whole}, false
		}
	}
	fine := split{g.grain(length), 0}
	fine.rounds = length / fine.flits
	switch {
	case fine.rounds == 1, fine.flits > 1 && fine.flits*g.m.Flit > longHold:
		return []split{whole}, true // worms so long do no better in rounds
	case g.m.Startup == 0 && fine.flits == 1:
		return []split{fine, whole}, true
	}
	return []split{whole, fine}, true
}

// grain returns the least flits of a round, a divisor of the length, with which
// all rounds together have no more messages than they may.
func (g *goal) grain(length int) int {
	messages := g.t.Nodes() * (g.t.Nodes() - 1)
	for flits := 1; flits < length; flits++ {
		if length%flits == 0 && length/flits <= g.most/messages {
			return flits
		}
	}
	return length
}

// symmetric searches for timetables that are the same for all nodes.
func (g *goal) symmetric(ctx context.Context, l *lattice, s split, o Options) error {
	if g.hopeless(s) {
		return nil
	}
	if r, ok := symmetricRules(l, &g.m, s.flits); ok {
		if err := g.bySlots(ctx, l, r, s, o); err != nil {
			return err
		}
	}
	if l.nodes > Narrow && g.ratio() < goodEnough {
		return nil
	}
	// What a message uses at one node must not meet what it uses at the next.
	if model := timing.Stalling(&g.m); model.Work(s.flits)+model.Stall() > model.Hop {
		if slices.Max(l.dims) > 3 || g.m.Ports == machine.SinglePort || g.m.Duplex == machine.Half {
			return nil
		}
	}
	return g.anyhow(ctx, s, l, o)
}

// leastPeriod returns cycles that a round needs at the channels of a node.
func (g *goal) leastPeriod(s split) int {
	most, model := 0, timing.Stalling(&g.m)
	for n := range router.NodeID(g.t.Nodes()) {
		channels := 1
		if timing.IndependentLinks(&g.m) {
			channels = g.t.Degree(n)
		}
		most = max(most, (g.t.Nodes()-1)*int(model.Hold(s.flits))/channels)
	}
	return most
}

// hopeless reports whether rounds cannot be faster than what has been found.
func (g *goal) hopeless(s split) bool {
	return s.rounds > 1 && g.best != nil && s.rounds*g.leastPeriod(s) >= int(g.best.Cycles)
}

// takeRounds keeps a timetable of one round, which as many follow as it says.
func (g *goal) takeRounds(s *space, t *Timetable) {
	t.Period = s.period(t, t.Rounds)
	t.Cycles += router.Cycle(t.Rounds-1) * t.Period
	g.take(t)
}
