// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"

	"meshwright/router"
	"meshwright/study"
)

// sweepReport is the JSON of a sweep; its names are a contract.
type sweepReport struct {
	Collective string         `json:"collective"`
	Machine    string         `json:"machine"`
	Sync       bool           `json:"sync"`
	Networks   []sweepNetwork `json:"networks"`
	Version    string         `json:"version"`
}

type sweepNetwork struct {
	Topology   string           `json:"topology"`
	FormulaOff float64          `json:"formula_off"`
	Rows       []sweepRow       `json:"rows"`
	Crossovers []sweepCrossover `json:"crossovers"`
}

type sweepRow struct {
	Bytes     int          `json:"bytes"`
	Flits     int          `json:"flits"`
	Algorithm string       `json:"algorithm"`
	Start     string       `json:"start,omitempty"`
	A         int          `json:"a,omitempty"`
	B         int          `json:"b,omitempty"`
	Cycles    router.Cycle `json:"cycles"`
	Source    study.Source `json:"source"`
	Formula   router.Cycle `json:"formula"`
	Fastest   bool         `json:"fastest"`
}

type sweepCrossover struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Predicted float64      `json:"predicted_bytes"`
	Measured  *float64     `json:"measured_bytes"` // null: nowhere near
	Apart     *float64     `json:"apart"`
	Source    study.Source `json:"source"`
}

func newSweepReport(s *study.Sweep, r *study.Result) sweepReport {
	report := sweepReport{Collective: s.Collective, Machine: s.Machine.Describe(), Sync: s.Sync, Version: version()}
	for i := range r.Networks {
		n := &r.Networks[i]
		one := sweepNetwork{Topology: n.Topology.String(), FormulaOff: n.Farthest(), Crossovers: []sweepCrossover{}}
		for size, rows := range n.Rows {
			for c, row := range rows {
				one.Rows = append(one.Rows, sweepRow{
					Bytes: row.Bytes, Flits: row.Flits, Algorithm: row.Algorithm, Start: row.Start, A: row.A, B: row.B,
					Cycles: row.Cycles, Source: row.Source, Formula: row.Formula, Fastest: c == n.Fastest(size),
				})
			}
		}
		for _, c := range n.Crossovers {
			cross := sweepCrossover{From: c.From.String(), To: c.To.String(), Predicted: c.Predicted, Source: c.Source}
			if !math.IsNaN(c.Measured) {
				measured, apart := c.Measured, c.Apart()
				cross.Measured, cross.Apart = &measured, &apart
			}
			one.Crossovers = append(one.Crossovers, cross)
		}
		report.Networks = append(report.Networks, one)
	}
	return report
}
