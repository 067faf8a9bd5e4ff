// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/rtl"
)

func newExport() *cobra.Command {
	var f jobFlags
	var hardware emulatorFlags
	var force bool
	var trim trimFlag
	var stress stressFlag
	var ports interfaceFlag
	var name nameFlag
	cmd := &cobra.Command{
		Use:        "export DIR " + whatToRun,
		SuggestFor: []string{"verilog", "rtl", "hdl", "generate", "emit", "vectors", "testbench"},
		Short:      "Write the network as Verilog, with a bench and the vectors of a run",
		Long: `Runs a collective or a schedule in the cycle model and writes the folder DIR: the Verilog
library, the network's top level, a bench, the run's vectors and a Makefile. In DIR, make
runs the bench in each of Icarus Verilog and Verilator that is installed. Behind the run
the vectors go on with random contention (--stress), which good schedules avoid; its cycles
are reported apart. With --emulator the Verilog has the PEs with their programs and memories,
too: a run that needs no bench, and fits an FPGA. With --trim chips have only the turns that
messages of the run take. With --collective a schedule has to be that collective, or nothing
is written. With --name the modules have names of their own, so that several networks fit into
one design.

` + whatRuns(),
		Example: `  meshwright export build/chip scatter --topology mesh:2x2 --length 8 && make -C build/chip
  meshwright export --force build/chip scatter --topology mesh:3x3 --length 16
  meshwright export build/fpga gossip --emulator --topology mesh:2x2 --width 16 --word 16`,
		Args: runnable(&f, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write := (*rtl.Recorder).Export
			if force {
				write = (*rtl.Recorder).Replace
			}
			if err := cmp.Or(hardware.calm(cmd, &stress), trim.calm(cmd, &stress), ports.check(), name.check(cmd, hardware.emulator), mayExport(args[0], force)); err != nil {
				return err
			}
			o, recorder, err := recorded(cmd, &f, &hardware, f.subject(args, 1), func(n *fabric.Network) error {
				return cmp.Or(trim.checkNetwork(n), ports.checkNetwork(cmd.Context(), n))
			})
			if err != nil {
				return err
			}
			if o.flow.failed() {
				return failMeant(cmd.OutOrStdout(), o)
			}
			stressed, err := stress.stress(cmd, recorder, f.seed)
			if err != nil {
				return err
			}
			ports.add(recorder)
			trim.add(recorder)
			name.add(recorder)
			writing := progress.Begin(cmd.Context(), "write "+args[0], 0)
			d, err := write(recorder, args[0])
			writing.End()
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(w, "%s\n%s: %d chips, %d links, flits of %d bits, %s cycles%s%s\n", escape.Line(o.title()), escape.Line(args[0]), d.Chips, len(d.Links), d.FlitWidth, o.time(o.moved()), stressText(o.time(stressed)), o.ending()); err != nil {
				return err
			}
			if !o.delivered {
				_, err := fmt.Fprintln(w, "FAIL "+escape.Line(o.failure.Error()))
				return cmp.Or(err, errFailed)
			}
			if o.flow != nil {
				_, err = fmt.Fprintf(w, "%s: %s\n", o.flow.name, o.flow.done)
			}
			return err
		},
	}
	f.add(cmd, 1)
	f.addMeant(cmd)
	stress.add(cmd)
	f.addFormat(cmd, runFormats()...)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		ports.declare(flags)
		name.declare(flags)
		trim.declare(flags)
		flags.BoolVar(&force, "force", false, "replace DIR when it is an earlier export and nothing else")
	})
	hardware.add(cmd)
	return cmd
}

// failMeant says that a schedule is not the collective that it is meant to be, so that nothing is written.
func failMeant(w io.Writer, o *outcome) error {
	if _, err := fmt.Fprintf(w, "%s\nFAIL %s; nothing is written\n", escape.Line(o.title()), o.flow.violated()); err != nil {
		return err
	}
	return cmp.Or(o.flow.print(w), errFailed)
}

// mayExport judges the folder to write before any work is done.
func mayExport(dir string, force bool) error {
	entries, err := os.ReadDir(dir)
	taken := err == nil && len(entries) > 0
	if taken && force {
		return rtl.CheckExport(dir)
	}
	err = input.WriteFolder(dir)
	if fault := (*input.Error)(nil); taken && errors.As(err, &fault) {
		fault.Want += ", or an earlier export with --force"
	}
	return err
}

// recorded runs a collective or schedule with a recorder attached.
func recorded(cmd *cobra.Command, f *jobFlags, hardware *emulatorFlags, what string, attach ...func(*fabric.Network) error) (*outcome, *rtl.Recorder, error) {
	var recorder *rtl.Recorder
	o, err := f.execute(cmd, what, append(attach, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return hardware.attach(n, recorder)
	})...)
	if err != nil {
		return o, recorder, err
	}
	recorder.Describe(f.aboutRun(cmd, o, what))
	if o.failure != nil {
		recorder.Fail(o.failure.Error() + o.losses())
	}
	if err := sayIdleFaults(cmd.ErrOrStderr(), o, recorder); err != nil {
		return o, recorder, err
	}
	if o.collisionCount == 0 || hardware.emulator {
		return o, recorder, nil
	}
	return o, recorder, cutAtCollision(cmd.ErrOrStderr(), o, recorder)
}

// sayIdleFaults says that random faults have changed nothing, so that the vectors do not show them either.
func sayIdleFaults(stderr io.Writer, o *outcome, recorder *rtl.Recorder) error {
	if !recorder.IdleFaults() {
		return nil
	}
	_, err := fmt.Fprintln(stderr, "meshwright: no fault changed this run, so that the bench shows none: a higher rate, a longer run or another seed:N among the faults may")
	return err
}

// cutAtCollision keeps of a run that collides the cycles in which chips must do what the model does, and says so.
func cutAtCollision(stderr io.Writer, o *outcome, recorder *rtl.Recorder) error {
	first := "the run collides in cycle " + o.time(o.collisions[0].Cycle).String()
	end, cut := recorder.CutAtCollision()
	if !cut {
		_, err := fmt.Fprintf(stderr, "meshwright: %s: the bench compares which chips lose flits\n", first)
		return err
	}
	_, err := fmt.Fprintf(stderr, "meshwright: %s: the bench compares the cycles before cycle %s; from then on chips may lose other flits than the model\n", first, o.time(end))
	return err
}

// stressText says how long a stress phase takes; "" of none.
func stressText(cycles duration) string {
	if cycles.ticks == 0 {
		return ""
	}
	return ", and " + cycles.String() + " of stress"
}
