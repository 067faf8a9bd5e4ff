// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
)

// stressFlag is the length of the contention behind a run that becomes vectors.
type stressFlag int

func (f *stressFlag) add(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar((*int)(f), "stress", rtl.DefaultStress, "cycles of random contention behind the run, which the bench compares and reports apart; 0: none")
	})
}

// check judges the flag before any work is done.
func (f stressFlag) check() error {
	if f < 0 || f > rtl.MaxStress {
		return input.At("--stress", 0, "expected 0 to "+itoa(rtl.MaxStress), "%d", int(f))
	}
	return nil
}

// stress adds the contention to what was recorded, and returns its cycles in ticks.
func (f stressFlag) stress(cmd *cobra.Command, r *rtl.Recorder, seed uint64) (router.Cycle, error) {
	return r.Stress(cmd.Context(), int(f), seed)
}
