// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/check"
	"meshwright/schedule/flow"
)

// dataFlow is what became of the blocks of a schedule; its JSON names are a contract.
type dataFlow struct {
	Collective string      `json:"collective"`
	Root       *int        `json:"root,omitempty"`
	Length     int         `json:"length"`
	Blocks     int         `json:"blocks"`
	OK         bool        `json:"ok"`
	Violations int         `json:"violations"`
	Unlisted   int         `json:"violations_not_listed"`
	First      []violation `json:"first_violations,omitempty"`

	name  string       // for people: all-gather
	done  string       // what holds when OK
	bound bound.Proven // of the collective
}

// violation is what contradicts the collective. Times are in cycles.
type violation struct {
	Line    int       `json:"line,omitempty"`
	Message *int32    `json:"message,omitempty"`
	Node    int       `json:"node"`
	Block   string    `json:"block"`
	Sent    *duration `json:"sent,omitempty"`
	Has     *duration `json:"has,omitempty"`
	Text    string    `json:"text"`
}

// String is the line of the violation.
func (v violation) String() string { return v.Text }

// ofMeant are the flags that say more of the collective that a schedule is meant to be.
var ofMeant = []string{"length", "bytes", "root"}

// addMeant adds the flag of the collective that a schedule is meant to be.
func (f *jobFlags) addMeant(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.meant, "collective", "", "schedules with a column blocks: check that the messages make this `collective`, with --length, and --root")
	})
}

// meansNone refuses the collective of what is no schedule file.
func (f *jobFlags) meansNone(cmd *cobra.Command, what string) error {
	return refuse(cmd, "schedules in .csv are checked to be one", f.givenWith(what), []string{"collective"})
}

// collectiveMeant is the collective that a schedule is meant to be, on a network; nil without --collective.
type collectiveMeant struct {
	kind   plan.Kind
	goal   flow.Goal
	length int
}

// meantOn reads the flags about the collective.
func (f *jobFlags) meantOn(cmd *cobra.Command, t *topology.Topology, m *machine.Machine) (*collectiveMeant, error) {
	if !cmd.Flags().Changed("collective") {
		return nil, refuse(cmd, "the schedule says everything, unless --collective is given", "given with a schedule", ofMeant)
	}
	if err := exclusive(cmd, "length", "bytes"); err != nil {
		return nil, err
	}
	kind, err := plan.KindOf(f.meant)
	if err != nil {
		return nil, input.Locate(err, "--collective", 0)
	}
	root := t.Root
	if cmd.Flags().Changed("root") {
		if !kind.Rooted {
			return nil, input.At("--root", 0, "expected none: "+kind.Does, "%s has no root", article(kind.Name))
		}
		if root, err = rootOf(t, f.root); err != nil {
			return nil, err
		}
	}
	flag := "--length"
	if cmd.Flags().Changed("bytes") {
		if err := f.readBytes(m); err != nil {
			return nil, err
		}
		flag = "--bytes"
	}
	if f.length < 1 || f.length > schedule.MaxFlits {
		return nil, input.At(flag, 0, "expected 1 to "+itoa(schedule.MaxFlits), "%d", f.length)
	}
	return &collectiveMeant{kind, kind.Goal(t.Nodes(), root), f.length}, nil
}

// follow checks that a schedule is the collective that it is meant to be, by the times of its messages, on a machine that is resolved.
func (c *collectiveMeant) follow(ctx context.Context, s *schedule.Schedule, t *topology.Topology, m machine.Machine, at flow.Times) (*dataFlow, error) {
	r, err := flow.Check(ctx, s, c.goal, c.length, at)
	if err != nil {
		return nil, err
	}
	d := &dataFlow{Collective: c.kind.Name, Length: c.length, Blocks: c.goal.Blocks(), OK: r.OK, Violations: r.Violations, Unlisted: r.Violations - len(r.First), name: c.goal.Kind.String(), done: c.goal.Done()}
	if c.kind.Rooted {
		root := int(c.goal.Root)
		d.Root = &root
	}
	for i := range r.First {
		d.First = append(d.First, c.violation(&r.First[i], s, m.Ticks()))
	}
	m.Faults, m.Routing = nil, "" // no bound depends on them
	task, err := plan.NewTask(ctx, collective.Job{Topology: t, Machine: m, Root: c.goal.Root, Lengths: slices.Repeat([]int{c.length}, t.Nodes())}, c.kind)
	if err != nil {
		return nil, err
	}
	d.bound = task.Bound()
	return d, nil
}

// haveFlits begins to say how many flits some blocks have, or their sum.
func (c *collectiveMeant) haveFlits(names string) string {
	switch {
	case c.goal.Sums():
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

func (c *collectiveMeant) violation(v *flow.Violation, s *schedule.Schedule, ticks int) violation {
	time := func(t router.Cycle) *duration { return &duration{t, ticks} }
	out := violation{Node: int(v.Node), Block: v.Block}
	block, it := "block "+v.Block, "it"
	if several(v.Block) {
		block, it = "blocks "+v.Block, "them"
	}
	if v.Row < 0 {
		where := ""
		if c.goal.Sums() {
			where = " in its sum"
		}
		out.Text = input.At(s.File, 0, "", "node %d lacks %s%s at the end", v.Node, block, where).Error()
		return out
	}
	r := &s.Rows[v.Row]
	out.Line, out.Message, out.Sent = r.Line, &r.Message, time(v.Sent)
	sent := "in cycle " + out.Sent.String()
	if v.Sent < 0 { // its startup is longer than what is before its dispatch
		before := duration{-v.Sent, ticks}
		sent = "too early, " + before.String() + " cycles before cycle 0"
	}
	what := fmt.Sprintf("node %d sends %s %s, but ", v.Node, block, sent)
	switch v.Fault {
	case flow.Flits:
		what = fmt.Sprintf("node %d sends %s %s, but %s %d", v.Node, input.Count(r.Flits, "flit"), sent, c.haveFlits(v.Block), v.Want)
	case flow.Early:
		out.Has = time(v.Has)
		what += "gets " + it + " only in cycle " + out.Has.String()
	case flow.Mixed:
		what += fmt.Sprintf("has %s only in a sum with others, from message %d", it, s.Rows[v.Other].Message)
	case flow.Twice:
		out.Has = time(v.Has)
		what = fmt.Sprintf("node %d gets %s in cycle %s, but its sum has %s already", v.Node, block, out.Has, it)
		if v.Other >= 0 {
			what += fmt.Sprintf(", from message %d", s.Rows[v.Other].Message)
		}
	default:
		what += "never gets " + it
	}
	out.Text = input.At(s.File, r.Line, "", "message %d: %s", r.Message, what).Error()
	return out
}

// rows are what a table says of the blocks. Without a collective of that name it says that nobody has looked.
func (d *dataFlow) rows() [][]string {
	if d == nil {
		return [][]string{{"not checked", "who knows what: see --collective"}}
	}
	if d.OK {
		return [][]string{{"collective", d.name + ": " + d.done}}
	}
	return [][]string{{"collective", d.violated()}}
}

// violated says that the schedule is not the collective.
func (d *dataFlow) violated() string {
	return "no " + d.name + ": " + input.Count(d.Violations, "violation")
}

// print prints the first violations, and how many are left out.
func (d *dataFlow) print(w io.Writer) error {
	if d == nil {
		return nil
	}
	first := d.First[:min(shown, len(d.First))]
	for _, v := range first {
		if _, err := fmt.Fprintln(w, escape.Line(v.Text)); err != nil {
			return err
		}
	}
	if left := d.Violations - len(first); left > 0 {
		_, err := fmt.Fprintf(w, "and %s\n", input.Count(left, "more violation"))
		return err
	}
	return nil
}

// none says that there is no ratio.
func (d *dataFlow) none() string { return "none: the schedule is no " + d.name }

// failed reports whether there is a collective that a schedule is not.
func (d *dataFlow) failed() bool { return d != nil && !d.OK }

// ofMessages is what stands behind the ratio of a schedule that no one has compared with a collective.
const ofMessages = ", of these messages, each by itself"

// wormFlow are the static times of messages without buffers, which do not wait.
func wormFlow(s *schedule.Schedule, m *machine.Machine, r *check.Report) flow.Times {
	at := newTimes(len(s.Rows))
	for row := range s.Rows {
		at.enter(m, row, s.Rows[row].Dispatch, r.Arrivals[row])
	}
	return at.Times
}

// packetFlow are the static times of packets.
func packetFlow(s *schedule.Schedule, m *machine.Machine, r *check.PacketReport) flow.Times {
	at := newTimes(len(s.Rows))
	for row := range s.Rows {
		entered := r.Entered[row]
		if entered < 0 {
			entered = s.Rows[row].Dispatch
		}
		at.enter(m, row, entered, r.Arrivals[row])
	}
	return at.Times
}

// runFlow are the times of a run.
func runFlow(s *schedule.Schedule, r *schedule.Result) flow.Times {
	at := newTimes(len(s.Rows))
	entered, arrived := r.Times()
	for row := range s.Rows {
		at.enter(&r.Network.Machine, row, entered[row], arrived[row])
	}
	return at.Times
}

// times collects when messages are sent and delivered.
type times struct{ flow.Times }

func newTimes(rows int) times {
	return times{flow.Times{Sent: make([]router.Cycle, rows), Has: make([]router.Cycle, rows)}}
}

// enter notes a message whose first flit stands in the injection register in a cycle, and whose last flit has arrived
// at another time; -1: never. A PE can send on what it takes in the last cycle before, of packets in the tick itself.
func (t *times) enter(m *machine.Machine, row int, dispatch, arrival router.Cycle) {
	t.Sent[row], t.Has[row] = dispatch-router.Cycle(m.StartupTicks()), arrival
	switch {
	case arrival < 0:
		t.Has[row] = flow.Never
	case !m.PacketSwitched():
		t.Has[row]--
	}
}
