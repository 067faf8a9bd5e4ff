// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/rtl"
)

// trimFlag leaves turns that no message of the run takes out of chips.
type trimFlag bool

func (f *trimFlag) declare(flags *pflag.FlagSet) {
	flags.BoolVar((*bool)(f), "trim", false, "leave out turns of chips that no message of the run takes; without a stress phase, which goes everywhere")
}

// calm judges the flag before any work is done, and takes the stress phase away.
func (f trimFlag) calm(cmd *cobra.Command, stress *stressFlag) error {
	switch {
	case !bool(f):
		return nil
	case cmd.Flags().Changed("stress") && *stress != 0:
		return input.At("--stress", 0, "expected 0: chips have only the turns of the run", "given with --trim")
	case cmd.Flags().Changed("interface"):
		return input.At("--interface", 0, "expected none: streams go everywhere", "given with --trim")
	}
	*stress = 0
	return nil
}

// checkNetwork refuses networks whose chips cannot be trimmed, before the run.
func (f trimFlag) checkNetwork(n *fabric.Network) error {
	if !bool(f) {
		return nil
	}
	return rtl.MayTrim(&n.Machine)
}

func (f trimFlag) add(r *rtl.Recorder) {
	if bool(f) {
		r.Trim()
	}
}
