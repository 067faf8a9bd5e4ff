// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
)

func newPlan() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Compare and choose before a run: packets, orders, spanning trees, sets of trees, all-gathers, timetables, star graphs, copies against faults, all algorithms of a collective",
		Example: `  meshwright plan packets --flits 1000 --distance 10 --setup 1.5
  meshwright plan trees --topology mesh:8x8 --json`,
		Args: topic,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPlanPackets(), newPlanTrees(), newPlanOrder(), newPlanDistance(), newPlanCovers(), newPlanCertification(), newPlanExchange(), newPlanGossip(), newPlanStar(), newPlanTolerance(), newPlanAlgorithms())
	return cmd
}

// topic demands the name of one of a verb's topics; without one, help is printed.
func topic(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names, aliases []string
	for _, c := range cmd.Commands() {
		names, aliases = append(names, c.Name()), append(aliases, c.Aliases...)
	}
	return oneOf(0, "topic", names, aliases...)(cmd, args)
}
