// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/contest"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Fastest plans the draft that takes the least time, of which it returns the time, too. Drafts are made when they are looked at, once or twice, and planOf plans one. Those
// that would take the least time if no message waited for another are settled first, and those that by these times could not win are not. Where a settled time is an
// estimate, as with buffers too small for the full rate, the first few plans are measured. It ends with the task's search: with the best so far, which is Stopped if others were left out.
func (t *Task) Fastest(makers []func() *Draft, planOf func(*Draft) (*Plan, error)) (*Plan, router.Cycle, error) {
	order, alone, err := t.predicted(makers)
	if err != nil {
		return nil, 0, err
	}
	c := choice{task: t, planOf: planOf, several: len(makers) > 1}
	for _, i := range order {
		if c.best.draft != nil && !c.best.fails && alone[i] >= c.best.time {
			break
		}
		if c.best.draft != nil && t.Search.Err() != nil {
			c.stopped = true
			break
		}
		if err := c.weigh(makers[i]()); err != nil {
			return nil, 0, err
		}
	}
	c.stopped = c.stopped || len(order) < len(makers)
	return c.end()
}

// Made are drafts that are made already, for Fastest.
func Made(list []*Draft) []func() *Draft {
	makers := make([]func() *Draft, len(list))
	for i, d := range list {
		makers[i] = func() *Draft { return d }
	}
	return makers
}

// choice looks for the fastest of several drafts.
type choice struct {
	task     *Task
	planOf   func(*Draft) (*Plan, error)
	several  bool
	best     settled // without a draft: none yet
	measured int     // plans
	stopped  bool
}

// settled is a draft with its time.
type settled struct {
	draft     *Draft
	predicted router.Cycle
	time      router.Cycle // as predicted, or measured
	plan      *Plan        // nil: not made yet
	fails     bool         // as its measurement says
}

// mostMeasured bounds the plans that are measured, and mostMeasuredWords those of all their nodes together.
const (
	mostMeasured      = 4
	mostMeasuredWords = 1 << 22
)

// measures reports whether plans whose times are estimates are measured.
func (c *choice) measures() bool {
	t := c.task
	return c.several && t.Measure != nil && !t.TimeOnly && len(t.Lengths)*t.TotalWords() <= mostMeasuredWords
}

// weigh takes the draft if it is faster than the best.
func (c *choice) weigh(d *Draft) error {
	time, err := c.task.Settle(d.List, d.NeedsTimetable)
	if err != nil {
		return err
	}
	next := settled{draft: d, predicted: time, time: time}
	if !c.task.exact(d.List) && c.measures() {
		if c.measured == mostMeasured {
			return nil
		}
		if err := c.measure(&next); err != nil {
			return err
		}
	}
	if c.best.draft == nil || c.best.fails && !next.fails || !next.fails && next.time < c.best.time {
		c.best = next
	}
	return nil
}

// measure plans a draft that has been settled, and takes its time in a run.
func (c *choice) measure(s *settled) (err error) {
	if s.plan, err = c.planOf(s.draft); err != nil {
		return err
	}
	limit := contest.Unlimited
	if c.best.draft != nil && !c.best.fails {
		limit = c.best.time
	}
	c.measured++
	var ok bool
	if s.time, ok, err = c.task.Measure(c.task.Ctx, s.plan, limit); ok {
		s.plan.Measured = s.time
	}
	s.fails = !ok
	return err
}

// end returns the plan of the best draft.
func (c *choice) end() (*Plan, router.Cycle, error) {
	b := &c.best
	if b.plan == nil {
		p, err := c.planOf(b.draft)
		if err != nil {
			return nil, 0, err
		}
		b.plan = p
	}
	b.plan.Stopped = c.stopped
	return b.plan, b.time, c.task.PredictList(b.plan, b.draft.List, b.predicted)
}

// predicted lists drafts by the times that they would take if no messages met, which it returns by draft. Once the search has ended, it leaves out further drafts.
func (t *Task) predicted(makers []func() *Draft) (order []int, alone []router.Cycle, err error) {
	alone = make([]router.Cycle, len(makers))
	for i, made := range makers {
		if i > 0 && t.Search.Err() != nil {
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
	if t.exact(l) {
		return contest.Estimate{Least: time, Exact: true}, nil
	}
	least, err := transfer.Least(t.Ctx, t.Topology, t.Machine, l)
	return contest.Estimate{Least: least}, err
}

// exact reports whether the predicted time of a settled list is its time.
func (t *Task) exact(l *transfer.List) bool { return t.Machine.FullRate() || l.Apart }

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
}
