// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/formats/msccl"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/check"
	"meshwright/schedule/workload"
)

// outcome is a run, of a collective or of a schedule file.
type outcome struct {
	collective, algorithm string // of a schedule: "schedule" and the file
	ordered               bool   // the order is not the algorithm's, but given
	topology              *topology.Topology
	machine               machine.Machine
	network               *fabric.Network // after the run
	root                  *int
	job                   jobRecord
	alongTree             bool             // the network did not use the machine's own routes
	plan                  *collective.Plan // nil for a schedule
	written               *msccl.Algorithm // what --xml writes; nil: nothing
	firmware              *ranFirmware     // users' own programs; nil for all else
	files                 []workload.File

	named           string // the machine, for headings
	messages, flits int
	cycles          router.Cycle
	tail            router.Cycle // of a workload: how long computations go on behind the last flit of data
	lowerBound      router.Cycle
	proof           bound.Proof // of the lower bound; "": not named
	delivered       bool
	failure         error
	collisions      []router.Collision
	collisionCount  int
	unsent          int // collisions that are messages, not flits
	maxBufferFlits  int
	arrivals        *collective.Arrivals
	scheduled       *schedule.Schedule        // what was to be sent; nil: not a schedule
	late            *int                      // schedule: messages later than their rows say
	byItself        bool                      // schedule: the bound is that of its messages, each by itself
	flow            *dataFlow                 // schedule: what became of its blocks; nil: nobody asked
	given           map[int32]schedule.Blocks // schedule: what its messages carry; nil: it does not say
	imported        []fact                    // what is known of an imported file
}

// whatToRun is the synopsis of the arguments of run, cosim and export.
const whatToRun = "COLLECTIVE|FILE --topology T"

// whatRuns explains it.
func whatRuns() string {
	text, width := "COLLECTIVE is one of\n\n", 0
	for _, k := range plan.Kinds() {
		width = max(width, len(nameAndMPI(k)))
	}
	for _, k := range plan.Kinds() {
		text += fmt.Sprintf("  %-*s %s\n", width, nameAndMPI(k), k.Does)
	}
	text += fmt.Sprintf("  %-*s %s\n", width, randomMessages, "no collective, but random messages (--number, --pattern, --rate)")
	return text + `
FILE is a schedule (.csv), an algorithm (MSCCL-style .xml), a time-division table (.tdm), a
workload (Chakra, .0.et), TE-CCL flows, a plan of MSCCL++ or a chip's trace (.json), the capture
of a run (.pcapng), or a program of your own for all PEs (.s: assembler text, .mem: hex image).
- is standard input, whose content tells the format. With --firmware no argument is needed.`
}

// nameAndMPI is a collective's name, with that of MPI where it is another.
func nameAndMPI(k plan.Kind) string {
	if k.MPI() == k.Name {
		return k.Name
	}
	return k.Name + " (MPI: " + k.MPI() + ")"
}

// execute runs a collective or a file.
func (f *jobFlags) execute(cmd *cobra.Command, what string, attach ...func(*fabric.Network) error) (*outcome, error) {
	o, err := f.executeAs(cmd, what, attach...)
	if o != nil {
		o.named = f.named
	}
	return o, f.guess(err, what)
}

func (f *jobFlags) executeAs(cmd *cobra.Command, what string, attach ...func(*fabric.Network) error) (*outcome, error) {
	format := f.formatOf(what)
	if format != scheduleFormat {
		if err := f.meansNone(cmd, what); err != nil {
			return nil, err
		}
	}
	if what != randomMessages {
		if err := refuse(cmd, "only random messages have them", f.givenWith(what), ofRandom); err != nil {
			return nil, err
		}
	}
	if format != firmwareFormat {
		if err := refuse(cmd, "run FILE.s, or --firmware without anything else to run", f.givenWith(what), ofFirmware); err != nil {
			return nil, err
		}
	}
	switch format {
	case scheduleFormat:
		return f.executeSchedule(cmd, what, attach...)
	case tableFormat:
		return f.executeTable(cmd, what, attach...)
	case algorithmFormat:
		return f.executeAlgorithm(cmd, what, func() (*msccl.Algorithm, error) { return msccl.Read(what) }, attach...)
	case captureFormat:
		return f.executeCapture(cmd, what, attach...)
	case jsonFormat:
		return f.executeJSON(cmd, what, attach...)
	case traceFormat:
		return f.executeTrace(cmd, what, attach...)
	case firmwareFormat:
		return f.executeFirmware(cmd, what, attach...)
	}
	if what == randomMessages {
		return f.executeRandom(cmd, attach...)
	}
	if err := refuse(cmd, "only imported files have ranks", f.givenWith(what), ofImported); err != nil {
		return nil, err
	}
	job, files, err := f.load(cmd, what)
	if err != nil {
		return nil, err
	}
	p, err := collective.Generate(cmd.Context(), what, f.algorithm, job)
	if err != nil {
		return nil, err
	}
	var written *msccl.Algorithm
	if f.keepList {
		if written, err = msccl.FromPlan(p); err != nil {
			return nil, input.Locate(err, "--xml", 0)
		}
	}
	r, err := collective.Execute(cmd.Context(), p, attach...)
	if err != nil {
		return nil, err
	}
	o := &outcome{
		collective: p.Collective, algorithm: p.Algorithm, ordered: job.Order != nil, job: recordOf(what, &job), topology: p.Topology, machine: p.Machine, network: r.Network,
		alongTree: p.Tree != nil, written: written, plan: p, files: files, messages: p.Messages, flits: p.Flits, cycles: r.Cycles,
		lowerBound: p.LowerBound(), proof: p.Bound().Proof, delivered: r.Delivered, failure: r.Failure, collisions: r.Collisions,
		collisionCount: r.CollisionCount, maxBufferFlits: r.MaxBufferFlits, arrivals: r.Arrivals,
	}
	if kind, err := plan.KindOf(what); err == nil && kind.Rooted {
		root := int(p.Root)
		o.root = &root
	}
	return o, nil
}

func (f *jobFlags) executeSchedule(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the schedule says everything", "given with a schedule", slices.Concat(ofCollectives(), ofImported, []string{"seed"})); err != nil {
		return nil, err
	}
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, err
	}
	meant, err := f.meantOn(cmd, t, &m)
	if err != nil {
		return nil, err
	}
	s, err := readSchedule(cmd.Context(), file)
	if err != nil {
		return nil, err
	}
	o, r, err := played(cmd, "schedule", s, t, m, attach...)
	if err != nil {
		return nil, err
	}
	if s.HasBlocks() {
		o.given = make(map[int32]schedule.Blocks, len(s.Rows))
		for i := range s.Rows {
			o.given[s.Rows[i].Message] = s.Rows[i].Blocks
		}
	}
	if o.byItself = meant == nil; o.byItself {
		return o, nil
	}
	followed, err := collective.FollowRun(cmd.Context(), s, r, meant.Meant)
	if err != nil {
		return nil, err
	}
	o.flow, o.lowerBound, o.proof = meant.dataFlow(followed), followed.Bound.Cycles, followed.Bound.Proof
	return o, nil
}

// readSchedule reads a schedule, which may be long.
func readSchedule(ctx context.Context, file string) (*schedule.Schedule, error) {
	defer progress.Begin(ctx, "read "+file, 0).End()
	return schedule.ReadWithin(ctx, file)
}

// play runs a schedule.
func play(cmd *cobra.Command, name string, s *schedule.Schedule, t *topology.Topology, m machine.Machine, attach ...func(*fabric.Network) error) (*outcome, error) {
	o, _, err := played(cmd, name, s, t, m, attach...)
	return o, err
}

// played is play, with the times of the messages.
func played(cmd *cobra.Command, name string, s *schedule.Schedule, t *topology.Topology, m machine.Machine, attach ...func(*fabric.Network) error) (*outcome, *schedule.Result, error) {
	r, err := schedule.Execute(cmd.Context(), s, t, m, attach...)
	if err != nil {
		return nil, nil, err
	}
	return &outcome{
		collective: name, algorithm: input.Name(s.File), topology: t, machine: r.Network.Machine, network: r.Network,
		messages: r.Messages, flits: r.Flits, cycles: r.Cycles, lowerBound: check.FloorOf(s, t, r.Network.Machine), delivered: r.Delivered,
		failure: r.Failure, collisions: r.Collisions, collisionCount: r.CollisionCount, unsent: r.Unsent(), scheduled: s, maxBufferFlits: r.MaxBufferFlits, late: &r.Late,
	}, r, nil
}

// ofCollectives are the flags that only collectives take.
func ofCollectives() []string {
	flags := []string{"algorithm", "limit", "effort", "lengths", "payload", "packets", "set"}
	for _, o := range collective.Options() {
		flags = append(flags, o.Name)
	}
	return flags
}

// ofBoth are the flags of collectives that imported algorithms take, too.
var ofBoth = []string{"length", "bytes", "root", "seed"}

// refuse demands that none of some flags is given.
func refuse(cmd *cobra.Command, why, what string, flags []string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return input.At("--"+name, 0, "expected none: "+why, "%s", what)
		}
	}
	return nil
}

// givenWith says beside what a flag is given: a collective, or a file by its name.
func (f *machineFlags) givenWith(what string) string {
	switch {
	case what == "":
		what = "a program"
	case f.formatOf(what) != noFormat:
		what = input.Clip(input.Name(what))
	case what == randomMessages:
		what = "random messages"
	default:
		what = article(what)
	}
	return "given with " + what
}

// messagesSent is the run as a schedule, with the blocks that its messages carry where they are known.
func (o *outcome) messagesSent() *schedule.Schedule {
	s := schedule.FromLog(o.network, o.alongTree || o.machine.Routing == machine.Source)
	switch {
	case o.given != nil:
		for i := range s.Rows {
			s.Rows[i].Blocks = o.given[s.Rows[i].Message]
		}
	case o.plan != nil && o.delivered && o.files == nil:
		o.plan.NameBlocks(s, o.network.Log())
	}
	return s
}

// time is a number of the machine's ticks as cycles.
func (o *outcome) time(ticks router.Cycle) duration { return duration{ticks, o.machine.Ticks()} }

// moved returns when the last flit of data had been delivered. The network shows this time, and nothing of what PEs compute.
func (o *outcome) moved() router.Cycle { return o.cycles - o.tail }

// ending says when the last computation of a workload ends, if that is behind the last flit of data; "" otherwise.
func (o *outcome) ending() string {
	if o.tail == 0 {
		return ""
	}
	return "; the last computation ends after " + o.time(o.cycles).String() + " cycles"
}

// losses says how many flits were lost in collisions, and when the first one; "" without any.
func (o *outcome) losses() string {
	if o.collisionCount == 0 {
		return ""
	}
	return fmt.Sprintf("; %s, the first in cycle %s", o.lost(), o.time(o.collisions[0].Cycle))
}

// lost counts what collisions cost: flits, and messages that could not enter in their cycle.
func (o *outcome) lost() string {
	flits, messages := input.Count(o.collisionCount-o.unsent, "flit")+" lost", input.Count(o.unsent, "message")+" not sent"
	switch {
	case o.collisionCount == 0:
		return "0"
	case o.unsent == 0:
		return flits
	case o.unsent == o.collisionCount:
		return messages
	}
	return flits + ", " + messages
}

// title names what ran.
func (o *outcome) title() string {
	what := o.collective + " " + o.algorithm
	if o.ordered {
		what = o.collective + " in the order given"
	}
	return fmt.Sprintf("%s on %s, machine %s", what, o.job.on(o.topology.String()), o.named)
}

// facts are the algorithm's own fields.
func (o *outcome) facts() []fact {
	list := o.imported
	if o.plan == nil {
		return list
	}
	for _, f := range o.plan.Facts {
		if f.Unit == plan.Truth {
			if f.OrByBound && o.delivered && o.cycles <= o.plan.UncombinedBound() {
				f.Value = 1 // the run itself proves it
			}
			list = append(list, truth(f))
			continue
		}
		value := duration{f.Value, 1}
		if f.Unit == plan.Cycles {
			value = o.time(f.Value)
		}
		text := value.String()
		if f.Unit == plan.Cycles && !o.delivered {
			text += " by the plan"
		}
		if f.Exceeded != "" && o.delivered && o.cycles > f.Value {
			text += ", exceeded: " + f.Exceeded
		}
		list = append(list, fact{f.Key, f.Name, text, string(jsonNumber(value.exact()))})
	}
	return list
}

// truth is a fact that holds or does not.
func truth(f plan.Fact) fact {
	if f.Value == 0 {
		return fact{f.Key, f.Name, "no", "false"}
	}
	return fact{f.Key, f.Name, "yes", "true"}
}

// optimalBy returns the proof that nothing can be faster: of the bound, if the run takes no longer.
func (o *outcome) optimalBy() bound.Proof {
	if o.cycles != o.lowerBound || !o.delivered || o.failure != nil || o.flow.failed() || o.arrivals != nil && len(o.arrivals.Incomplete) > 0 {
		return ""
	}
	return o.proof
}

// ratio returns time by lower bound; when nothing was to do 1, or no number if
// that took time. A run that did not do its job has none: the bound is not about it.
func (o *outcome) ratio() quotient {
	switch {
	case !o.delivered || o.failure != nil || o.flow.failed():
		return quotient(math.NaN())
	case o.lowerBound == 0 && o.cycles == 0:
		return 1
	case o.lowerBound == 0:
		return quotient(math.NaN())
	}
	return quotient(float64(o.cycles) / float64(o.lowerBound))
}
