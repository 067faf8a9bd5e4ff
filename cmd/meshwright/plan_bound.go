// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/schedule/bound"
)

// boundFlags ask for the lower bound of a collective.
type boundFlags struct {
	jobFlags
	json bool
}

// boundReport is the JSON of a lower bound; its names are a contract.
type boundReport struct {
	Collective string            `json:"collective"`
	Topology   string            `json:"topology"`
	Machine    map[string]string `json:"machine"`
	jobRecord
	Bound     duration        `json:"lower_bound"`
	BoundBy   bound.Proof     `json:"lower_bound_by,omitempty"`
	Arguments []boundArgument `json:"arguments,omitempty"`
	Version   string          `json:"version"`
}

// boundArgument is what one argument shows by itself.
type boundArgument struct {
	Argument bound.Proof `json:"argument"`
	Cycles   duration    `json:"cycles"`
}

func newPlanBound() *cobra.Command {
	var f boundFlags
	cmd := &cobra.Command{
		Use:   "bound COLLECTIVE --topology T",
		Short: "Compute the lower bound of a collective, without planning or running anything",
		Long: `Computes a time that no schedule of a COLLECTIVE beats on a machine, and names the argument.
It is the lower bound that run and plan print. All-gathers, all-to-alls, scatters and gathers that are too
large for a run are refused.

The first row is the bound. The others are times that other arguments show by themselves, the largest
first: what limits the machine next. Some arguments only look for more than the largest time so far; where
they find nothing, they have no row, or one with less than they could show.`,
		Example: `  meshwright plan bound gossip --topology torus:4x4 --length 16 --startup 40
  meshwright plan bound exchange --topology torus:8x8 --length 1 --json`,
		Args: collectiveName,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, ownName(args[0])) },
	}
	f.addBlocks(cmd)
	addJSON(cmd, &f.json)
	return cmd
}

// collectiveName demands a collective.
func collectiveName(cmd *cobra.Command, args []string) error {
	if err := cmp.Or(noTopology(cmd, args, 0), arguments(1)(cmd, args)); err != nil {
		return err
	}
	names, aliases := collectives()
	return oneOf(0, "collective", names, aliases...)(cmd, args)
}

func (f *boundFlags) run(cmd *cobra.Command, name string) error {
	j, _, err := f.load(cmd, name)
	if err != nil {
		return err
	}
	if kind, err := plan.KindOf(name); err == nil {
		j.TimeOnly = kind.HasTimes() && j.Machine.Faults == nil // needs no words
	}
	least, err := collective.Bound(cmd.Context(), name, j)
	if err != nil {
		return err
	}
	job := recordOf(name, &j)
	job.Seed = nil // no bound depends on the words
	r := boundReport{
		Collective: name, Topology: j.Topology.String(), Machine: machineSettings(j.Machine), jobRecord: job,
		Bound: duration{least.Cycles, j.Machine.Ticks()}, BoundBy: least.Proof, Version: version(),
	}
	for _, a := range least.Arguments() {
		r.Arguments = append(r.Arguments, boundArgument{a.Proof, duration{a.Cycles, j.Machine.Ticks()}})
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), r)
	}
	title := fmt.Sprintf("%s on %s, machine %s", r.Collective, r.on(r.Topology), withFaults(f.named, &j.Machine))
	rows := [][]string{{r.Bound.String(), string(r.BoundBy)}}
	for _, a := range r.Arguments[min(1, len(r.Arguments)):] {
		rows = append(rows, []string{a.Cycles.String(), string(a.Argument)})
	}
	return printRows(cmd.OutOrStdout(), title, []string{"lower bound", "argument"}, rows)
}
