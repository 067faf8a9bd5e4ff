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

// bestGossip is the algorithm that the formulas say is fastest; for blocks of
// different lengths see fastest. On machines without formulas it is the default.
func bestGossip(t *task) (*Plan, error) {
	if t.onePort() {
		return t.bestOnePort()
	}
	best := stages.Candidate{}
	if stages.Foretellable(t.Topology, &t.Machine) == nil {
		c, err := t.fastest()
		if err != nil {
			return nil, err
		}
		best = c
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

// mostWeighed bounds the nodes for which transfers are listed only to be compared.
const mostWeighed = 512

// fastest returns what the formulas say is fastest: for equal blocks, and for
// blocks as long as the longest where the network is large. Else the best for
// the longest and for the average block are listed for the blocks as they are, and
// compared by the times foretold.
func (t *task) fastest() (stages.Candidate, error) {
	var chooser stages.Chooser
	c, err := chooser.Choose(t.Topology, t.Machine, t.longest())
	if err != nil || t.equalBlocks() || t.Topology.Nodes() > mostWeighed {
		if err != nil {
			return stages.Candidate{}, err
		}
		return c.Best, nil
	}
	average, err := chooser.Choose(t.Topology, t.Machine, t.averageBlock())
	if err != nil {
		return stages.Candidate{}, err
	}
	best, least := c.Best, router.Cycle(-1)
	for _, choice := range []*stages.Choice{c, average} {
		for _, one := range []stages.Candidate{choice.Best, choice.Bridgeheads, choice.Approach2, choice.Approach1} {
			if one.Algorithm == "" {
				continue
			}
			l, err := one.List(stages.GridOf(t.Topology), t.Lengths, &t.Machine)
			if err != nil {
				return best, err
			}
			timing, err := transfer.Foretell(t.Topology, t.Machine, l)
			if err != nil {
				return best, err
			}
			if least < 0 || timing.Cycles < least {
				best, least = one, timing.Cycles
			}
		}
	}
	return best, nil
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
