// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/rtl"
)

func newExport() *cobra.Command {
	var f jobFlags
	cmd := &cobra.Command{
		Use:   "export DIR " + whatToRun,
		Short: "Write the network as Verilog with the vectors of a run; the folder stands alone",
		Long: `Runs a collective or a schedule on the cycle model and writes DIR: the Verilog library, the
network's top level, a bench, the run's vectors and a Makefile. In DIR, make
runs the bench in whichever of Icarus Verilog and Verilator is installed.

` + whatRuns(),
		Example: "  meshwright export build/chip scatter --topology mesh:4x4 --length 8 && make -C build/chip",
		Args:    cobra.MatchAll(arguments(2), runnableAt(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := input.WriteFolder(args[0]); err != nil {
				return err
			}
			o, recorder, err := recorded(cmd, &f, args[1])
			if err != nil {
				return err
			}
			d, err := recorder.Export(args[0])
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(w, "%s: %d chips, %d links, flits of %d bits, %s cycles\n", args[0], d.Chips, len(d.Links), d.FlitWidth, o.time(o.cycles)); err != nil {
				return err
			}
			if !o.delivered {
				_, err := fmt.Fprintln(w, "FAIL "+o.failure.Error())
				return cmp.Or(err, errFailed)
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// recorded runs a collective or schedule with a recorder attached.
func recorded(cmd *cobra.Command, f *jobFlags, what string) (*outcome, *rtl.Recorder, error) {
	var recorder *rtl.Recorder
	o, err := f.execute(cmd, what, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	return o, recorder, err
}
