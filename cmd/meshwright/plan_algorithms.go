// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"meshwright/internal/input"
	"meshwright/study"
)

// algorithmsFlags ask for a comparison of the algorithms of a collective.
type algorithmsFlags struct {
	jobFlags
	json bool
}

// algorithmsReport is the JSON of a comparison; its names are a contract.
type algorithmsReport struct {
	Collective string          `json:"collective"`
	Topology   string          `json:"topology"`
	Machine    string          `json:"machine"`
	Bound      *duration       `json:"lower_bound"`
	Algorithms []algorithmTime `json:"algorithms"`
	Version    string          `json:"version"`
}

// algorithmTime is one algorithm of the report.
type algorithmTime struct {
	Algorithm string    `json:"algorithm"`
	Cycles    *duration `json:"cycles"`
	Ratio     *float64  `json:"ratio"`
	How       string    `json:"how"`
	Delivered bool      `json:"delivered"`
	Refusal   string    `json:"refusal,omitempty"`
}

// The values of how.
const (
	howPredicted = "predicted"
	howSimulated = "simulated"
	howRefused   = "refused"
)

func newPlanAlgorithms() *cobra.Command {
	var f algorithmsFlags
	names, aliases := collectives()
	cmd := &cobra.Command{
		Use:   "algorithms COLLECTIVE --topology T",
		Short: "Compare all algorithms of a collective on a machine: their times, and why others do not fit",
		Long: `Plans a collective by each of its algorithms, on any machine, with the defaults of each algorithm's options.
The time comes from the plan where its prediction is exact, and otherwise from a run in the cycle model
that compares every word. On a machine with faults every plan is run. An option of algorithms, such as
--trees 2, excludes the algorithms that do not have it. Searches for timetables and packets take long on
large networks.

The ratio is the time divided by the lower bound of the job. The default of run is the first line, but where
it leaves algorithms out: see docs/algorithms/auto.md.`,
		Example: `  meshwright plan algorithms gossip --topology torus:4x4 --length 16 --startup 40
  meshwright plan algorithms broadcast --topology torus:4x4 --ports all --nic.channels links --faults random:1 --faults known`,
		Args: cobra.MatchAll(arguments(1), oneOf(0, "collective", names, aliases...)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, ownName(args[0])) },
	}
	f.addCollective(cmd)
	addJSON(cmd, &f.json)
	return cmd
}

func (f *algorithmsFlags) run(cmd *cobra.Command, name string) error {
	if f.algorithm != "" {
		return input.At("--algorithm", 0, "expected none: plan algorithms compares all of them", "%s", input.Clip(f.algorithm))
	}
	j, _, err := f.load(cmd, name)
	if err != nil {
		return err
	}
	times, err := study.CompareAlgorithms(cmd.Context(), name, j)
	if err != nil {
		return err
	}
	ticks := j.Machine.Ticks()
	report := algorithmsReport{Collective: name, Topology: j.Topology.String(), Machine: j.Machine.Describe(), Version: version()}
	for _, x := range times {
		row := algorithmTime{Algorithm: x.Algorithm, How: howSimulated, Delivered: x.Delivered}
		switch {
		case x.Refused != nil:
			row.How, row.Refusal = howRefused, x.Refused.Error()
			report.Algorithms = append(report.Algorithms, row)
			continue
		case x.Predicted:
			row.How = howPredicted
		}
		row.Cycles = &duration{x.Cycles, ticks}
		if x.Bound > 0 {
			ratio := float64(x.Cycles) / float64(x.Bound)
			row.Ratio = &ratio
		}
		report.Bound = &duration{x.Bound, ticks}
		report.Algorithms = append(report.Algorithms, row)
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout(), f.machine)
}

func (r *algorithmsReport) print(w io.Writer, machine string) error {
	var rows [][]string
	for _, a := range r.Algorithms {
		says := a.How
		switch {
		case a.Refusal != "":
			says = a.Refusal
		case !a.Delivered:
			says = "not every word arrives"
		}
		cells := []string{a.Algorithm, "", "", says}
		if a.Cycles != nil {
			cells[1] = a.Cycles.String()
		}
		if a.Ratio != nil {
			cells[2] = fmt.Sprintf("%.3f", *a.Ratio)
		}
		rows = append(rows, cells)
	}
	title := fmt.Sprintf("%s on %s, machine %s", r.Collective, r.Topology, machine)
	if r.Bound != nil {
		title += fmt.Sprintf("; lower bound %s", r.Bound)
	}
	return printRows(w, title, []string{"algorithm", "cycles", "ratio", "how"}, rows)
}
