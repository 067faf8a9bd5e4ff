// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"math"
	"slices"

	stages "meshwright/firmware/gossip"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// march is a gossip in which all nodes do the same, with a timetable of its own.
type march interface {
	List(g stages.Grid, lengths []int, p stages.Pace) (*transfer.List, error)
	Time(g stages.Grid, words int, p stages.Pace) (router.Cycle, error)
}

// stridesGossip has rounds that suit the longest block.
func stridesGossip(t *task) (*Plan, error) {
	best := stages.BestStrides
	if stages.Foretellable(t.Topology, &t.Machine) != nil {
		best = stages.BestTurns // colours could not keep times of their own
	}
	s, _, ok := best(stages.GridOf(t.Topology), t.longest(), stages.PaceOf(&t.Machine))
	if !ok {
		return nil, input.Errorf("expected rings and tori", "strides on %s", t.Topology)
	}
	return t.marchPlan(s)
}

// crossesGossip has distances that suit the longest block.
func crossesGossip(t *task) (*Plan, error) {
	x, _, ok := stages.BestCrosses(stages.GridOf(t.Topology), t.longest(), stages.PaceOf(&t.Machine), math.MaxInt64)
	if !ok {
		return nil, input.Errorf("expected a torus of up to 16384 nodes", "no crosses found on %s", t.Topology)
	}
	return t.marchPlan(x)
}

// marchPlan makes firmware of a march.
func (t *task) marchPlan(s march) (*Plan, error) {
	if t.mayDeadlock() {
		return nil, t.deadlock()
	}
	g, pace := stages.GridOf(t.Topology), stages.PaceOf(&t.Machine)
	if err := t.needLines(1); err != nil {
		return nil, err
	}
	l, err := s.List(g, t.Lengths, pace)
	if err != nil {
		return nil, err
	}
	if stages.Foretellable(t.Topology, &t.Machine) != nil { // its own timetable is for links that work independently
		l.Timed = false
		for i := range l.Transfers {
			l.Transfers[i].Start = 0
		}
		if err := transfer.TimetableContext(t.ctx, t.Topology, t.Machine, l); err != nil {
			return nil, err
		}
	}
	timing, err := transfer.ForetellContext(t.ctx, t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	p, err := t.transferPlan(l, t.gossipBlock)
	if err != nil {
		return nil, err
	}
	t.foretell(p, timing.Cycles)
	startups := 0
	for i := range l.Transfers {
		startups = max(startups, l.Transfers[i].Step+1)
	}
	p.Facts = append(p.Facts, startupsFact(startups))
	if stages.Foretellable(t.Topology, &t.Machine) == nil && t.equalBlocks() {
		time, err := s.Time(g, t.Lengths[0], pace)
		if err != nil {
			return nil, err
		}
		p.Facts = append(p.Facts, formulaFact(time))
	}
	return p, nil
}

// gossipVariants are what the formulas say is fastest, with options that no row
// of the table has by itself: for the longest and for the average block, on
// networks of up to mostWeighed nodes besides all rows, on larger ones instead.
func gossipVariants(t *task) ([]variant, error) {
	many := len(t.Lengths) > mostWeighed
	switch {
	case t.A != 0 || t.B != 0 || t.Colours != 0 || t.Start != "":
		return nil, nil
	case t.onePort() && many:
		best, err := t.bestOnePort()
		return []variant{best}, err
	case t.Sync || stages.Foretellable(t.Topology, &t.Machine) != nil:
		return nil, nil
	case many:
		c, err := stages.Choose(t.Topology, t.Machine, t.longest())
		if err != nil {
			return nil, err
		}
		return []variant{candidateVariant(c.Best)}, nil
	}
	return t.chosenVariants()
}

// mostCrossed bounds the nodes for which auto looks for crosses that may be slower
// than other gossips; the formulas look for faster ones only, on larger networks, too.
const mostCrossed = 128

// gossipLeast is a time that no gossip beats.
func (t *task) gossipLeast() router.Cycle {
	return t.bounds.least
}

// mostWeighed bounds the nodes for which gossips are planned only to be compared.
const mostWeighed = 512

// chosenVariants are the best of the formulas that are not rows of the table.
func (t *task) chosenVariants() ([]variant, error) {
	var list []variant
	var chooser stages.Chooser
	for _, words := range []int{t.longest(), t.averageBlock()} {
		c, err := chooser.Choose(t.Topology, t.Machine, words)
		if err != nil {
			return nil, err
		}
		for _, one := range []stages.Candidate{c.Bridgeheads, c.Approach1, c.Approach2, c.Best} {
			v := candidateVariant(one)
			known := slices.ContainsFunc(list, func(w variant) bool { return w.name == v.name })
			if one.Algorithm != "" && !known && !t.isRow(&one) {
				list = append(list, v)
			}
		}
	}
	return list, nil
}

// isRow tells a candidate that auto has from the table, too.
func (t *task) isRow(c *stages.Candidate) bool {
	switch c.Algorithm {
	case "strides", "approach1", "approach2":
		return true
	case "crosses":
		return len(t.Lengths) <= mostCrossed
	}
	return c.Algorithm == "highdimgos" && c.A == 0 && c.Colours <= 1
}

func candidateVariant(c stages.Candidate) variant {
	name := c.String()
	if c.Colours > 1 {
		name += fmt.Sprintf(" in %d colours", c.Colours)
	}
	return variant{name, c.Algorithm, func(t *task) (*Plan, error) { return t.candidatePlan(&c) }}
}

// candidatePlan plans what was chosen, without searching for its rounds again.
func (t *task) candidatePlan(c *stages.Candidate) (*Plan, error) {
	switch {
	case len(c.Strides.Axes)+len(c.Strides.Colours) > 0:
		return t.marchPlan(c.Strides)
	case len(c.Crosses.Steps) > 0:
		return t.marchPlan(c.Crosses)
	}
	t.A, t.B = c.A, c.B
	if len(t.Topology.Dims) > 1 {
		t.Colours = c.Colours
	}
	a, err := find(gossip, c.Algorithm, &t.Job)
	if err != nil {
		return nil, err
	}
	return a.plan(t)
}
