// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"context"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/contest"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Fastest settles drafts, and returns the draft with the least time, and that time. Those that would take the least time if no message waited for
// another are settled first, and those that by these times could not win are not. With buffers too small for the full rate the times are estimates.
func (t *Task) Fastest(list []*Draft) (best *Draft, least router.Cycle, err error) {
	makers := make([]func() *Draft, len(list))
	for i, d := range list {
		makers[i] = func() *Draft { return d }
	}
	return t.fastest(t.Ctx, makers)
}

// FastestMade is Fastest for large drafts, which are made when they are looked at, once or twice, and not kept. It ends with the task's search: with the best
// so far, which is Stopped if others were left out.
func (t *Task) FastestMade(makers []func() *Draft) (best *Draft, least router.Cycle, err error) {
	return t.fastest(t.Search, makers)
}

func (t *Task) fastest(search context.Context, makers []func() *Draft) (best *Draft, least router.Cycle, err error) {
	order, alone, err := t.predicted(search, makers)
	if err != nil {
		return nil, 0, err
	}
	for _, i := range order {
		if best != nil && alone[i] >= least {
			break
		}
		if best != nil && search.Err() != nil {
			best.Stopped = true
			break
		}
		d := makers[i]()
		time, err := t.Settle(d.List, d.NeedsTimetable)
		if err != nil {
			return nil, 0, err
		}
		if best == nil || time < least {
			best, least = d, time
		}
	}
	best.Stopped = best.Stopped || len(order) < len(makers)
	return best, least, nil
}

// predicted lists drafts by the times that they would take if no messages met, which it returns by draft. Once the search has ended, it leaves out further drafts.
func (t *Task) predicted(search context.Context, makers []func() *Draft) (order []int, alone []router.Cycle, err error) {
	alone = make([]router.Cycle, len(makers))
	for i, made := range makers {
		if i > 0 && search.Err() != nil {
			break
		}
		order = append(order, i)
		if len(makers) == 1 {
			break
		}
		timing, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, made().List)
		if err != nil {
			return nil, nil, err
		}
		alone[i] = timing.Cycles
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(alone[a], alone[b]) })
	return order, alone, nil
}

// MayDeadlock reports whether messages that meet could block one another for
// good: where routes can close a circle, and buffers are too small for the full
// rate.
func (t *Task) MayDeadlock() bool { return !t.Machine.FullRate() && !t.Acyclic() }

// Timetable gives a list times by which no two messages meet. Where messages that meet could block one another for good, also the stalls of small buffers
// have their time; elsewhere messages that meet wait.
func (t *Task) Timetable(l *transfer.List) error {
	if t.MayDeadlock() && t.Machine.Links != nil {
		return input.Errorf("expected links even, or a network on which routes close no circle", "%s with %s: messages that meet may block one another for good", t.Topology, t.Machine.SlowRate())
	}
	if t.MayDeadlock() {
		return transfer.TimetableStalling(t.Ctx, t.Topology, t.Machine, l)
	}
	return transfer.TimetableContext(t.Ctx, t.Topology, t.Machine, l)
}

// Acyclic reports whether worms that block one another never do so in a circle.
func (t *Task) Acyclic() bool {
	if t.Topology.IsGrid() {
		return t.Machine.VCs > 1 || !machine.Dateline(t.Topology)
	}
	return t.Topology.Kind == topology.Tree
}

// Settle changes a list where two messages could need a channel, a port or a link at once, or where timetable asks for it: its transfers get
// the times of a timetable. So it stands before TransferPlan and VectorPlan, which write these times into the programs. It returns the predicted time,
// as if no message waited for another; PredictList says whether that is exact.
func (t *Task) Settle(l *transfer.List, timetable bool) (router.Cycle, error) {
	if timetable || !t.IndependentLinks() || t.Machine.Duplex == machine.Half {
		if err := t.Timetable(l); err != nil {
			return 0, err
		}
	}
	timing, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, l)
	if err != nil {
		return 0, err
	}
	return timing.Cycles, nil
}

// Predict records the time of a plan in which no message waits for another. The time is
// certain on machines whose buffers allow the full rate; elsewhere it is a lower bound of
// the plan's time.
func (t *Task) Predict(p *Plan, time router.Cycle) {
	p.Predicted = contest.Estimate{Least: t.least(p, time), Exact: t.Machine.FullRate()}
}

// least is what is known to be the least time of a plan that would take so long if no message waited for another. Where some links are slower than others,
// messages come in another order, in which they may even wait less.
func (t *Task) least(p *Plan, time router.Cycle) router.Cycle {
	if t.Machine.Links != nil {
		return min(time, p.LowerBound())
	}
	return time
}

// PredictExactly is Predict with the time as a fact.
func (t *Task) PredictExactly(p *Plan, time router.Cycle) { t.predict(p, time, t.Machine.FullRate()) }

// PredictBooked is PredictExactly for a plan whose messages have been booked with the stalls of small buffers (booking.Book.Stalling): unless heads wait for claims, or some links are slower than others, its time is exact.
func (t *Task) PredictBooked(p *Plan, time router.Cycle) {
	t.predict(p, time, t.Machine.FullRate() || t.Machine.Punctual())
	if !p.Predicted.Exact { // heads that wait for claims may be faster than planned for
		p.Predicted.Least = min(time, p.LowerBound())
	}
}

// PredictList is PredictExactly for the plan of a list. Its error is the context's.
func (t *Task) PredictList(p *Plan, l *transfer.List, time router.Cycle) error {
	e, err := t.EstimateList(l, time)
	t.predict(p, e.Least, e.Exact)
	return err
}

// EstimateList says what is known of the time of a list that is predicted to take so long. Its error is the context's.
func (t *Task) EstimateList(l *transfer.List, time router.Cycle) (contest.Estimate, error) {
	if t.Machine.FullRate() || l.Apart {
		return contest.Estimate{Least: time, Exact: true}, nil
	}
	least, err := transfer.Least(t.Ctx, t.Topology, t.Machine, l)
	return contest.Estimate{Least: least}, err
}

func (t *Task) predict(p *Plan, time router.Cycle, exact bool) {
	if p.Predicted = (contest.Estimate{Least: t.least(p, time), Exact: exact}); exact {
		p.Facts = append(p.Facts, Fact{Key: "predicted_cycles", Name: "predicted", Value: time, Unit: Cycles})
	}
}

// Draft is a broadcast, reduce or allreduce that has been planned.
type Draft struct {
	List           *transfer.List
	Facts          []Fact
	NeedsTimetable bool // messages may want the same link: it needs a timetable
	Stopped        bool // the search ended before it had looked at others
}
