// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/formats/teccl"
	"meshwright/internal/escape"
	"meshwright/internal/input"
)

// executeFlows runs a schedule of TE-CCL. One that cannot be carried out is not run.
func (f *jobFlags) executeFlows(cmd *cobra.Command, file string, text []byte, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the file says everything else", "given with a schedule", slices.Concat(ofCollectives(), ofImported, []string{"root", "seed"})); err != nil {
		return nil, err
	}
	if err := exclusive(cmd, "length", "bytes"); err != nil {
		return nil, err
	}
	s, err := teccl.Parse(file, text)
	if err != nil {
		return nil, err
	}
	t, m, err := f.loadForChunks(cmd)
	if err != nil {
		return nil, err
	}
	findings, err := s.Check(t)
	if err != nil {
		return nil, err
	}
	facts := flowFacts(s)
	if len(findings) > 0 {
		return nil, printFindings(cmd, s, t, facts, findings)
	}
	model := timing.Of(&m)
	messages, err := s.Messages(f.length, model.Startup, max(model.UntilWhole(1, f.length)-model.Startup, 1))
	if err != nil {
		return nil, err
	}
	o, err := play(cmd, "flows", messages, t, m, attach...)
	if err != nil {
		return nil, err
	}
	o.imported = facts
	return o, o.checkStatic(cmd.Context(), messages)
}

// flowFacts are what is known of a schedule before it runs.
func flowFacts(s *teccl.Schedule) []fact {
	return []fact{fact{"epochs", "epochs", itoa(s.Epochs), itoa(s.Epochs)}, fact{"flows", "flows", itoa(len(s.Flows)), itoa(len(s.Flows))}, fact{"demands", "demands", itoa(len(s.Demands)), itoa(len(s.Demands))}}
}

// flowAnswer is the JSON of a schedule that is not run, since it cannot be carried out; its names are a
// contract.
type flowAnswer struct {
	Collective string   `json:"collective"`
	Algorithm  string   `json:"algorithm"`
	Topology   string   `json:"topology"`
	Epochs     int      `json:"epochs"`
	Flows      int      `json:"flows"`
	Demands    int      `json:"demands"`
	Delivered  bool     `json:"delivered"`
	Failures   []string `json:"failures"`
	Failure    string   `json:"failure"`
	Version    string   `json:"version"`
}

// printFindings prints what is wrong with a schedule.
func printFindings(cmd *cobra.Command, s *teccl.Schedule, t *topology.Topology, facts []fact, findings []teccl.Finding) error {
	w := cmd.OutOrStdout()
	var all []string
	for _, finding := range findings {
		all = append(all, finding.What)
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON {
		answer := flowAnswer{
			Collective: "flows", Algorithm: input.Name(s.File), Topology: t.String(), Epochs: s.Epochs, Flows: len(s.Flows), Demands: len(s.Demands),
			Failures: all, Failure: all[0], Version: version(),
		}
		if err := printJSON(w, answer); err != nil {
			return err
		}
		return errFailed
	}
	var rows [][]string
	for _, f := range facts {
		rows = append(rows, []string{f.name, f.text})
	}
	if err := printRows(w, fmt.Sprintf("flows %s on %s, not run", input.Name(s.File), t), nil, rows); err != nil {
		return err
	}
	for _, what := range all {
		if _, err := fmt.Fprintln(w, "FAIL "+escape.Line(what)); err != nil {
			return err
		}
	}
	return errFailed
}
