// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/cobra"

	"meshwright/firmware/collective"
)

// completeSubject completes argument i of a verb that runs a collective or a
// file, and the algorithm by the collective.
func completeSubject(cmd *cobra.Command, i int) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != i {
			return nil, cobra.ShellCompDirectiveDefault
		}
		names, aliases := collectives()
		return slices.Concat(names, aliases), cobra.ShellCompDirectiveDefault // or a file
	}
	complete := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return collective.Algorithms(argument(args, i)), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc("algorithm", complete); err != nil {
		panic("meshwright: " + err.Error()) // declared just before
	}
}
