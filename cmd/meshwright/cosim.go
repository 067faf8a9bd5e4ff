// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/pe"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/scratch"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// cosimFlags say which simulators repeat a run.
type cosimFlags struct {
	jobFlags
	emulatorFlags
	simulator, keep, table string
	messages               string
	wave                   waveFlags
	window                 rtl.Window            // of the waveform, in clock cycles
	watch                  *capture.MessageWatch // of --messages
	json                   bool
	stress                 stressFlag
	stressed               duration          // how long the stress phase was
	simulators             []sim.Simulator   // those that repeat the run
	absent                 []absentSimulator // those that were asked for if they are there
}

// witness is one party's account of a run; its JSON names are a contract.
type witness struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Cycles duration `json:"cycles"`
	Quiet  duration `json:"quiet_cycles"`
	Flits  int64    `json:"flits"`
	Says   string   `json:"says"`
}

// cosimReport holds the reports of all witnesses; its JSON names are a contract.
type cosimReport struct {
	Collective string            `json:"collective"`
	Algorithm  string            `json:"algorithm"`
	Topology   string            `json:"topology"`
	OK         bool              `json:"ok"`
	Witnesses  []witness         `json:"witnesses"`
	Flow       *dataFlow         `json:"data_flow,omitempty"`
	Stress     duration          `json:"stress_cycles"`
	Absent     []absentSimulator `json:"not_installed,omitempty"`
	*deadParts
	Version string `json:"version"`
}

func newCosim() *cobra.Command {
	var f cosimFlags
	cmd := &cobra.Command{
		Use:        "cosim " + whatToRun,
		SuggestFor: []string{"cosimulate", "icarus", "verilator"},
		Short:      "Run a collective or schedule in the cycle model, and the same chips as Verilog in simulators",
		Long: `Runs a collective or a schedule in the cycle model and exports the network as Verilog. The
Verilog simulators repeat the run and compare every link (valid, flit) and every buffer's
occupancy in every cycle. On all machines except wormhole the static checker computes the
cycles, too, and must agree. cosim counts the flits of control words, run does not. Behind
the run the simulators compare a phase of random contention (--stress).
With --emulator the Verilog has the PEs with their programs, too, and the simulators compare
every word of every memory at the end. A network that is too large for a simulator's memory
is refused before the run; the message names the largest mesh that fits.

` + whatRuns(),
		Example: "  meshwright cosim gossip --topology mesh:2x2 --length 4 --simulator both",
		Args:    runnable(&f.jobFlags, 0),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.subject(args, 0)) },
	}
	f.jobFlags.add(cmd, 0)
	f.addMeant(cmd)
	f.stress.add(cmd)
	f.addFormat(cmd, runFormats()...)
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.keep, "keep", "", "keep the exported Verilog in this folder: `DIR`")
		flags.StringVar(&f.table, "table", "", "write which flit was at which node, and how many waited, as the simulators report it, if all witnesses agree: `FILE.csv`")
		flags.StringVar(&f.messages, "messages", "", "write when each message was sent and arrived, if all witnesses agree: `FILE.csv`")
	})
	f.wave.add(cmd)
	f.emulatorFlags.add(cmd)
	groupGeneral.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.simulator, "simulator", foundSimulators, "the `simulator`: icarus, verilator, both, or found: the installed ones")
	})
	return cmd
}

func (f *cosimFlags) run(cmd *cobra.Command, name string) error {
	if err := f.calm(cmd, &f.stress); err != nil {
		return err
	}
	var err error
	if f.simulators, f.absent, err = chosen(cmd.Context(), f.simulator); err != nil {
		return err
	}
	var out standardOutput
	defer out.end()
	if f.json && (f.table == toStdout || f.messages == toStdout) {
		return input.At("--json", 0, "expected a file for every other output, or no --json", "standard output is named for another")
	}
	for _, file := range []struct {
		flag string
		path *string
	}{{"--table", &f.table}, {"--messages", &f.messages}} {
		if err := out.take(file.flag, file.path); err != nil {
			return err
		}
	}
	if err := f.outputs(cmd, name); err != nil {
		return err
	}
	o, recorder, err := recorded(cmd, &f.jobFlags, &f.emulatorFlags, name, func(n *fabric.Network) error { return fitSimulators(cmd.Context(), n, f.emulator, f.simulators...) }, f.observe)
	if err != nil {
		return err
	}
	stressed, err := f.stress.stress(cmd, recorder, f.seed)
	if err != nil {
		return err
	}
	f.stressed = o.time(stressed)
	witnesses, err := modelWitnesses(cmd.Context(), o)
	if err != nil {
		return err
	}
	dir, cleanup, err := f.folder()
	if err != nil {
		return err
	}
	defer cleanup()
	writing := progress.Begin(cmd.Context(), "write the design", 0)
	design, err := recorder.Export(dir)
	writing.End()
	if err != nil {
		return err
	}
	var logs []string
	var results []*sim.Result
	if stoppedByFault(o.failure) {
		f.stressed = o.time(0)
		for _, s := range f.simulators {
			witnesses = append(witnesses, notCompared(string(s), o))
		}
		f.simulators = nil
	}
	for _, s := range f.simulators {
		r, err := sim.Run(cmd.Context(), s, dir, f.options())
		if err != nil {
			return err
		}
		results = append(results, r)
		witnesses = append(witnesses, witness{string(s), r.Pass, o.time(router.Cycle(r.Cycles)), o.time(router.Cycle(r.Quiet)), int64(r.Flits), o.upTo(saying(r.Line, o.machine.Ticks()))})
		logs = append(logs, r.Log)
	}
	note, err := f.writeWaves(cmd.Context(), o, recorder, design, dir, results)
	if err != nil {
		return err
	}
	f.wave.sayBeyond(cmd.ErrOrStderr(), o.network, stressed)
	err = f.finish(out.table(cmd), cmd.ErrOrStderr(), o, witnesses, design, logs)
	for _, line := range []string{note, disagreement(witnesses)} {
		if line != "" {
			_, failed := fmt.Fprintf(cmd.ErrOrStderr(), "meshwright: %s\n", line)
			err = cmp.Or(err, failed)
		}
	}
	return cmp.Or(err, out.send(cmd.OutOrStdout()))
}

// stoppedByFault reports whether a run ended in the middle of a cycle, with a fault that chips do not have.
func stoppedByFault(failure error) bool {
	var fault *pe.Fault
	var packet *fabric.TooLong
	return errors.As(failure, &fault) || errors.As(failure, &packet)
}

// notCompared is the witness of such a run.
func notCompared(name string, o *outcome) witness {
	return witness{Name: name, Cycles: o.time(0), Quiet: o.time(0), Says: "not compared: the run failed in the model"}
}

// upTo adds to what a simulator says of a run that failed how far the simulator agrees with the model.
func (o *outcome) upTo(says string) string {
	if o.delivered || o.collisionCount > 0 || !strings.HasPrefix(says, "PASS") {
		return says
	}
	return says + ", agrees up to the failure"
}

// saying is a simulator's line; it counts ticks.
func saying(line string, ticks int) string {
	if ticks == 1 {
		return line
	}
	return fmt.Sprintf("%s (in ticks, %d a cycle)", line, ticks)
}

// outputs judges the files to write before any work is done.
func (f *cosimFlags) outputs(cmd *cobra.Command, what string) error {
	if f.keep != "" {
		if err := input.WriteFolder(f.keep); err != nil {
			return err
		}
	}
	paths := f.inputs(what)
	for _, file := range []struct{ flag, path string }{{"--table", f.table}, {"--messages", f.messages}} {
		if file.path != "" {
			if err := paths.WriteAs(file.flag, file.path, ".csv"); err != nil {
				return err
			}
		}
	}
	return f.wave.check(cmd, paths)
}

// observe attaches what --messages needs.
func (f *cosimFlags) observe(n *fabric.Network) error {
	if err := f.wave.checkNodes(n); err != nil {
		return err
	}
	f.window = f.wave.ticks(n)
	if f.messages != "" {
		f.watch = capture.NewMessageWatch(n)
		n.Attach(f.watch)
	}
	return nil
}

// modelWitnesses are the cycle model and the static checker, except for worms that
// wait and for faults that the plan does not know or did not avoid.
func modelWitnesses(ctx context.Context, o *outcome) ([]witness, error) {
	model := witness{Name: "model", OK: o.delivered, Cycles: o.time(o.moved()), Quiet: o.time(o.network.Quiet()), Says: o.compared() + o.ending()}
	if !o.delivered {
		model.Says = o.failure.Error()
	}
	switch {
	case o.flow.failed():
		model.OK = false
		model.Says += "; " + o.flow.violated()
	case o.flow != nil && o.delivered:
		model.Says += "; " + o.flow.name + ": " + o.flow.done
	}
	sent := int64(0)
	for _, m := range o.network.Log() {
		sent += int64(o.machine.WithHeader(m.Length))
	}
	model.Flits = sent
	if !o.delivered {
		model.Flits = int64(o.network.Delivered())
	}
	if o.collisionCount > 0 {
		model.Flits = int64(o.network.Delivered())
		model.Says += o.losses()
	}
	if o.network.Faults() != nil {
		model.Flits, model.Quiet = int64(o.network.Delivered()), o.time(o.network.LastTaken())
		if list := o.machine.Faults; list == nil || !list.Known || !o.delivered { // the checker counts what is lost as if it arrived
			return []witness{model}, nil
		}
	}
	switch {
	case o.machine.Switching == machine.Wormhole:
		return []witness{model}, nil
	case stoppedByFault(o.failure), errors.Is(o.failure, fabric.ErrLimit): // the checker counts messages in flight as if they arrived
		return []witness{notCompared("checker", o), model}, nil
	}
	s := schedule.FromLog(o.network, o.alongTree || o.machine.Routing == machine.Source)
	if o.machine.PacketSwitched() {
		static, err := packetWitness(ctx, o, s)
		return []witness{static, model}, err
	}
	report, err := check.Check(s, o.topology, o.network.Machine, check.Under(ctx)) // with the faults that were drawn
	if err != nil {
		return nil, err
	}
	static := witness{Name: "checker", OK: report.OK, Cycles: o.time(report.Cycles), Quiet: o.time(report.Quiet), Flits: sent, Says: "no collisions"}
	if !report.OK {
		static.Says = fmt.Sprintf("%s of messages in collision, the first in cycle %d", input.Count(report.Collisions, "pair"), report.First[0].Cycle)
	}
	return []witness{static, model}, nil
}

// folder returns where to export: the one to keep, or a temporary one.
func (f *cosimFlags) folder() (string, func(), error) {
	if f.keep != "" {
		return f.keep, func() {}, nil
	}
	dir, err := scratch.NewTemporary("cosim")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir.Path, "export"), func() { dir.Remove() }, nil
}

// finish prints the witnesses and writes the table on which they must agree.
func (f *cosimFlags) finish(w, stderr io.Writer, o *outcome, witnesses []witness, d *rtl.Design, logs []string) error {
	ok := !slices.ContainsFunc(witnesses, func(x witness) bool { return !x.OK }) && disagreement(witnesses) == ""
	if f.table != "" && ok {
		if err := writeAgreedTable(f.table, d, logs); err != nil {
			return err
		}
	}
	if f.messages != "" && ok {
		write := func(w io.Writer) error {
			return capture.WriteMessages(w, &o.network.Machine, withUnsent(f.watch.Times(), o.scheduled))
		}
		if err := atomicfile.Write(f.messages, write); err != nil {
			return err
		}
	}
	if err := f.print(w, o, witnesses, ok); err != nil {
		return err
	}
	if ok {
		return nil
	}
	for _, path := range []string{f.table, f.messages} {
		if path != "" {
			complain(stderr, fmt.Errorf("left out: %s, which is written only if no witness finds a fault", input.Name(path)))
		}
	}
	return errFailed
}

// mostSays bounds what a table shows of a witness's report, in characters; JSON has all of it.
const mostSays = 160

// disagreement names the first column in which witnesses differ that all have found no fault; "" when they agree, or when a
// row itself says what is wrong.
func disagreement(witnesses []witness) string {
	if slices.ContainsFunc(witnesses, func(x witness) bool { return !x.OK }) {
		return ""
	}
	for _, column := range []struct {
		name string
		of   func(x witness) string
	}{
		{"cycles", func(x witness) string { return x.Cycles.String() }},
		{"network quiet", func(x witness) string { return x.Quiet.String() }},
		{"flits", func(x witness) string { return fmt.Sprint(x.Flits) }},
	} {
		first := witnesses[0]
		for _, x := range witnesses[1:] {
			if column.of(x) != column.of(first) {
				return fmt.Sprintf("the witnesses differ in the column %q: %s has %s, %s has %s", column.name, first.Name, column.of(first), x.Name, column.of(x))
			}
		}
	}
	return ""
}

func (f *cosimFlags) print(w io.Writer, o *outcome, witnesses []witness, ok bool) error {
	dead := newDeadParts(o.network.Faults(), o.topology)
	if f.json {
		return printJSON(w, cosimReport{o.collective, o.algorithm, o.topology.String(), ok, witnesses, o.flow, f.stressed, f.absent, dead, version()})
	}
	header := []string{"witness", "cycles", "flits", "says"}
	var rows [][]string
	for _, x := range witnesses {
		says := clip(x.Says, mostSays)
		if o.collisionCount > 0 && strings.HasPrefix(says, "PASS") && x.Cycles.ticks < o.moved() {
			says += ", before the collision"
		}
		rows = append(rows, []string{x.Name, x.Cycles.String(), fmt.Sprint(x.Flits), says})
	}
	if slices.ContainsFunc(witnesses, func(x witness) bool { return x.Quiet != x.Cycles }) {
		header = slices.Insert(header, 2, "network quiet")
		for i, x := range witnesses {
			rows[i] = slices.Insert(rows[i], 2, x.Quiet.String())
		}
	}
	for _, x := range f.absent {
		row := make([]string, len(header))
		row[0], row[len(row)-1] = x.Name, x.Says
		rows = append(rows, row)
	}
	if err := printRows(w, o.title(), header, rows); err != nil {
		return err
	}
	for _, row := range dead.rows() {
		if _, err := fmt.Fprintln(w, strings.Join(row, ": ")); err != nil {
			return err
		}
	}
	return o.flow.print(w)
}

// writeAgreedTable writes the table that the simulators' logs tell; they must
// tell the same.
func writeAgreedTable(path string, d *rtl.Design, logs []string) error {
	var agreed []byte
	for _, log := range logs {
		f, err := os.Open(log)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		err = capture.WriteSimulatorTable(&text, d, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if agreed != nil && !bytes.Equal(agreed, text.Bytes()) {
			return fmt.Errorf("%s: the simulators' tables differ", path)
		}
		agreed = text.Bytes()
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(agreed)
		return err
	})
}
