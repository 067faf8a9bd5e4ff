// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
)

// runFormats are the formats of files that run.
func runFormats() []string {
	return []string{scheduleFormat, tableFormat, algorithmFormat, captureFormat, firmwareFormat}
}

// addFormat adds --format with the formats that a verb knows.
func (f *machineFlags) addFormat(cmd *cobra.Command, formats ...string) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.format, "format", "", "format of FILE, if its extension does not tell: "+strings.Join(formats, ", "))
	})
}

// checkFormat judges --format, and demands it for standard input unless the
// first format is taken without a word.
func (f *machineFlags) checkFormat(file string, assumed bool, formats ...string) error {
	want := "expected " + strings.Join(formats[:len(formats)-1], ", ") + " or " + formats[len(formats)-1]
	switch {
	case f.format != "" && !slices.Contains(formats, f.format):
		return input.At("--format", 0, want, "unknown format %q", f.format)
	case f.format == "" && file == input.Stdin && !assumed:
		return input.At("--format", 0, want, "missing for standard input")
	}
	return nil
}
