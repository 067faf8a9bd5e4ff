// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/machine"
	stages "meshwright/firmware/gossip"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// centreGossip is approach 1 of Juurlink, Sibeyn, Rao.
func centreGossip(t *task) (*Plan, error) {
	return t.axes(stages.ThroughCentre{}, 1, nil)
}

// circularGossip is CIRCGOS.
func circularGossip(t *task) (*Plan, error) { return t.circular(1) }

// axesGossip is HIGHDIMGOS: phases of approach 2, or with a given of approach 1
// (a = 1) or of CIRCGOS.
func axesGossip(t *task) (*Plan, error) {
	colours := max(1, t.Colours)
	switch {
	case t.A == 0 && t.B != 0:
		return nil, input.Errorf("expected an a, too", "b %d without a", t.B)
	case t.A == 0 && colours == 1 && !t.Sync:
		return gridGossip(t)
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "highdimgos with bridgeheads, colours or tokens on a machine with switching %s", t.Machine.Switching)
	case t.A == 0:
		return t.axes(stages.PlaceByPlace{}, colours, nil)
	case t.A == 1 && t.B != 0:
		return nil, input.Errorf("expected none: with a 1 there are no rounds", "b %d", t.B)
	case t.A == 1:
		return t.axes(stages.ThroughCentre{}, colours, nil)
	}
	return t.circular(colours)
}

// circular gossips along the axes with bridgeheads.
func (t *task) circular(colours int) (*Plan, error) {
	g := stages.GridOf(t.Topology)
	f, err := t.factors(g, stages.Factors.CheckAxes, func(a int) stages.Factors {
		return stages.BestAxes(g, t.longest(), colours, a, &t.Machine)
	})
	if err != nil {
		return nil, err
	}
	return t.axes(stages.Circular(f), colours, &f)
}

// axes gossips along one axis after the other.
func (t *task) axes(m stages.Method, colours int, f *stages.Factors) (*Plan, error) {
	g := stages.GridOf(t.Topology)
	if err := t.needLines(colours); err != nil {
		return nil, err
	}
	l, err := stages.Axes(g, t.Lengths, colours, m)
	if err != nil {
		return nil, err
	}
	return t.gossipPlan(l, stages.AxesCost(g, t.longest(), colours, m), f)
}

// diagonalGossip is TORGOS and CUBGOS.
func diagonalGossip(t *task) (*Plan, error) {
	g := stages.GridOf(t.Topology)
	colours := t.Colours
	if colours == 0 {
		colours = 1
		if t.perLink() {
			colours = max(1, len(g))
		}
	}
	f, err := t.factors(g, stages.Factors.CheckDiagonal, func(a int) stages.Factors {
		return stages.BestDiagonal(g, t.longest(), colours, a, &t.Machine)
	})
	if err != nil {
		return nil, err
	}
	d := stages.Diagonal(f)
	if err := t.needLines(1); err != nil { // most nodes only take: fewer than place by place
		return nil, err
	}
	l, err := d.List(g, t.Lengths, colours)
	if err != nil {
		return nil, err
	}
	return t.gossipPlan(l, d.Cost(g, t.longest(), colours), &f)
}

// factors returns the job's a and b, the best where it leaves them open.
func (t *task) factors(g stages.Grid, check func(stages.Factors, stages.Grid) error, best func(a int) stages.Factors) (stages.Factors, error) {
	f := stages.Factors{A: t.A, B: t.B}
	if f.A == 0 && f.B != 0 {
		return f, input.Errorf("expected an a, too", "b %d without a", f.B)
	}
	if f.B == 0 {
		possible := f.A
		if possible == 0 {
			possible = 2
		}
		if err := check(stages.Factors{A: possible, B: possible}, g); err != nil {
			return f, err
		}
		f = best(f.A)
	}
	return f, check(f, g)
}

// longest returns the words of the longest block.
func (t *task) longest() int {
	words := 0
	for _, length := range t.Lengths {
		words = max(words, length)
	}
	return words
}

// gossipPlan makes firmware of a gossip. Its timetable keeps messages of later
// steps out of the way of earlier ones where not all parts of the grid are
// equally far: so no step ends later than the formula says.
func (t *task) gossipPlan(l *transfer.List, cost stages.Cost, f *stages.Factors) (*Plan, error) {
	if l.Sync = t.Sync; !t.Sync {
		if err := transfer.TimetableContext(t.ctx, t.Topology, t.Machine, l); err != nil {
			return nil, err
		}
	}
	p, err := t.transferPlan(l, t.gossipBlock)
	if err != nil {
		return nil, err
	}
	if f != nil {
		p.Facts = append(p.Facts, factorFacts(f.A, f.B)...)
	}
	if t.foretellable() {
		p.Facts = append(p.Facts, startupsFact(cost.Startups), formulaFact(cost.Cycles(&t.Machine)))
	}
	if !t.Sync {
		timing, err := transfer.ForetellContext(t.ctx, t.Topology, t.Machine, l)
		if err != nil {
			return nil, err
		}
		t.foretold(p, timing.Cycles)
	}
	return p, nil
}

// foretellable reports whether the formulas are about the task: equal blocks on
// a machine with channels of their own for all links and buffers for the full rate.
func (t *task) foretellable() bool {
	return t.equalBlocks() && t.perLink() && t.Machine.Duplex == machine.Full && t.Machine.FullRate() && !t.Sync
}

// equalBlocks reports whether all blocks are of one length that is not 0.
func (t *task) equalBlocks() bool {
	for _, length := range t.Lengths {
		if length != t.Lengths[0] || length == 0 {
			return false
		}
	}
	return true
}

// The facts that gossips have in common.

func factorFacts(a, b int) []Fact {
	return []Fact{{"a", "bridgeheads a", router.Cycle(a), Counted}, {"b", "steps b of a round", router.Cycle(b), Counted}}
}

func startupsFact(startups int) Fact {
	return Fact{"startups", "startups in a row", router.Cycle(startups), Counted}
}

func formulaFact(time router.Cycle) Fact { return Fact{"formula_cycles", "formula", time, Cycles} }
