// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Strides has rounds that suit the longest block.
func Strides(t *plan.Task) (*plan.Plan, error) {
	g, pace := stages.GridOf(t.Topology), stages.PaceOf(&t.Machine)
	if stages.Predictable(t.Topology, &t.Machine) != nil { // colours could not keep times of their own
		s, _, ok := stages.BestTurns(g, longest(t), pace)
		return planStrides(t, s, ok)
	}
	s, _, ok := stages.BestStrides(g, longest(t), pace)
	return planStrides(t, s, ok)
}

func planStrides(t *plan.Task, f stages.Form, found bool) (*plan.Plan, error) {
	if !found {
		return nil, input.Errorf("expected rings and tori", "strides on %s", t.Topology)
	}
	return planTimed(t, f)
}

// Crosses has distances that suit the longest block.
func Crosses(t *plan.Task) (*plan.Plan, error) {
	x, _, ok := stages.BestCrosses(stages.GridOf(t.Topology), longest(t), stages.PaceOf(&t.Machine), math.MaxInt64)
	if !ok {
		return nil, input.Errorf("expected a torus of up to 16384 nodes", "no crosses found on %s", t.Topology)
	}
	return planTimed(t, x)
}

// planTimed makes firmware of a form in which all nodes do the same, at times of
// its own.
func planTimed(t *plan.Task, f stages.Form) (*plan.Plan, error) {
	g, pace := stages.GridOf(t.Topology), stages.PaceOf(&t.Machine)
	if err := t.NeedLines(1); err != nil {
		return nil, err
	}
	l, err := f.List(g, t.Lengths, pace)
	if err != nil {
		return nil, err
	}
	predictable := stages.Predictable(t.Topology, &t.Machine) == nil
	if !predictable { // its own timetable is for links that work independently
		if err := retime(t, l); err != nil {
			return nil, err
		}
	}
	timing := predict(t, l)
	p, err := t.TransferPlan(l, t.GossipBlock)
	cycles, unpredicted := timing()
	if err := cmp.Or(unpredicted, err); err != nil {
		return nil, err
	}
	if p.Predicted, err = t.EstimateList(l, cycles); err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.StartupsFact(steps(l)))
	if predictable && equalBlocks(t) {
		time, err := f.Time(g, t.Lengths[0], pace)
		if err != nil {
			return nil, err
		}
		p.Facts = append(p.Facts, formulaFact(time))
	}
	return p, nil
}

// predict predicts the time of a list while the caller does something else. The function that it returns waits for the
// prediction.
func predict(t *plan.Task, l *transfer.List) func() (router.Cycle, error) {
	var cycles router.Cycle
	var err error
	done := make(chan struct{})
	ctx := progress.With(t.Ctx, nil) // the phases are the caller's
	go func() {
		defer close(done)
		var timing *transfer.Prediction
		if timing, err = transfer.PredictContext(ctx, t.Topology, t.Machine, l); err == nil {
			cycles = timing.Cycles
		}
	}()
	return func() (router.Cycle, error) {
		<-done
		return cycles, err
	}
}

// retime gives a list another timetable than its own.
func retime(t *plan.Task, l *transfer.List) error {
	l.Timed = false
	for i := range l.Transfers {
		l.Transfers[i].Start = 0
	}
	return t.Timetable(l)
}

// steps returns the number of steps of a list.
func steps(l *transfer.List) int {
	count := 0
	for i := range l.Transfers {
		count = max(count, l.Transfers[i].Step+1)
	}
	return count
}

// Variants returns the algorithms that are the fastest by the formulas, with options that
// no row of the table has by itself, for the longest and for the average block. On
// networks of up to MaxPlanned nodes auto compares them in addition to all rows, on larger
// ones instead of the rows.
func Variants(t *plan.Task) ([]plan.Variant, error) {
	many := len(t.Lengths) > MaxPlanned
	switch {
	case !t.Topology.IsGrid(), t.A != 0 || t.B != 0 || t.Colours != 0 || t.Start != "":
		return nil, nil
	case OneChannel(&t.Job) && many:
		best, err := bestOneChannel(t)
		return []plan.Variant{best}, err
	case t.Sync || stages.Predictable(t.Topology, &t.Machine) != nil:
		return nil, nil
	case many:
		c, err := stages.Choose(t.Topology, t.Machine, longest(t))
		if err != nil {
			return nil, err
		}
		return []plan.Variant{variant(c.Best.Form)}, nil
	}
	return chosenVariants(t)
}

// MaxCrossed bounds the nodes for which auto looks for crosses that may be slower
// than other gossips; the formulas look for faster ones only, on larger networks, too.
const MaxCrossed = 128

// MaxPlanned bounds the nodes for which gossips are planned only to be compared.
const MaxPlanned = 512

// chosenVariants are the forms that are best by the formulas, without those that
// rows of the table come to.
func chosenVariants(t *plan.Task) ([]plan.Variant, error) {
	var forms []stages.Form
	var chooser stages.Chooser
	for _, words := range []int{longest(t), averageBlock(&t.Job)} {
		c, err := chooser.Choose(t.Topology, t.Machine, words)
		if err != nil {
			return nil, err
		}
		for _, one := range []stages.Candidate{c.Bridgeheads, c.Approach1, c.Approach2, c.Best} {
			known := slices.ContainsFunc(forms, func(f stages.Form) bool { return reflect.DeepEqual(f, one.Form) })
			if one.Form != nil && !known && !weighedAnyway(t, one.Form) {
				forms = append(forms, one.Form)
			}
		}
	}
	var list []plan.Variant
	for _, f := range forms {
		list = append(list, variant(f))
	}
	return list, nil
}

// weighedAnyway tells a form that a row of the table finds by itself.
func weighedAnyway(t *plan.Task, f stages.Form) bool {
	switch f.(type) {
	case stages.Strides, stages.Legs:
		return true
	case stages.Crosses:
		return len(t.Lengths) <= MaxCrossed
	}
	return isRow(f)
}

// isRow tells the form of a row that leaves no choice.
func isRow(f stages.Form) bool {
	s, ok := f.(stages.Staged)
	return ok && s.Options() == stages.Options{Colours: 1}
}

// variant is a form as a candidate of auto.
func variant(f stages.Form) plan.Variant {
	name := f.Name() + f.String()
	if s, ok := f.(stages.Staged); ok && s.Options().Colours > 1 {
		name += fmt.Sprintf(" in %d colours", s.Options().Colours)
	}
	return plan.Variant{
		Name: name, Algorithm: f.Name(), IsRow: isRow(f),
		Plan: func(t *plan.Task) (*plan.Plan, error) { return planForm(t, f) },
	}
}
