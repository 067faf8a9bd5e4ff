// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"fmt"
	"math"
	"meshwright/firmware/plan"
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

// Strides has rounds that suit the longest block.
func Strides(t *plan.Task) (*plan.Plan, error) {
	best := stages.BestStrides
	if stages.Predictable(t.Topology, &t.Machine) != nil {
		best = stages.BestTurns // colours could not keep times of their own
	}
	s, _, ok := best(stages.GridOf(t.Topology), longest(t), stages.PaceOf(&t.Machine))
	if !ok {
		return nil, input.Errorf("expected rings and tori", "strides on %s", t.Topology)
	}
	return marchPlan(t, s)
}

// Crosses has distances that suit the longest block.
func Crosses(t *plan.Task) (*plan.Plan, error) {
	x, _, ok := stages.BestCrosses(stages.GridOf(t.Topology), longest(t), stages.PaceOf(&t.Machine), math.MaxInt64)
	if !ok {
		return nil, input.Errorf("expected a torus of up to 16384 nodes", "no crosses found on %s", t.Topology)
	}
	return marchPlan(t, x)
}

// marchPlan makes firmware of a march.
func marchPlan(t *plan.Task, s march) (*plan.Plan, error) {
	if t.MayDeadlock() {
		return nil, t.Deadlock()
	}
	g, pace := stages.GridOf(t.Topology), stages.PaceOf(&t.Machine)
	if err := t.NeedLines(1); err != nil {
		return nil, err
	}
	l, err := s.List(g, t.Lengths, pace)
	if err != nil {
		return nil, err
	}
	if stages.Predictable(t.Topology, &t.Machine) != nil { // its own timetable is for links that work independently
		l.Timed = false
		for i := range l.Transfers {
			l.Transfers[i].Start = 0
		}
		if err := transfer.TimetableContext(t.Ctx, t.Topology, t.Machine, l); err != nil {
			return nil, err
		}
	}
	timing, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	p, err := t.TransferPlan(l, t.GossipBlock)
	if err != nil {
		return nil, err
	}
	t.Predict(p, timing.Cycles)
	startups := 0
	for i := range l.Transfers {
		startups = max(startups, l.Transfers[i].Step+1)
	}
	p.Facts = append(p.Facts, plan.StartupsFact(startups))
	if stages.Predictable(t.Topology, &t.Machine) == nil && equalBlocks(t) {
		time, err := s.Time(g, t.Lengths[0], pace)
		if err != nil {
			return nil, err
		}
		p.Facts = append(p.Facts, formulaFact(time))
	}
	return p, nil
}

// Variants are what the formulas say is fastest, with options that no row
// of the table has by itself: for the longest and for the average block, on
// networks of up to mostWeighed nodes besides all rows, on larger ones instead.
func Variants(t *plan.Task) ([]plan.Variant, error) {
	many := len(t.Lengths) > MaxPlanned
	switch {
	case t.A != 0 || t.B != 0 || t.Colours != 0 || t.Start != "":
		return nil, nil
	case OnePort(&t.Job) && many:
		best, err := bestOnePort(t)
		return []plan.Variant{best}, err
	case t.Sync || stages.Predictable(t.Topology, &t.Machine) != nil:
		return nil, nil
	case many:
		c, err := stages.Choose(t.Topology, t.Machine, longest(t))
		if err != nil {
			return nil, err
		}
		return []plan.Variant{candidateVariant(c.Best)}, nil
	}
	return chosenVariants(t)
}

// mostCrossed bounds the nodes for which auto looks for crosses that may be slower
// than other gossips; the formulas look for faster ones only, on larger networks, too.
const MaxCrossed = 128

// mostWeighed bounds the nodes for which gossips are planned only to be compared.
const MaxPlanned = 512

// chosenVariants are the best of the formulas that are not rows of the table.
func chosenVariants(t *plan.Task) ([]plan.Variant, error) {
	var list []plan.Variant
	var chooser stages.Chooser
	for _, words := range []int{longest(t), averageBlock(&t.Job)} {
		c, err := chooser.Choose(t.Topology, t.Machine, words)
		if err != nil {
			return nil, err
		}
		for _, one := range []stages.Candidate{c.Bridgeheads, c.Approach1, c.Approach2, c.Best} {
			v := candidateVariant(one)
			known := slices.ContainsFunc(list, func(w plan.Variant) bool { return w.Name == v.Name })
			if one.Algorithm != "" && !known && !isRow(t, &one) {
				list = append(list, v)
			}
		}
	}
	return list, nil
}

// isRow tells a candidate that auto has from the table, too.
func isRow(t *plan.Task, c *stages.Candidate) bool {
	switch c.Algorithm {
	case "strides", "approach1", "approach2":
		return true
	case "crosses":
		return len(t.Lengths) <= MaxCrossed
	}
	return c.Algorithm == "highdimgos" && c.A == 0 && c.Colours <= 1
}

func candidateVariant(c stages.Candidate) plan.Variant {
	name := c.String()
	if c.Colours > 1 {
		name += fmt.Sprintf(" in %d colours", c.Colours)
	}
	return plan.Variant{Name: name, Algorithm: c.Algorithm, Plan: func(t *plan.Task) (*plan.Plan, error) { return candidatePlan(t, &c) }}
}

// candidatePlan plans what was chosen, without searching for its rounds again.
func candidatePlan(t *plan.Task, c *stages.Candidate) (*plan.Plan, error) {
	switch {
	case len(c.Strides.Axes)+len(c.Strides.Colours) > 0:
		return marchPlan(t, c.Strides)
	case len(c.Crosses.Steps) > 0:
		return marchPlan(t, c.Crosses)
	}
	t.A, t.B = c.A, c.B
	if len(t.Topology.Dims) > 1 {
		t.Colours = c.Colours
	}
	return formula(c.Algorithm)(t)
}

// formula returns the generator of the algorithms that the formulas know.
func formula(algorithm string) func(*plan.Task) (*plan.Plan, error) {
	return map[string]func(*plan.Task) (*plan.Plan, error){
		"approach2": Line, "highdimgos": Axes, "approach1": Centre, "circgos": Circular, "torgos": Diagonal, "cubgos": Diagonal,
	}[algorithm]
}
