// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"cmp"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Centre is approach 1 of Juurlink, Sibeyn, Rao.
func Centre(t *plan.Task) (*plan.Plan, error) {
	return planAxes(t, axisByAxis(t, stages.ThroughCentre{}, 1))
}

// Circular is CIRCGOS.
func Circular(t *plan.Task) (*plan.Plan, error) { return circular(t, 1) }

// Axes is HIGHDIMGOS: phases of approach 2, or with a given of approach 1
// (a = 1) or of CIRCGOS.
func Axes(t *plan.Task) (*plan.Plan, error) {
	colours := max(1, t.Colours)
	f := stages.Factors{A: t.A, B: t.B}
	if err := f.CheckOpen(); err != nil {
		return nil, err
	}
	switch {
	case t.A == 0 && colours == 1 && !t.Sync:
		return placeByPlace(t)
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "highdimgos with bridgeheads, colours or tokens on a machine with switching %s", t.Machine.Switching)
	case t.A == 0:
		return planAxes(t, axisByAxis(t, stages.PlaceByPlace{}, colours))
	case t.A == 1:
		if err := f.CheckRounds(); err != nil {
			return nil, err
		}
		return planAxes(t, axisByAxis(t, stages.ThroughCentre{}, colours))
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
	return planAxes(t, axisByAxis(t, stages.Circular(f), colours))
}

// axisByAxis is a method along the dimensions of a task.
func axisByAxis(t *plan.Task, m stages.Method, colours int) stages.AxisByAxis {
	return stages.AxisByAxis{Method: m, Colours: colours, Dims: len(t.Topology.Dims)}
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
	return planDiagonals(t, stages.Diagonals{Diagonal: stages.Diagonal(f), Colours: colours, Dims: len(t.Topology.Dims)})
}

// factors returns the job's a and b, the best where it leaves them open.
func factors(t *plan.Task, g stages.Grid, check func(stages.Factors, stages.Grid) error, best func(a int) stages.Factors) (stages.Factors, error) {
	f := stages.Factors{A: t.A, B: t.B}
	if err := f.CheckOpen(); err != nil {
		return f, err
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

// planForm makes firmware of a form whose parameters have been chosen.
func planForm(t *plan.Task, f stages.Form) (*plan.Plan, error) {
	switch f := f.(type) {
	case stages.AxisByAxis:
		if f.Method == (stages.PlaceByPlace{}) && f.Colours == 1 && !t.Sync {
			return placeByPlace(t)
		}
		return planAxes(t, f)
	case stages.Diagonals:
		return planDiagonals(t, f)
	}
	return planTimed(t, f)
}

// planAxes makes firmware of a gossip along one axis after the other.
func planAxes(t *plan.Task, f stages.AxisByAxis) (*plan.Plan, error) {
	if err := t.NeedLines(f.Colours); err != nil {
		return nil, err
	}
	return planStaged(t, f)
}

// planDiagonals makes firmware of a gossip on diagonals. Most nodes only take:
// it has fewer messages than one place by place.
func planDiagonals(t *plan.Task, f stages.Diagonals) (*plan.Plan, error) {
	if err := t.NeedLines(1); err != nil {
		return nil, err
	}
	return planStaged(t, f)
}

// planStaged makes firmware of a gossip. Its timetable keeps messages of later
// steps out of the way of earlier ones where not all parts of the grid are
// equally far: so no step ends later than the formula says.
func planStaged(t *plan.Task, f stages.Staged) (*plan.Plan, error) {
	g := stages.GridOf(t.Topology)
	l, err := f.List(g, t.Lengths, stages.PaceOf(&t.Machine))
	if err != nil {
		return nil, err
	}
	if l.Sync = t.Sync; !t.Sync {
		if err := t.Timetable(l); err != nil {
			return nil, err
		}
	}
	timing := func() (router.Cycle, error) { return 0, nil }
	if !t.Sync {
		timing = predict(t, l)
	}
	p, err := t.TransferPlan(l, t.GossipBlock)
	cycles, unpredicted := timing()
	if err := cmp.Or(err, unpredicted); err != nil {
		return nil, err
	}
	if o := f.Options(); o.B > 0 {
		p.Facts = append(p.Facts, factorFacts(o.Factors)...)
	}
	if hasFormula(t) {
		cost := f.Cost(g, longest(t))
		p.Facts = append(p.Facts, plan.StartupsFact(cost.Startups), formulaFact(cost.Cycles(&t.Machine)))
	}
	if t.Sync {
		return p, nil
	}
	return p, t.PredictList(p, l, cycles)
}

// hasFormula reports whether the formulas are about the task: equal blocks on
// a machine with channels of their own for all links and buffers for the full rate.
func hasFormula(t *plan.Task) bool {
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

func factorFacts(f stages.Factors) []plan.Fact {
	return []plan.Fact{{Key: "a", Name: "bridgeheads a", Value: router.Cycle(f.A), Unit: plan.Counted}, {Key: "b", Name: "steps b of a round", Value: router.Cycle(f.B), Unit: plan.Counted}}
}

func formulaFact(time router.Cycle) plan.Fact {
	return plan.Fact{Key: "formula_cycles", Name: "formula", Value: time, Unit: plan.Cycles, Alike: true}
}
