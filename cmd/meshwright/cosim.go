// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"meshwright/capture"
	"meshwright/fabric/machine"
	"meshwright/firmware/check"
	"meshwright/firmware/schedule"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// cosimFlags say which simulators repeat a run.
type cosimFlags struct {
	jobFlags
	simulator, keep, table string
	json                   bool
}

// witness is one party's account of a run; its JSON names are a contract.
type witness struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Cycles duration `json:"cycles"`
	Flits  int64    `json:"flits"`
	Says   string   `json:"says"`
}

func newCosim() *cobra.Command {
	var f cosimFlags
	cmd := &cobra.Command{
		Use:   "cosim " + whatToRun,
		Short: "Run a collective or schedule in the model, and the same chips as Verilog in open simulators",
		Long: `Runs a collective or a schedule on the cycle model, exports the network as Verilog, and lets
the simulators compare every link (valid, flit) and every buffer's occupancy in
every cycle. The checker, which simulates nothing, accounts for the messages as
well, except on wormhole machines.

` + whatRuns(),
		Example: "  meshwright cosim gossip --topology torus:3x3 --length 4 --simulator both",
		Args:    cobra.MatchAll(arguments(1), runnableAt(0)),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.jobFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.simulator, "simulator", "both", "icarus, verilator or both")
	flags.StringVar(&f.keep, "keep", "", "keep the exported folder here")
	flags.StringVar(&f.table, "table", "", "write which flit was at which node, as the simulators tell it: FILE.csv")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

func (f *cosimFlags) run(cmd *cobra.Command, name string) error {
	simulators, err := chosen(f.simulator)
	if err != nil {
		return err
	}
	for _, s := range simulators {
		if err := sim.Find(s); err != nil {
			return err
		}
	}
	if err := f.outputs(name); err != nil {
		return err
	}
	o, recorder, err := recorded(cmd, &f.jobFlags, name)
	if err != nil {
		return err
	}
	witnesses, err := modelWitnesses(o)
	if err != nil {
		return err
	}
	dir, cleanup, err := f.folder()
	if err != nil {
		return err
	}
	defer cleanup()
	design, err := recorder.Export(dir)
	if err != nil {
		return err
	}
	var logs []string
	for _, s := range simulators {
		r, err := sim.Run(cmd.Context(), s, dir, sim.Options{Log: f.table != "", Progress: stages(cmd.ErrOrStderr())})
		if err != nil {
			return err
		}
		witnesses = append(witnesses, witness{string(s), r.Pass, o.time(router.Cycle(r.Cycles)), int64(r.Flits), saying(r.Line, o.machine.Ticks())})
		logs = append(logs, r.Log)
	}
	return f.finish(cmd.OutOrStdout(), o, witnesses, design, logs)
}

// saying is a simulator's line; it counts ticks.
func saying(line string, ticks int) string {
	if ticks == 1 {
		return line
	}
	return fmt.Sprintf("%s (in ticks, %d a cycle)", line, ticks)
}

// outputs judges the files to write before any work is done.
func (f *cosimFlags) outputs(what string) error {
	if f.keep != "" {
		if err := input.WriteFolder(f.keep); err != nil {
			return err
		}
	}
	if f.table == "" {
		return nil
	}
	return f.inputs(what).Write("--table", f.table)
}

// chosen turns --simulator into a list.
func chosen(name string) ([]sim.Simulator, error) {
	switch name {
	case "both":
		return []sim.Simulator{sim.Icarus, sim.Verilator}, nil
	case string(sim.Icarus), string(sim.Verilator):
		return []sim.Simulator{sim.Simulator(name)}, nil
	}
	return nil, input.At("--simulator", 0, "expected icarus, verilator or both", "unknown simulator %q", name)
}

// modelWitnesses are the cycle model and, except for worms that wait, the static checker.
func modelWitnesses(o *outcome) ([]witness, error) {
	model := witness{Name: "model", OK: o.delivered, Cycles: o.time(o.cycles), Says: "every word compared"}
	if !o.delivered {
		model.Says = o.failure.Error()
	}
	for _, m := range o.network.Log() {
		model.Flits += int64(m.Length)
	}
	if o.machine.Switching == machine.Wormhole {
		return []witness{model}, nil
	}
	s := schedule.FromLog(o.network, o.alongTree || o.machine.Routing == machine.Source)
	if o.machine.PacketSwitched() {
		static, err := packetWitness(o, s)
		return []witness{static, model}, err
	}
	report, err := check.Check(s, o.topology, o.machine)
	if err != nil {
		return nil, err
	}
	static := witness{Name: "checker", OK: report.OK, Cycles: o.time(report.Cycles), Flits: model.Flits, Says: "no collisions"}
	if !report.OK {
		static.Says = fmt.Sprintf("%s, the first in cycle %d", input.Count(report.Collisions, "collision"), report.First[0].Cycle)
	}
	return []witness{static, model}, nil
}

// folder returns where to export: the one to keep, or a temporary one.
func (f *cosimFlags) folder() (string, func(), error) {
	if f.keep != "" {
		return f.keep, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "meshwright-*")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir, "export"), func() { os.RemoveAll(dir) }, nil
}

// finish prints the witnesses and writes the table on which they must agree.
func (f *cosimFlags) finish(w io.Writer, o *outcome, witnesses []witness, d *rtl.Design, logs []string) error {
	ok := true
	for _, x := range witnesses {
		ok = ok && x.OK && x.Cycles == witnesses[0].Cycles && x.Flits == witnesses[0].Flits
	}
	if f.table != "" && ok {
		if err := writeAgreedTable(f.table, d, logs); err != nil {
			return err
		}
	}
	if err := f.print(w, o, witnesses, ok); err != nil {
		return err
	}
	if !ok {
		return errFailed
	}
	return nil
}

func (f *cosimFlags) print(w io.Writer, o *outcome, witnesses []witness, ok bool) error {
	if f.json {
		return printJSON(w, struct {
			Collective string    `json:"collective"`
			Algorithm  string    `json:"algorithm"`
			Topology   string    `json:"topology"`
			OK         bool      `json:"ok"`
			Witnesses  []witness `json:"witnesses"`
			Version    string    `json:"version"`
		}{o.collective, o.algorithm, o.topology.String(), ok, witnesses, version()})
	}
	var rows [][]string
	for _, x := range witnesses {
		rows = append(rows, []string{x.Name, x.Cycles.String(), fmt.Sprint(x.Flits), x.Says})
	}
	return printRows(w, o.title(), []string{"witness", "cycles", "flits", "says"}, rows)
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
