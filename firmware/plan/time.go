// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"errors"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/internal/memory"
)

// HasTimes reports whether the time of a collective is known without its words, see Job.TimeOnly: most of its algorithms
// are lists of transfers.
func (k Kind) HasTimes() bool {
	return k.Holders == Equal || k.Holders == OnlyRoot || k.Holders == Everyone
}

// timesOn reports whether a collective HasTimes on so many nodes: plans of an all-gather grow with the square of their number, also without words.
func (k Kind) timesOn(nodes int) bool {
	return nodes > 0 && k.HasTimes() && (k.Holders != Everyone || nodes <= MaxWords/nodes)
}

// RunTooLarge reports whether no run can hold the words of a job of a kind, so that only its time can be planned: there are too many, or too many for the memory limit of the context.
func (j *Job) RunTooLarge(ctx context.Context, k Kind) bool {
	if !k.timesOn(len(j.Lengths)) {
		return false
	}
	if j.TooLong(k) {
		return true
	}
	timed := *j
	timed.TimeOnly = true
	t, err := NewTask(ctx, timed, k)
	if err != nil {
		return false // whoever plans the job hears why
	}
	var large *memory.TooLarge
	return errors.As(needRun(t), &large)
}

// TooLong reports whether a job of a kind has more words than a run can hold, so that only its time can be planned.
func (j *Job) TooLong(k Kind) bool {
	if !k.HasTimes() || len(j.Lengths) == 0 {
		return false
	}
	longest := j.Lengths[0]
	if k.Holders == Everyone {
		longest = 0
		for _, length := range j.Lengths {
			longest = min(longest+max(0, length), mostCounted)
		}
	}
	if k.Holders == OnlyRoot && j.Root >= 0 && int(j.Root) < len(j.Lengths) {
		longest = j.Lengths[j.Root]
	}
	return longest > MaxWords/len(j.Lengths)
}

// timeable refuses a job whose time is not known without its words.
func (t *Task) timeable() error {
	if !t.Kind.HasTimes() {
		return input.Errorf("expected gossip, broadcast, reduce, allreduce or reduce-scatter", "the time of a %s without its words", t.Kind.Name)
	}
	return nil
}

// NeedWords refuses a job that has no words, for algorithms that cannot plan without them.
func (t *Task) NeedWords(algorithm string) error {
	if t.TimeOnly {
		return input.Errorf("expected another algorithm, or fewer words", "the time of %s %s without its words", t.Kind.Name, algorithm)
	}
	return nil
}

// timePlan is the plan of a list that is asked for its time alone: it has no programs.
func (t *Task) timePlan(l *transfer.List) (*Plan, error) {
	p := t.TimePlan(l.Messages())
	return p, p.needHeaders(l)
}

// TimePlan is the plan of so many messages, with so many flits together, that is asked for its time alone.
func (t *Task) TimePlan(messages, flits int) *Plan {
	p := t.NewPlan()
	p.TimeOnly, p.Messages, p.Flits = true, messages, flits
	return p
}

// tooManyWords refuses a job whose words no run can hold, and names the verb that needs none of them.
func tooManyWords(t *Task, want, what string) error {
	if t.Kind.timesOn(len(t.Lengths)) {
		want += "; meshwright plan gives the times of larger jobs"
	}
	return input.Errorf(want, "%s", what)
}
