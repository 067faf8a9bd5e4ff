// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/rtl"
	"meshwright/rtl/emulator"
)

// emulatorFlags say whether an export has PEs, too.
type emulatorFlags struct {
	emulator bool
	word     int
}

func (f *emulatorFlags) add(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.emulator, "emulator", false, "the Verilog has the PEs and their programs, too")
		flags.IntVar(&f.word, "word", 0, "with --emulator: bits of registers and memory words of the PEs, 8, 16, 24 or 32; 0: 32, or the width of wider flits")
	})
}

// calm judges the flags before any work is done, and takes the stress phase away from an emulator.
func (f *emulatorFlags) calm(cmd *cobra.Command, stress *stressFlag) error {
	switch {
	case !f.emulator && cmd.Flags().Changed("word"):
		return input.At("--word", 0, "expected --emulator, too", "given without --emulator")
	case f.emulator && cmd.Flags().Changed("stress") && *stress != 0:
		return input.At("--stress", 0, "expected 0: PEs send what their programs send", "given with --emulator")
	case f.emulator && cmd.Flags().Changed("interface"):
		return input.At("--interface", 0, "expected none: the PEs are in the network", "given with --emulator")
	case f.emulator:
		*stress = 0
	}
	return stress.check()
}

// attach has the recorder of a network export an emulator, if one is wanted.
func (f *emulatorFlags) attach(n *fabric.Network, r *rtl.Recorder) error {
	if !f.emulator {
		return nil
	}
	_, err := emulator.Attach(n, r, emulator.Options{Word: f.word})
	return err
}
