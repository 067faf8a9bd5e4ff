// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/internal/input"
)

func newPlan() *cobra.Command {
	var f collectivePlanFlags
	cmd := &cobra.Command{
		Use:        "plan COLLECTIVE --topology T",
		SuggestFor: []string{"optimize", "optimise", "choose", "best"},
		Short:      "Compare all algorithms of a collective, and machines that differ in one key; or plan packets, orders, trees, timetables",
		Long: `Plans a COLLECTIVE by each of its algorithms, with the defaults of each algorithm's options, on any
machine. The column "predicted" has the time that the plan knows, exactly or "at least"; "measured"
has the time of a run in the cycle model that compares every word. The best algorithm is run, and
each algorithm whose prediction is not exact; with faults all are. The ratio is the time divided by
the lower bound. Vectors that are too long for a run, 2^28 words in all PEs together, are planned
without words, and nothing is run. Algorithms that do not take the job say why. An option of algorithms, such as
--trees 2, excludes the algorithms that do not have it. --sizes compares messages of several lengths in one table.

The second table shows what to change in the machine: every key with another value, each
choice or half and twice a number, and the time that the fastest algorithm then takes.
"faster" is the time now divided by the time with the best value. The elasticity of a number is
the slope between its values: 1 when the time doubles with the number, 0 when it does not depend
on it. Flits of another width carry the same bits. The default of run, auto, gives the times, with an
eighth of the --effort unless it is a scatter or a gather; with --algorithm only this algorithm is
planned, or, as in greedy,rounds, the algorithms of a list.

The commands below answer other questions before a run.`,
		Example: `  meshwright plan scatter --topology mesh:5x5 --startup 20
  meshwright plan gossip --topology torus:2x4 --length 16 --startup 40 --keys none
  meshwright plan gossip --topology torus:2x4 --startup 40 --sizes 1,16,1KiB --algorithm ring,swing,strides
  meshwright plan scatter --topology mesh:5x5 --ports single --nic.channels 1 --keys ports,nic.channels
  meshwright plan broadcast --topology torus:4x4 --ports all --nic.channels links --faults random:1 --faults known --keys none
  meshwright plan packets --flits 1000 --distance 10 --setup 1.5
  meshwright plan trees --topology mesh:8x8 --json`,
		Args: plannable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().NFlag() == 0 {
				return cmd.Help()
			}
			return f.run(cmd, ownName(args[0]))
		},
	}
	f.add(cmd)
	cmd.AddCommand(newPlanBound(), newPlanPackets(), newPlanTrees(), newPlanOrder(), newPlanDistance(), newPlanRoutes(), newPlanCovers(), newPlanCertification(), newPlanTimetables(), newPlanFormulas(), newPlanStar(), newPlanTolerance())
	return cmd
}

// plannable demands a collective; without any argument, help is printed.
func plannable(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().NFlag() == 0 {
		return nil
	}
	if len(args) > 0 && args[0] == "algorithms" { // its name before collectives stood here
		return input.Errorf("expected meshwright plan COLLECTIVE", "plan algorithms")
	}
	if err := cmp.Or(noTopology(cmd, args, 0), arguments(1)(cmd, args)); err != nil {
		return err
	}
	names, aliases := collectives()
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return oneOf(0, "collective or topic", names, aliases...)(cmd, args)
}
