// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"math"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Disjoint shares the words out over spanning trees without a common
// link: the trees of the job, or the fastest ones.
func Disjoint(t *plan.Task) (*plan.Plan, error) {
	if t.Kind.Name == plan.Allreduce {
		t.Root = t.Centre()
	}
	s, stopped, err := bestShare(t)
	if err != nil {
		return nil, err
	}
	p, err := sharedPlan(t, s)
	if err != nil {
		return nil, err
	}
	p.Stopped = stopped && p.Predicted.Least > t.LowerBound()
	depth := 0
	for i := range s.Parts {
		depth = max(depth, s.Depth[i])
	}
	facts := []plan.Fact{
		{Key: "trees", Name: "trees", Value: router.Cycle(len(s.Trees)), Unit: plan.Counted},
		{Key: "parts", Name: "parts", Value: router.Cycle(s.Total()), Unit: plan.Counted},
		{Key: "tree_depth", Name: "depth of the trees", Value: router.Cycle(depth), Unit: plan.Counted},
	}
	p.Facts = append(facts, p.Facts...)
	return p, nil
}

// bestShare finds the trees, and the number of parts. It reports whether a search for trees was stopped.
func bestShare(t *plan.Task) (best *sendtree.Shared, stopped bool, err error) {
	if err := t.RequireMultiport(t.Kind.Name + " " + plan.EdgeDisjoint); err != nil {
		return nil, false, err
	}
	if err := checkParts(t); err != nil {
		return nil, false, err
	}
	covers, err := t.SpanningCovers("shallow")
	if err != nil {
		return nil, false, err
	}
	words, messages, time := t.VectorWords(), sendtree.MaxTransfers, (*sendtree.Shared).Cycles // of each half
	if t.Kind.Name == plan.Allreduce {
		time = (*sendtree.Shared).BothCycles
	}
	if timesKnown(t) {
		messages = math.MaxInt
	}
	for _, c := range covers {
		stopped = stopped || c.Stopped
		trees := sendtree.Trees(c, func(i int) *sendtree.Tree { return sendtree.Spanning(t.Topology, t.Machine, c.Trees[i], words) })
		var s *sendtree.Shared
		if t.Parts > 0 {
			s = sendtree.Share(t.Machine, trees, words, t.Parts)
		} else {
			s = sendtree.BestShare(t.Machine, trees, words, messages, time)
		}
		if best == nil || time(s) < time(best) {
			best = s
		}
	}
	return best, stopped, nil
}

// sharedPlan plans the parts: without a list, if only the time is asked for.
func sharedPlan(t *plan.Task, s *sendtree.Shared) (*plan.Plan, error) {
	if timesKnown(t) {
		return sharedTime(t, s), nil
	}
	if err := t.NeedParts(s.Total()); err != nil {
		return nil, err
	}
	l := sharedList(t, s)
	l.Apart = t.Machine.Punctual()
	if !together(t) {
		l.Timed, l.Apart = false, false
		for i := range l.Transfers {
			l.Transfers[i].Start, l.Transfers[i].Due = 0, 0
		}
	}
	return settled(t, l)
}

func sharedList(t *plan.Task, s *sendtree.Shared) *transfer.List {
	switch t.Kind.Name {
	case plan.Broadcast:
		return s.Broadcast()
	case plan.Reduce:
		return s.Reduce()
	}
	return s.AllReduce()
}

// sharedTime is the plan of a job that asks for its time alone.
func sharedTime(t *plan.Task, s *sendtree.Shared) *plan.Plan {
	others := len(t.Lengths) - 1
	time, messages, flits := s.Cycles(), s.Total()*others, t.VectorWords()*others
	if flits == 0 {
		messages = 0
	}
	if t.Kind.Name == plan.Allreduce {
		time, messages, flits = s.BothCycles(), 2*messages, 2*flits
	}
	p := t.TimePlan(messages, flits)
	t.PredictBooked(p, time)
	return p
}

// together reports whether no two messages meet with the times of the trees: PEs send and receive at once.
func together(t *plan.Task) bool { return t.Machine.Duplex == machine.Full }

// timesKnown reports whether a job asks for its time alone, which is known without a list.
func timesKnown(t *plan.Task) bool {
	return t.TimeOnly && together(t) && t.Machine.HeaderFlits() == 0
}
