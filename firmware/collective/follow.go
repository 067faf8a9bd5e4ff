// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/flow"
)

// Meant is the collective that a schedule is meant to be. The zero value is none.
type Meant struct {
	Collective string        // a name to which a collective answers, see plan.KindOf; "": none
	Root       router.NodeID // of a collective with a root
	Length     int           // flits of every block, at least 1
}

// Followed is what became of the blocks of a schedule that is meant to be a collective.
type Followed struct {
	flow.Report
	Kind   plan.Kind
	Goal   flow.Goal
	Length int          // flits of every block
	Bound  bound.Proven // a time that no schedule of the collective beats, in ticks

	schedule *schedule.Schedule
	ticks    int // of a cycle
}

// FollowRun follows the blocks of a schedule by the times of its run, see package flow. The errors are *input.Error, *memory.TooLarge, and
// that of the context.
func FollowRun(ctx context.Context, s *schedule.Schedule, r *schedule.Result, meant Meant) (*Followed, error) {
	if r == nil || r.Network == nil {
		return nil, input.Errorf("expected one that schedule.Execute has made", "no run")
	}
	if err := s.Validate(r.Network.Topology); err != nil {
		return nil, err
	}
	entered, arrived := r.Times()
	if len(entered) != len(s.Rows) {
		return nil, input.Errorf("expected the run of this schedule", "%s of a run for %s", input.Count(len(entered), "time"), input.Count(len(s.Rows), "message"))
	}
	return meant.follow(ctx, s, r.Network.Topology, r.Network.Machine, entered, arrived)
}

// follow follows the blocks of a schedule whose messages enter and arrive at some times, in ticks, on a machine that is resolved. -1: never.
func (meant Meant) follow(ctx context.Context, s *schedule.Schedule, t *topology.Topology, m machine.Machine, entered, arrived []router.Cycle) (*Followed, error) {
	kind, err := plan.KindOf(meant.Collective)
	if err != nil {
		return nil, err
	}
	if meant.Length < 1 || meant.Length > schedule.MaxFlits {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", schedule.MaxFlits), "blocks of %d flits", meant.Length)
	}
	if kind.Rooted && (meant.Root < 0 || int(meant.Root) >= t.Nodes()) {
		return nil, input.Errorf(plan.NodeRange(t.Nodes()), "root %d is not a node", meant.Root)
	}
	goal := kind.Goal(t.Nodes(), meant.Root)
	r, err := flow.Check(ctx, s, goal, meant.Length, flowTimes(s, &m, entered, arrived))
	if err != nil {
		return nil, err
	}
	job := plan.Job{Topology: t, Machine: m, Root: meant.Root, Lengths: slices.Repeat([]int{meant.Length}, t.Nodes())}
	job.Machine.Faults, job.Machine.Routing = nil, "" // no bound depends on them
	if m.PacketSwitched() {                           // the bound is of all schedules: m has room for the packets of this one
		job.Machine.Packet, job.Machine.Buffer = 0, 0
	}
	task, err := plan.NewTask(ctx, job, kind)
	if err != nil {
		return nil, err
	}
	return &Followed{Report: *r, Kind: kind, Goal: goal, Length: meant.Length, Bound: task.Bound(), schedule: s, ticks: m.Ticks()}, nil
}

// flowTimes says when messages are sent and delivered. A PE can send on what it takes in the last cycle before the time of arrival, of packets in
// the tick itself.
func flowTimes(s *schedule.Schedule, m *machine.Machine, entered, arrived []router.Cycle) flow.Times {
	at := flow.Times{Sent: make([]router.Cycle, len(s.Rows)), Has: make([]router.Cycle, len(s.Rows))}
	for row := range s.Rows {
		at.Sent[row], at.Has[row] = entered[row]-router.Cycle(m.StartupTicks()), arrived[row]
		switch {
		case arrived[row] < 0:
			at.Has[row] = flow.Never
		case !m.PacketSwitched():
			at.Has[row]--
		}
	}
	return at
}

// Ticks is the number of ticks in a cycle, see machine.Machine.Ticks.
func (f *Followed) Ticks() int { return max(1, f.ticks) }

// Row is the row of the schedule that a violation is about; nil: it is about none.
func (f *Followed) Row(v flow.Violation) *schedule.Row {
	if f.schedule == nil || v.Row < 0 || v.Row >= len(f.schedule.Rows) {
		return nil
	}
	return &f.schedule.Rows[v.Row]
}

// Text is a line about a violation, with file, line and number of the message. Times are in cycles.
func (f *Followed) Text(v flow.Violation) string {
	if f.schedule == nil {
		return ""
	}
	block, it := "block "+v.Block, "it"
	if several(v.Block) {
		block, it = "blocks "+v.Block, "them"
	}
	r := f.Row(v)
	if r == nil {
		where := ""
		if f.Goal.Sums() {
			where = " in its sum"
		}
		return input.At(f.schedule.File, 0, "", "node %d lacks %s%s at the end", v.Node, block, where).Error()
	}
	sent := "in cycle " + f.cycles(v.Sent)
	if v.Sent < 0 { // its startup is longer than what is before its dispatch
		sent = "too early, " + f.cycles(-v.Sent) + " cycles before cycle 0"
	}
	what := fmt.Sprintf("node %d sends %s %s, but ", v.Node, block, sent)
	switch v.Fault {
	case flow.Flits:
		what = fmt.Sprintf("node %d sends %s %s, but %s %d", v.Node, input.Count(r.Flits, "flit"), sent, f.haveFlits(v.Block), v.Want)
	case flow.Early:
		what += "gets " + it + " only in cycle " + f.cycles(v.Has)
	case flow.Mixed:
		what += fmt.Sprintf("has %s only in a sum with others", it) + f.from(v.Other)
	case flow.Twice:
		what = fmt.Sprintf("node %d gets %s in cycle %s, but its sum has %s already", v.Node, block, f.cycles(v.Has), it) + f.from(v.Other)
	default:
		what += "never gets " + it
	}
	return input.At(f.schedule.File, r.Line, "", "message %d: %s", r.Message, what).Error()
}

// from names the message of a row, if it is one.
func (f *Followed) from(row int) string {
	if row < 0 || row >= len(f.schedule.Rows) {
		return ""
	}
	return fmt.Sprintf(", from message %d", f.schedule.Rows[row].Message)
}

// cycles is a time in cycles.
func (f *Followed) cycles(ticks router.Cycle) string {
	return rational.Exactly(int64(ticks), int64(f.Ticks()))
}

// haveFlits begins to say how many flits some blocks have, or their sum.
func (f *Followed) haveFlits(names string) string {
	switch {
	case f.Goal.Sums():
		return "the sum " + names + " has"
	case several(names):
		return "blocks " + names + " have"
	}
	return "block " + names + " has"
}

// several reports whether the names of blocks, as files have them, are of more than one.
func several(names string) bool {
	whole, _, _ := strings.Cut(names, "@")
	return strings.ContainsAny(whole, "-+") || strings.Contains(names, "+")
}
