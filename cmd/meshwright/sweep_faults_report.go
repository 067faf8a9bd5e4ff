// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/study"
)

// campaignReport is the JSON of a campaign; its names are a contract.
type campaignReport struct {
	Collective     string            `json:"collective"`
	Algorithm      string            `json:"algorithm"`
	Topology       string            `json:"topology"`
	Machine        map[string]string `json:"machine"`
	Copies         int               `json:"copies"`
	FaultsOf       string            `json:"faults_of"`
	Count          int               `json:"faults_per_set"`
	Withstands     *int              `json:"withstands"` // null: any number
	Sets           int               `json:"sets"`
	All            bool              `json:"all_sets"`
	Tried          int               `json:"tried"`
	Survived       int               `json:"survived"`
	Failed         int               `json:"failed"`
	Apart          int               `json:"failed_cut_apart"`
	Model          int               `json:"run_in_model"`
	OK             bool              `json:"ok"`
	Interrupted    bool              `json:"interrupted,omitempty"`
	Counterexample *counterexample   `json:"counterexample,omitempty"`
	Version        string            `json:"version"`

	title string
}

// counterexample is a set of faults that is not survived.
type counterexample struct {
	Set        int       `json:"set"`
	Faults     []string  `json:"faults"`
	Needed     []string  `json:"needed"`
	CutOff     []int     `json:"cut_off"`
	Live       int       `json:"live_pes"`
	Incomplete []lacking `json:"incomplete"`
	Command    string    `json:"command"`

	rows    []string // of the list
	written bool     // to a file
	apart   []router.NodeID

	topology *topology.Topology
}

// lacking is a live PE without a message of a live node.
type lacking struct {
	Node    int `json:"node"`
	Missing int `json:"messages_missing"`
}

func (f *campaignFlags) report(cmd *cobra.Command, c *study.Campaign, r *study.CampaignResult) *campaignReport {
	report := &campaignReport{
		Collective: c.Plan.Collective, Algorithm: c.Plan.Algorithm, Topology: c.Plan.Topology.String(), Machine: machineSettings(c.Plan.Machine),
		Copies: r.Copies, FaultsOf: f.among, Count: c.Among.Count, Sets: r.Sets, All: r.All, Tried: r.Tried, Survived: r.Tried - r.Failed,
		Failed: r.Failed, Apart: r.Apart, Model: r.Model, OK: r.Failed == 0 || c.Among.Count >= r.Copies,
		Interrupted: cmd.Context().Err() != nil, Version: version(),
	}
	report.Withstands = numberOrNull(r.Withstands)
	report.title = fmt.Sprintf("faults of %s %s on %s, machine %s", c.Plan.Collective, c.Plan.Algorithm, c.Plan.Topology, f.named)
	if r.First != nil {
		report.Counterexample = newCounterexample(c.Plan.Topology, r.First, f.rerun(cmd, c.Plan.Collective))
		report.Counterexample.written = f.output != ""
	}
	return report
}

func newCounterexample(t *topology.Topology, c *study.Counterexample, command string) *counterexample {
	e := &counterexample{
		Set: c.Set, Faults: faultNames(c.Faults), Needed: faultNames(c.Needed), CutOff: []int{}, Live: c.Account.Live, Incomplete: []lacking{},
		Command: command, apart: c.Apart, topology: t,
	}
	for _, n := range c.Apart {
		e.CutOff = append(e.CutOff, int(n))
	}
	for _, n := range c.Account.Nodes {
		if n.FromLive > 0 {
			e.Incomplete = append(e.Incomplete, lacking{int(n.Node), n.FromLive})
		}
	}
	var list strings.Builder
	if err := fault.Write(&list, c.Needed); err != nil {
		panic("meshwright: " + err.Error()) // nothing that can fail
	}
	e.rows = strings.Split(strings.TrimSpace(list.String()), "\n")
	return e
}

// faultNames are faults such as "node 5" and "link 3-4".
func faultNames(faults []fault.Fault) []string {
	names := []string{}
	for i := range faults {
		names = append(names, study.FaultText(faults[i:i+1]))
	}
	return names
}

// faults names the faults of a set.
func (r *campaignReport) faults() string {
	const bothWays = ", links both ways"
	switch {
	case r.Count == 1 && r.FaultsOf == faultsOfBoth:
		return "1 node or link" + bothWays
	case r.FaultsOf == faultsOfBoth:
		return itoa(r.Count) + " nodes and links" + bothWays
	case r.FaultsOf == faultsOfLinks:
		return input.Count(r.Count, "link") + ", both ways"
	}
	return input.Count(r.Count, "node")
}

func (r *campaignReport) print(w io.Writer) error {
	withstands := "every set"
	if r.Withstands != nil {
		withstands = fmt.Sprintf("every set of up to %d", *r.Withstands)
	}
	sets := input.Count(r.Sets, "random set")
	if r.All {
		sets = "all " + input.Count(r.Sets, "set")
	}
	rows := [][]string{
		{"copies of each message", itoa(r.Copies)},
		{"guaranteed by disjoint routes", withstands},
		{"tried", sets + " of " + r.faults()},
	}
	if r.Interrupted {
		rows = append(rows, []string{"interrupted after", input.Count(r.Tried, "set")})
	}
	rows = append(rows, []string{"survived", itoa(r.Survived)}, []string{"failed", itoa(r.Failed)})
	if r.Failed > 0 {
		rows = append(rows, []string{"sets that disconnect the network", itoa(r.Apart)})
	}
	if !r.Interrupted {
		rows = append(rows, []string{"also run in the model", input.Count(r.Model, "set") + ", with the same result"})
	}
	if err := printRows(w, r.title, nil, rows); err != nil || r.Counterexample == nil {
		return err
	}
	return r.Counterexample.print(w, r)
}

// print prints a counterexample: the list of faults and the command are made to be copied.
func (e *counterexample) print(w io.Writer, r *campaignReport) error {
	text := fmt.Sprintf("set %d is not survived: %d of %s miss messages of live nodes", e.Set, len(e.Incomplete), input.Count(e.Live, "live PE"))
	if len(e.apart) > 0 {
		text += "; the faults cut " + fault.NodesText(e.topology, e.apart) + " off"
	}
	if len(e.Needed) < len(e.Faults) {
		text += fmt.Sprintf("; %d of its %d faults suffice", len(e.Needed), len(e.Faults))
	}
	lines := append([]string{text}, e.rows...)
	if !e.written {
		lines = append(lines, "with these rows in "+unwrittenList+", which --out would write:")
	}
	lines = append(lines, e.Command)
	if !r.OK {
		lines = append(lines, fmt.Sprintf("FAIL %d copies are to survive every set of %s", r.Copies, input.Count(r.Count, "fault")))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, escape.Line(line)); err != nil {
			return err
		}
	}
	return nil
}
