// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/fabric/machine"
	stages "meshwright/firmware/gossip"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Centre is approach 1 of Juurlink, Sibeyn, Rao.
func Centre(t *plan.Task) (*plan.Plan, error) {
	return axes(t, stages.ThroughCentre{}, 1, nil)
}

// Circular is CIRCGOS.
func Circular(t *plan.Task) (*plan.Plan, error) { return circular(t, 1) }

// Axes is HIGHDIMGOS: phases of approach 2, or with a given of approach 1
// (a = 1) or of CIRCGOS.
func Axes(t *plan.Task) (*plan.Plan, error) {
	colours := max(1, t.Colours)
	switch {
	case t.A == 0 && t.B != 0:
		return nil, input.Errorf("expected an a, too", "b %d without a", t.B)
	case t.A == 0 && colours == 1 && !t.Sync:
		return gridGossip(t)
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "highdimgos with bridgeheads, colours or tokens on a machine with switching %s", t.Machine.Switching)
	case t.A == 0:
		return axes(t, stages.PlaceByPlace{}, colours, nil)
	case t.A == 1 && t.B != 0:
		return nil, input.Errorf("expected none: with a 1 there are no rounds", "b %d", t.B)
	case t.A == 1:
		return axes(t, stages.ThroughCentre{}, colours, nil)
	}
	return circular(t, colours)
}

// circular gossips along the axes with bridgeheads.
func circular(t *plan.Task, colours int) (*plan.Plan, error) {
	g := stages.GridOf(t.Topology)
	f, err := factors(t, g, stages.Factors.CheckAxes, func(a int) stages.Factors {
		return stages.BestAxes(g, longest(t), colours, a, &t.Machine)
	})
	if err != nil {
		return nil, err
	}
	return axes(t, stages.Circular(f), colours, &f)
}

// axes gossips along one axis after the other.
func axes(t *plan.Task, m stages.Method, colours int, f *stages.Factors) (*plan.Plan, error) {
	g := stages.GridOf(t.Topology)
	if err := t.NeedLines(colours); err != nil {
		return nil, err
	}
	l, err := stages.Axes(g, t.Lengths, colours, m)
	if err != nil {
		return nil, err
	}
	return gossipPlan(t, l, stages.AxesCost(g, longest(t), colours, m), f)
}

// Diagonal is TORGOS and CUBGOS.
func Diagonal(t *plan.Task) (*plan.Plan, error) {
	g := stages.GridOf(t.Topology)
	colours := t.Colours
	if colours == 0 {
		colours = 1
		if t.IndependentLinks() {
			colours = max(1, len(g))
		}
	}
	f, err := factors(t, g, stages.Factors.CheckDiagonal, func(a int) stages.Factors {
		return stages.BestDiagonal(g, longest(t), colours, a, &t.Machine)
	})
	if err != nil {
		return nil, err
	}
	d := stages.Diagonal(f)
	if err := t.NeedLines(1); err != nil { // most nodes only take: fewer than place by place
		return nil, err
	}
	l, err := d.List(g, t.Lengths, colours)
	if err != nil {
		return nil, err
	}
	return gossipPlan(t, l, d.Cost(g, longest(t), colours), &f)
}

// factors returns the job's a and b, the best where it leaves them open.
func factors(t *plan.Task, g stages.Grid, check func(stages.Factors, stages.Grid) error, best func(a int) stages.Factors) (stages.Factors, error) {
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
func longest(t *plan.Task) int {
	words := 0
	for _, length := range t.Lengths {
		words = max(words, length)
	}
	return words
}

// gossipPlan makes firmware of a gossip. Its timetable keeps messages of later
// steps out of the way of earlier ones where not all parts of the grid are
// equally far: so no step ends later than the formula says.
func gossipPlan(t *plan.Task, l *transfer.List, cost stages.Cost, f *stages.Factors) (*plan.Plan, error) {
	if l.Sync = t.Sync; !t.Sync {
		if err := transfer.TimetableContext(t.Ctx, t.Topology, t.Machine, l); err != nil {
			return nil, err
		}
	}
	p, err := t.TransferPlan(l, t.GossipBlock)
	if err != nil {
		return nil, err
	}
	if f != nil {
		p.Facts = append(p.Facts, factorFacts(f.A, f.B)...)
	}
	if predictable(t) {
		p.Facts = append(p.Facts, plan.StartupsFact(cost.Startups), formulaFact(cost.Cycles(&t.Machine)))
	}
	if !t.Sync {
		timing, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, l)
		if err != nil {
			return nil, err
		}
		t.PredictExactly(p, timing.Cycles)
	}
	return p, nil
}

// predictable reports whether the formulas are about the task: equal blocks on
// a machine with channels of their own for all links and buffers for the full rate.
func predictable(t *plan.Task) bool {
	return equalBlocks(t) && t.IndependentLinks() && t.Machine.Duplex == machine.Full && t.Machine.FullRate() && !t.Sync
}

// equalBlocks reports whether all blocks are of one length that is not 0.
func equalBlocks(t *plan.Task) bool {
	for _, length := range t.Lengths {
		if length != t.Lengths[0] || length == 0 {
			return false
		}
	}
	return true
}

// The facts that gossips have in common.

func factorFacts(a, b int) []plan.Fact {
	return []plan.Fact{{Key: "a", Name: "bridgeheads a", Value: router.Cycle(a), Unit: plan.Counted}, {Key: "b", Name: "steps b of a round", Value: router.Cycle(b), Unit: plan.Counted}}
}

func formulaFact(time router.Cycle) plan.Fact {
	return plan.Fact{Key: "formula_cycles", Name: "formula", Value: time, Unit: plan.Cycles}
}
