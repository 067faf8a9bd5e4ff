// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/firmware/collective"
	"meshwright/rtl"
)

func newExport() *cobra.Command {
	var f jobFlags
	cmd := &cobra.Command{
		Use:   "export DIR scatter|gather|gossip",
		Short: "Write the network as Verilog with the vectors of a run; the folder stands alone",
		Long: `Runs the collective on the cycle model and writes DIR: the Verilog library, the
network's top level, a bench, the run's vectors and a Makefile. In DIR, make
runs the bench in whichever of Icarus Verilog and Verilator is installed.`,
		Example: "  meshwright export build/chip scatter --topology mesh:4x4 --length 8 && make -C build/chip",
		Args:    cobra.MatchAll(cobra.ExactArgs(2), collectiveAt(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, result, recorder, err := recorded(cmd, &f, args[1])
			if err != nil {
				return err
			}
			d, err := recorder.Export(args[0])
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if _, err := fmt.Fprintf(w, "%s: %d chips, %d links, flits of %d bits, %d cycles\n", args[0], d.Chips, len(d.Links), d.FlitWidth, result.Cycles); err != nil {
				return err
			}
			if !result.Delivered {
				fmt.Fprintln(w, "FAIL "+result.Failure.Error())
				return errFailed
			}
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

// collectiveAt demands the name of a collective as argument i.
func collectiveAt(i int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return cobra.OnlyValidArgs(&cobra.Command{ValidArgs: collectives}, args[i:i+1])
	}
}

// recorded runs a collective with a recorder attached.
func recorded(cmd *cobra.Command, f *jobFlags, name string, attach ...func(*fabric.Network) error) (*collective.Plan, *collective.Result, *rtl.Recorder, error) {
	job, _, err := f.load(cmd, name)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := collective.Generate(name, f.algorithm, job)
	if err != nil {
		return nil, nil, nil, err
	}
	var recorder *rtl.Recorder
	attach = append(attach, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	result, err := collective.Execute(cmd.Context(), plan, attach...)
	return plan, result, recorder, err
}
