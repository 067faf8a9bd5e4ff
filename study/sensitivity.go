// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"time"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Sensitivity asks how the time of a job depends on each key of the machine: the job is planned again with every other
// choice, and with half and twice every number.
type Sensitivity struct {
	Collective, Algorithm string // Algorithm "": auto, anew on each machine
	Job                   plan.Job
	Keys                  []string // machine's, and FaultsKey

	// Machine returns the machine of the job with another value of a key. FaultsKey has the value noFaults. The error is
	// an *input.Error if there is no such machine.
	Machine func(key, value string) (machine.Machine, error)

	Limit time.Duration // of a search, which then has the best plan that it found; a machine that takes twice as long is refused; 0: none
}

// FaultsKey and its value noFaults stand for a machine without its faults.
const (
	FaultsKey = "faults"
	noFaults  = fault.None
)

// changedPart is which part of the job's effort a search spends on each machine: there are many.
const changedPart = 8

// Effort is how much a search does for the job on each machine: an eighth of what it does for the job itself, but for a scatter or a gather, whose searches are short.
func (s *Sensitivity) Effort() float64 {
	whole := cmp.Or(s.Job.Effort, 1)
	if kind, err := plan.KindOf(s.Collective); err == nil && (kind.Name == plan.Scatter || kind.Name == plan.Gather) {
		return whole
	}
	return max(plan.LeastEffort, whole/changedPart)
}

// Timed is the time of the job by an algorithm on a machine.
type Timed struct {
	Algorithm string
	Cycles    router.Cycle // ticks, as of a run
	Ticks     int          // of a cycle
}

// cycles is the time in cycles.
func (t *Timed) cycles() float64 { return float64(t.Cycles) / float64(max(1, t.Ticks)) }

// Change is a machine that differs in one key.
type Change struct {
	Value string
	Timed
	Refused error // there is no such machine, or no plan for it
}

// Effect is what a key does to the time.
type Effect struct {
	Key, Now   string
	Changes    []Change // the fastest first, those refused last
	Faster     float64  // the time now divided by the least time of the changes; 0 without times
	Elasticity float64  // of a number: per cent of time for a per cent of the number, on the way from its half to its double; else NaN
	LeftOut    error    // the key does not apply
}

// Effects measures the time on all machines, and returns the time now, and the keys by what a change saves. Those that do
// not apply are last. The error is an *input.Error if the job itself has no plan that delivers.
func (s *Sensitivity) Effects(ctx context.Context) (Timed, []Effect, error) {
	now, p, err := s.time(ctx, s.Job)
	if err != nil {
		return now, nil, err
	}
	effects := s.list()
	type place struct{ effect, change int }
	var places []place
	for i := range effects {
		for k := range effects[i].Changes {
			places = append(places, place{i, k})
		}
	}
	phase := progress.Begin(ctx, "change the machine", len(places))
	defer phase.End()
	inner := progress.With(ctx, nil)
	workers := s.workers(ctx, p)
	err = parallel.Each(ctx, phase, workers, len(places), func() func(int) error {
		return func(i int) error {
			e := &effects[places[i].effect]
			return s.change(inner, e, &e.Changes[places[i].change])
		}
	})
	if err != nil {
		return now, nil, err
	}
	for i := range effects {
		effects[i].judge(&now)
	}
	slices.SortStableFunc(effects, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(b.Faster, a.Faster), cmp.Compare(steepness(b.Elasticity), steepness(a.Elasticity)))
	})
	return now, effects, nil
}

// steepness sorts keys of which no change saves time.
func steepness(elasticity float64) float64 {
	if math.IsNaN(elasticity) {
		return 0
	}
	return math.Abs(elasticity)
}

// list has the values of all keys.
func (s *Sensitivity) list() []Effect {
	var list []Effect
	for _, k := range machine.Keys() {
		if !slices.Contains(s.Keys, k.Name) {
			continue
		}
		e := Effect{Key: k.Name, Now: k.Get(&s.Job.Machine), Elasticity: math.NaN()}
		if e.Now == k.Unsaid && e.Now != "" {
			continue
		}
		values := k.Alternatives(&s.Job.Machine)
		switch {
		case k.Silent:
			e.LeftOut, values = input.Errorf("", "no time depends on it"), nil
		case len(values) == 0 && e.Now == "0":
			e.LeftOut = input.Errorf("", "0 has no half and no double")
		case len(values) == 0:
			e.LeftOut = input.Errorf("", "no other value")
		}
		for _, value := range values {
			e.Changes = append(e.Changes, Change{Value: value})
		}
		list = append(list, e)
	}
	if s.Job.Machine.Faults != nil && slices.Contains(s.Keys, FaultsKey) {
		list = append(list, Effect{Key: FaultsKey, Now: s.Job.Machine.Faults.String(), Elasticity: math.NaN(), Changes: []Change{{Value: noFaults}}})
	}
	return list
}

// workers returns how many plans like one fit into the memory at the same time.
func (s *Sensitivity) workers(ctx context.Context, p *plan.Plan) int {
	workers := parallel.Workers()
	for workers > 1 && memory.Need(ctx, "plans", memory.Of(float64(workers)*float64(p.Memory()))) != nil {
		workers--
	}
	return workers
}

// change measures the time on another machine.
func (s *Sensitivity) change(ctx context.Context, e *Effect, c *Change) error {
	j, err := s.changed(e, c.Value)
	if err == nil {
		c.Timed, _, err = s.time(ctx, j)
	}
	if refusal(err) {
		c.Refused, err = err, nil
	}
	return err
}

// changed is the job on another machine. Flits of another width carry the same bits, so that there are more or fewer of them.
func (s *Sensitivity) changed(e *Effect, value string) (plan.Job, error) {
	j, before := s.Job, s.Job.Machine
	var err error
	if j.Machine, err = s.Machine(e.Key, value); err != nil {
		return j, err
	}
	if i := slices.IndexFunc(machine.Keys(), func(k machine.Key) bool { return k.Name == e.Key }); i >= 0 {
		if machine.Keys()[i].Get(&j.Machine) == e.Now {
			return j, input.Errorf("", "a machine of switching %s does not use it", j.Machine.Switching)
		}
	}
	if j.Machine.Width == before.Width {
		return j, nil
	}
	if j.Packets != nil {
		return j, input.Errorf("", "the packets are given in flits of %d bits", before.Width)
	}
	j.Payload, j.Lengths = nil, slices.Clone(j.Lengths)
	for n, length := range j.Lengths {
		j.Lengths[n] = flitsOfWidth(length, before.Width, j.Machine.Width)
	}
	return j, nil
}

// flitsOfWidth returns how many flits of one width carry the bits of some flits of another.
func flitsOfWidth(flits, before, after int) int { return (flits*before + after - 1) / after }

// time plans a job, and runs it unless its time is certain.
func (s *Sensitivity) time(ctx context.Context, j plan.Job) (Timed, *plan.Plan, error) {
	var p *plan.Plan
	j.Limit, j.Effort = s.Limit, s.Effort()
	t, err := within(ctx, 2*s.Limit, func(ctx context.Context) (t Timed, err error) {
		if p, err = collective.Generate(ctx, s.Collective, s.Algorithm, j); err != nil {
			return t, err
		}
		t = Timed{Algorithm: p.Algorithm, Ticks: p.Machine.Ticks()}
		if cycles, ok := certain(p); ok {
			t.Cycles = cycles
			return t, nil
		}
		r, err := collective.Execute(ctx, p)
		if err == nil && !r.Delivered {
			err = input.Errorf("", "not every word arrives")
		}
		if err == nil {
			t.Cycles = r.Cycles
		}
		return t, err
	})
	if errors.Is(err, errLate) {
		err = input.Errorf("expected a higher limit", "not done within %s", s.Limit)
	}
	return t, p, err
}

// certain is the time of a plan that need not be run.
func certain(p *plan.Plan) (cycles router.Cycle, ok bool) {
	switch {
	case p.Machine.Faults != nil:
		return 0, false
	case sure(p):
		return p.Predicted.Least, true
	case p.Chosen != nil && p.Chosen.Weighed[0].How == contest.Simulated:
		return p.Chosen.Weighed[0].Cycles, true
	}
	return 0, false
}

// judge sums up the changes of a key.
func (e *Effect) judge(now *Timed) {
	slices.SortStableFunc(e.Changes, func(a, b Change) int {
		switch {
		case a.Refused != nil && b.Refused != nil:
			return 0
		case a.Refused != nil:
			return 1
		case b.Refused != nil:
			return -1
		}
		return cmp.Compare(a.cycles(), b.cycles())
	})
	if e.LeftOut != nil {
		return
	}
	if first := &e.Changes[0]; first.Refused != nil {
		e.LeftOut = first.Refused
		return
	}
	e.Faster = 1
	if least := e.Changes[0].cycles(); least > 0 {
		e.Faster = now.cycles() / least
	}
	e.Elasticity = e.elasticity(now)
}

// elasticity is the slope of the time over the number, both logarithmic, between the least and the greatest number.
func (e *Effect) elasticity(now *Timed) float64 {
	type sample struct{ number, time float64 }
	var list []sample
	add := func(value string, t *Timed) bool {
		x, ok := new(big.Rat).SetString(value)
		if !ok {
			return false
		}
		number, _ := x.Float64()
		list = append(list, sample{number, t.cycles()})
		return true
	}
	if !add(e.Now, now) {
		return math.NaN()
	}
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Refused == nil && !add(c.Value, &c.Timed) {
			return math.NaN()
		}
	}
	slices.SortFunc(list, func(a, b sample) int { return cmp.Compare(a.number, b.number) })
	low, high := list[0], list[len(list)-1]
	if low.number <= 0 || high.number <= low.number || low.time <= 0 || high.time <= 0 {
		return math.NaN()
	}
	return math.Log(high.time/low.time) / math.Log(high.number/low.number)
}
