// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/isa"
	"meshwright/firmware/schedule"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

func itoa(n int) string { return strconv.Itoa(n) }

// collectives are the names of all of them.
func collectives() []string {
	var names []string
	for _, k := range collective.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// runFlags are the views of a run.
type runFlags struct {
	jobFlags
	json     bool
	traces   []string
	table    string
	schedule string
	listing  string
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run " + whatToRun,
		Short: "Run a collective as firmware, or a file, on the cycle model and compare every word",
		Long: `Runs a collective as firmware, or a file, on the cycle model, and compares every word of
every memory with what must be there in the end.

` + whatRuns(),
		Example: `  meshwright run scatter --topology mesh:8x8 --length 16
  meshwright run gather --topology path:6 --machine bufferless --lengths 2,3,0,2,1 --table fig2.csv
  meshwright run gossip --topology torus:4x4 --algorithm auto --startup 40 --trace run.pcapng --trace load.svg
  meshwright run exchange --topology torus:4x4 --machine bufferless --ports all --length 1
  meshwright run gather --topology random-tree:100 --machine bufferless --algorithm certification-tight
  meshwright run scatter --topology binary:4 --machine store-forward --setup 3/2 --algorithm search
  meshwright run exchange.csv --topology torus:3x3 --machine bufferless --ports all`,
		Args: cobra.MatchAll(arguments(1), runnableAt(0)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.jobFlags.add(cmd)
	f.addViews(cmd)
	return cmd
}

// addViews adds the flags of what a run writes.
func (f *runFlags) addViews(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.StringArrayVar(&f.traces, "trace", nil, "write what crossed the links: FILE.csv, .pcapng or .svg (may be repeated)")
	flags.StringVar(&f.table, "table", "", "write which flit was at which node in which cycle: FILE.csv")
	flags.StringVar(&f.schedule, "schedule", "", "write the messages with their dispatch cycles: FILE.csv")
	flags.StringVar(&f.listing, "listing", "", "write the firmware's listing: FILE")
}

func (f *runFlags) run(cmd *cobra.Command, what string) error {
	format := f.formatOf(what)
	if f.algorithm == "list" && format == noFormat {
		if f.json {
			return printJSON(cmd.OutOrStdout(), listed(what))
		}
		return listAlgorithms(cmd.OutOrStdout(), what)
	}
	if f.listing != "" && (format == scheduleFormat || format == tableFormat) {
		return input.At("--listing", 0, "expected a collective", "a schedule has no firmware")
	}
	if err := f.outputs(f.inputs(what)); err != nil {
		return err
	}
	v := &views{run: f, title: strings.TrimSpace(what + " " + f.algorithm)}
	defer v.abort()
	o, err := f.execute(cmd, what, v.open)
	if err != nil {
		return err
	}
	if err := v.close(o); err != nil {
		return err
	}
	return report(cmd.OutOrStdout(), f.json, newSummary(o))
}

// outputs judges the files to write before any work is done.
func (f *runFlags) outputs(paths *input.Paths) error {
	for _, path := range f.traces {
		if err := paths.Write("--trace", path); err != nil {
			return err
		}
	}
	for _, file := range []struct{ flag, path string }{{"--table", f.table}, {"--schedule", f.schedule}, {"--listing", f.listing}} {
		if file.path != "" {
			if err := paths.Write(file.flag, file.path); err != nil {
				return err
			}
		}
	}
	return nil
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
	if !s.Delivered || s.Collisions > 0 {
		return errFailed
	}
	return nil
}

// views are the files that a run writes.
type views struct {
	run    *runFlags
	title  string
	opened []capture.Capture
}

// open attaches the captures that the flags ask for.
func (v *views) open(n *fabric.Network) error {
	for _, path := range v.run.traces {
		c, err := capture.Open(path, n, capture.Options{Title: v.title})
		if err != nil {
			return err
		}
		v.opened = append(v.opened, c)
		n.Attach(c)
	}
	if v.run.table != "" {
		c, err := capture.OpenTable(v.run.table, n, capture.Options{})
		if err != nil {
			return err
		}
		v.opened = append(v.opened, c)
		n.Attach(c)
	}
	return nil
}

func (v *views) abort() {
	for _, c := range v.opened {
		c.Abort()
	}
}

// close completes all files, and only then puts them at their paths.
func (v *views) close(o *outcome) error {
	late, err := v.writeLate(o)
	for _, f := range late {
		defer f.Abort()
	}
	if err != nil {
		return err
	}
	for _, c := range v.opened {
		if err := c.Finish(); err != nil {
			return err
		}
	}
	for _, f := range late {
		if err := f.Finish(); err != nil {
			return err
		}
	}
	for _, c := range v.opened {
		if err := c.Commit(); err != nil {
			return err
		}
	}
	for _, f := range late {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// writeLate writes what is known only after the run.
func (v *views) writeLate(o *outcome) (files []*atomicfile.File, err error) {
	s := schedule.FromLog(o.network, o.alongTree || o.machine.Routing == machine.Source)
	for _, view := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{v.run.schedule, s.Write},
		{v.run.listing, func(w io.Writer) error { return writeListings(w, o.plan) }},
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
	return files, nil
}

// writeListings writes each program with the number of PEs that run it.
func writeListings(w io.Writer, plan *collective.Plan) error {
	for role, program := range plan.Programs {
		runs := 0
		for _, pe := range plan.PEs {
			if int(pe.Role) == role {
				runs++
			}
		}
		if _, err := fmt.Fprintf(w, "; %s: run by %s\n", program.Name, input.Count(runs, "PE")); err != nil {
			return err
		}
		if err := isa.Listing(w, program); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
