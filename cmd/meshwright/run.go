// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/firmware/plan"
	"meshwright/formats/chakra"
	"meshwright/formats/msccl"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/teardown"
)

func itoa(n int) string { return strconv.Itoa(n) }

// collectives are the names of all of them, and aliases what else they answer to.
func collectives() (names, aliases []string) {
	for _, k := range plan.Kinds() {
		names = append(names, k.Name)
		aliases = append(aliases, k.Aliases...)
	}
	return names, aliases
}

// runFlags are the views of a run.
type runFlags struct {
	jobFlags
	trace    traceFlags
	wave     waveFlags
	saves    checkpointFlags
	watch    watchFlags // of watch
	json     bool
	table    string
	schedule string
	listing  string
	messages string
	et       string
	xml      string
	dump     string
}

func newRun() *cobra.Command {
	cmd, _ := runCommand()
	return cmd
}

// runCommand makes the verb and its flags.
func runCommand() (*cobra.Command, *runFlags) {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:        "run " + whatToRun,
		SuggestFor: []string{"simulate", "simulation", "emulate", "emulator", "execute", "start"},
		Short:      "Run a collective as firmware, or a file, or programs of your own, in the cycle model",
		Long: `Runs a collective as firmware, or a file, in the cycle model, and compares every word of
every memory with its expected value at the end. Programs of your own (--firmware, or FILE.s)
run until all PEs have halted; --expect compares their memories.

` + whatRuns(),
		Example: `  meshwright run scatter --topology mesh:8x8 --length 16
  meshwright run gather --topology path:6 --machine bufferless --lengths 2,3,0,2,1 --table fig2.csv
  meshwright run gossip --topology torus:4x4 --algorithm torgos --startup 40 --trace run.pcapng --trace load.svg
  meshwright run scatter --topology path:90 --algorithm furthest-first --trace part.svg --from 20 --until 60 --nodes 10-24
  meshwright run exchange --topology torus:4x4 --machine bufferless --ports all --length 1
  meshwright run gather --topology random-tree:100 --machine bufferless --algorithm certification-tight
  meshwright run scatter --topology binary:4 --machine store-forward --setup 3/2 --algorithm search
  meshwright run examples/schedules/exchange-path3.csv --topology path:3 --machine store-forward --setup 3/2
  meshwright run examples/firmware/pingpong.s --topology mesh:4x4 --trace ping.csv
  meshwright run gather --topology mesh:4x4 --startup 10 --messages times.csv
  meshwright run --firmware 0=root.s --firmware 1-15=leaf.s --memory-image 0=in.mem --expect 15=out.mem --dump end.csv --topology mesh:4x4`,
		Args: runnable(&f.jobFlags, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.subject(args, 0)) },
	}
	f.jobFlags.add(cmd, 0)
	f.addMeant(cmd)
	f.addFormat(cmd, runFormats()...)
	f.addViews(cmd)
	f.addDump(cmd)
	return cmd, f
}

// addDump adds the flag of the memories at the end.
func (f *runFlags) addDump(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.dump, "dump", "", "firmware: write the data memories at the end: `FILE`.csv (node,address,value), or a folder with 0.mem, 1.mem …")
	})
}

// addViews adds the flags of the output files of a run.
func (f *runFlags) addViews(cmd *cobra.Command) {
	addJSON(cmd, &f.json)
	f.trace.add(cmd)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.table, "table", "", "write which flit was at which node in which cycle, and how many waited in buffers: `FILE.csv`")
		flags.StringVar(&f.schedule, "schedule", "", "write the messages of the run as a schedule, with their dispatch cycles: `FILE.csv`")
		flags.StringVar(&f.messages, "messages", "", "write when each message was sent and arrived, and how long it waited: `FILE.csv`")
		flags.StringVar(&f.et, "et", "", "write the messages of the run as Chakra execution traces: `FILE.et` stands for FILE.0.et, FILE.1.et …, one for each node")
		flags.StringVar(&f.xml, "xml", "", "write the algorithm in the form of MSCCL, which has no times, so that a run of the file may take more cycles: `FILE.xml`")
		flags.StringVar(&f.listing, "listing", "", "write the firmware's listing: `FILE`")
	})
	f.wave.add(cmd)
	f.saves.add(cmd)
}

func (f *runFlags) run(cmd *cobra.Command, what string) error {
	format := f.formatOf(what)
	if f.algorithm == "list" && format == noFormat {
		if f.json {
			return printJSON(cmd.OutOrStdout(), listed(what))
		}
		return listAlgorithms(cmd.OutOrStdout(), what)
	}
	if f.listing != "" && (format == scheduleFormat || format == tableFormat || format == traceFormat || format == jsonFormat || format == captureFormat) {
		return input.At("--listing", 0, "expected a collective", "a schedule has no firmware")
	}
	random := format == noFormat && what == randomMessages
	if f.listing != "" && random {
		return input.At("--listing", 0, "expected a collective", "random messages have no firmware")
	}
	if f.keepList = f.xml != ""; f.keepList && (random || format != noFormat && format != algorithmFormat) {
		return input.At("--xml", 0, "expected a collective, or an algorithm in .xml", "%s", f.givenWith(what))
	}
	if kind, err := plan.KindOf(what); f.keepList && format == noFormat && err == nil {
		if err := msccl.Has(kind.Name); err != nil {
			return input.Locate(err, "--xml", 0)
		}
	}
	if f.dump != "" && format != firmwareFormat {
		return input.At("--dump", 0, "expected none, or a program of your own to run", "%s", f.givenWith(what))
	}
	f.nameBlocks = f.schedule != ""
	var out standardOutput
	defer out.end()
	if err := f.takeStandard(&out); err != nil {
		return err
	}
	paths := f.inputs(what)
	if err := f.outputs(paths); err != nil {
		return err
	}
	if err := f.saves.check(cmd, paths); err != nil {
		return err
	}
	if err := f.trace.without(&f.saves); err != nil {
		return err
	}
	if err := f.wave.check(cmd, paths); err != nil {
		return err
	}
	if err := f.wave.without(&f.saves); err != nil {
		return err
	}
	if err := f.trace.window.check(cmd, "--trace or --table", f.trace.any() || f.table != ""); err != nil {
		return err
	}
	v := &views{run: f, title: strings.TrimSpace(what + " " + f.algorithm)}
	defer f.trace.abort()
	if err := f.watch.listen(cmd, v.title); err != nil {
		return err
	}
	defer f.watch.close()
	o, err := f.execute(cmd, what, v.open, func(n *fabric.Network) error {
		if format == noFormat && what != randomMessages && !f.needsLog() {
			n.DropLog()
		}
		return f.saves.open(cmd, n, append(jobFacts(cmd, what), f.viewFacts()...))
	}, f.watch.open)
	if err != nil {
		return err
	}
	f.watch.close()
	writing := progress.Begin(cmd.Context(), "write the files", 0)
	err = v.close(cmd.Context(), o)
	writing.End()
	if err != nil {
		return err
	}
	f.trace.window.sayBeyond(cmd.ErrOrStderr(), o.network)
	f.wave.sayBeyond(cmd.ErrOrStderr(), o.network, 0)
	if err := out.send(cmd.OutOrStdout()); err != nil {
		return err
	}
	return report(out.table(cmd), f.json, newSummary(o))
}

// needsLog reports whether a file tells of each message of a collective's run. A checkpoint has the log since the run
// that goes on may be asked for such a file.
func (f *runFlags) needsLog() bool {
	return f.schedule != "" || f.messages != "" || f.et != "" || f.saves.given() != ""
}

// takeStandard takes the file that is to go to standard output.
func (f *runFlags) takeStandard(out *standardOutput) error {
	if f.json && slices.Contains([]string{f.table, f.schedule, f.listing, f.messages}, toStdout) {
		return input.At("--json", 0, "expected a file for every other output, or no --json", "standard output is named for another")
	}
	for _, file := range []struct {
		flag string
		path *string
	}{{"--table", &f.table}, {"--schedule", &f.schedule}, {"--listing", &f.listing}, {"--messages", &f.messages}} {
		if err := out.take(file.flag, file.path); err != nil {
			return err
		}
	}
	return nil
}

// outputs judges the files to write before any work is done.
func (f *runFlags) outputs(paths *input.Paths) error {
	if err := f.trace.check(paths); err != nil {
		return err
	}
	for _, file := range []struct{ flag, path string }{{"--table", f.table}, {"--schedule", f.schedule}, {"--messages", f.messages}} {
		if file.path != "" {
			if err := paths.WriteAs(file.flag, file.path, ".csv"); err != nil {
				return err
			}
		}
	}
	if f.et != "" {
		if err := paths.WriteAs("--et", f.et, ".et"); err != nil {
			return err
		}
	}
	if f.xml != "" {
		if err := paths.WriteAs("--xml", f.xml, ".xml"); err != nil {
			return err
		}
	}
	if f.listing != "" {
		if err := paths.Write("--listing", f.listing); err != nil {
			return err
		}
	}
	return checkDump(f.dump, paths)
}

// report prints a summary; a run that went wrong is errFailed.
func report(w io.Writer, asJSON bool, s *summary) error {
	print := s.printTable
	if asJSON {
		print = s.printJSON
	}
	if err := print(w); err != nil {
		return err
	}
	if s.Failure != "" || s.Collisions > 0 || s.Flow.failed() {
		return errFailed
	}
	return nil
}

// views are the files that a run writes.
type views struct {
	run    *runFlags
	title  string
	watch  *capture.MessageWatch // of --messages
	record *chakra.Recording     // of --et
}

// open attaches the captures that the flags ask for.
func (v *views) open(n *fabric.Network) error {
	opts, err := v.run.trace.window.options(n.Topology, v.title)
	if err != nil {
		return err
	}
	if err := v.run.wave.open(n); err != nil {
		return err
	}
	if v.run.messages != "" {
		v.watch = capture.NewMessageWatch(n)
		n.Attach(v.watch)
	}
	if v.run.et != "" {
		if err := v.run.checkTraceFiles(n.Topology.Nodes()); err != nil {
			return err
		}
		v.record = chakra.NewRecording(n)
		n.Attach(v.record)
	}
	if err := v.run.trace.open(n, opts); err != nil {
		return err
	}
	if v.run.table != "" {
		c, err := capture.OpenTable(v.run.table, n, opts)
		if err != nil {
			return err
		}
		v.run.trace.attach(n, c)
	}
	return nil
}

// close completes all files, and only then puts them at their paths.
func (v *views) close(ctx context.Context, o *outcome) error {
	late, err := v.writeLate(ctx, o)
	for _, f := range late {
		defer f.Abort()
	}
	if err != nil {
		return err
	}
	if err := v.run.trace.finish(); err != nil {
		return err
	}
	for _, f := range late {
		if err := f.Finish(); err != nil {
			return err
		}
	}
	defer teardown.Process.Hold()() // all of them or none
	if err := v.run.trace.commit(); err != nil {
		return err
	}
	for _, f := range late {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// writeLate writes the files whose content is known only after the run.
func (v *views) writeLate(ctx context.Context, o *outcome) (files []pending, err error) {
	for _, view := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{v.run.schedule, func(w io.Writer) error {
			return o.messagesSent().Write(w)
		}},
		{v.run.xml, func(w io.Writer) error { return o.written.Write(w) }},
		{v.run.listing, func(w io.Writer) error { return writeListings(w, o.programs()) }},
		{v.run.messages, func(w io.Writer) error {
			return capture.WriteMessages(w, &o.network.Machine, withUnsent(v.watch.Times(), o.scheduled))
		}},
	} {
		if view.path == "" {
			continue
		}
		f, err := atomicfile.Create(view.path)
		if err != nil {
			return files, err
		}
		files = append(files, f)
		if err := view.write(f); err != nil {
			return files, err
		}
	}
	if v.record != nil {
		traces, err := v.writeTraces(o)
		if files = append(files, traces...); err != nil {
			return files, err
		}
	}
	waves, err := v.run.wave.write(ctx, o.title())
	if waves != nil {
		files = append(files, waves)
	}
	if err != nil || v.run.dump == "" {
		return files, err
	}
	dump, err := writeDump(v.run.dump, o.firmware.Result.Memory, o.machine.Elements())
	if err == nil {
		files = append(files, dump)
	}
	return files, err
}
