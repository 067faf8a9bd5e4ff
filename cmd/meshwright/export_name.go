// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/rtl"
)

// nameFlag is the name of an export's top module; "" is the usual one.
type nameFlag string

func (f *nameFlag) declare(flags *pflag.FlagSet) {
	flags.StringVar((*string)(f), "name", "", "the `module` of the network, instead of top or fabric; library modules have it in front, so that several exports fit into one design")
}

// check judges the flag before any work is done.
func (f nameFlag) check(cmd *cobra.Command, emulator bool) error {
	switch {
	case !cmd.Flags().Changed("name"):
		return nil
	case emulator:
		return input.At("--name", 0, "expected none: an emulator is no part of a design", "given with --emulator")
	}
	return rtl.CheckName(string(f))
}

func (f nameFlag) add(r *rtl.Recorder) {
	if f != "" {
		r.Name(string(f))
	}
}
