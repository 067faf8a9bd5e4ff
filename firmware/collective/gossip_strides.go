// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"math"

	"meshwright/firmware/bound"
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
	s, _, ok := stages.BestStrides(stages.GridOf(t.Topology), t.longest(), stages.PaceOf(&t.Machine))
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
	l, err := s.List(g, t.Lengths, pace)
	if err != nil {
		return nil, err
	}
	if stages.Foretellable(t.Topology, &t.Machine) != nil { // its own timetable is for links that work independently
		l.Timed = false
		for i := range l.Transfers {
			l.Transfers[i].Start = 0
		}
		if err := transfer.Timetable(t.Topology, t.Machine, l); err != nil {
			return nil, err
		}
	}
	p, err := t.transferPlan(l, t.gossipBlock)
	if err != nil {
		return nil, err
	}
	p.LowerBound = bound.Gossip(t.Topology, t.Machine, t.Lengths)
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

// bestGossip is the algorithm that the formulas say is fastest for blocks as
// long as the longest. On machines without formulas it is the default.
func bestGossip(t *task) (*Plan, error) {
	if t.onePort() {
		return t.bestOnePort()
	}
	best := stages.Candidate{}
	if stages.Foretellable(t.Topology, &t.Machine) == nil {
		c, err := stages.Choose(t.Topology, t.Machine, t.longest())
		if err != nil {
			return nil, err
		}
		best = c.Best
	}
	a, err := find(gossip, best.Algorithm, &t.Job)
	if err != nil {
		return nil, err
	}
	p, err := t.candidatePlan(&a, &best)
	if err == nil {
		p.Algorithm = a.Name
	}
	return p, err
}

// candidatePlan plans what was chosen, without searching for its rounds again.
func (t *task) candidatePlan(a *Algorithm, c *stages.Candidate) (*Plan, error) {
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
	return a.plan(t)
}
