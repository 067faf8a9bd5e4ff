// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// SpeedUp is a row of a table that compares several trees with one tree.
type SpeedUp struct {
	Collective, Algorithm string
	Trees                 int // that messages can choose from
	Split                 int // blocks in more than one piece
	Cycles                router.Cycle
	LowerBound            router.Cycle
	Ratio                 float64 // time by lower bound
	SpeedUp               float64 // time on one tree by time
}

// SpeedUps runs a rooted collective (scatter or gather) on one breadth-first
// tree and over several trees, on the same machine, and wants every word
// delivered. The machine needs ports all and nic.channels links. Errors are
// *input.Error, or the Failure of a run.
func SpeedUps(ctx context.Context, kind string, j plan.Job) ([]SpeedUp, error) {
	if err := j.Valid(); err != nil {
		return nil, err
	}
	one, ok := map[string]string{plan.Scatter: "furthest-first", plan.Gather: "nearest-first"}[kind]
	if !ok {
		return nil, input.Errorf("expected scatter or gather", "speed-up of a %s", kind)
	}
	var rows []SpeedUp
	for _, algorithm := range []string{one, plan.EdgeDisjoint, plan.SharedEdges} {
		job := j
		if algorithm != plan.EdgeDisjoint {
			job.Trees, job.Cover = 0, ""
		}
		if algorithm == one {
			job.Tree = "breadth-first"
		}
		p, err := collective.Generate(ctx, kind, algorithm, job)
		if err != nil {
			return nil, err
		}
		r, err := collective.Execute(ctx, p)
		if err != nil {
			return nil, err
		}
		if r.Failure != nil {
			return nil, r.Failure
		}
		row := SpeedUp{kind, algorithm, max(1, p.Trees), p.SplitBlocks, r.Cycles, p.LowerBound(), r.Ratio(), 1}
		if len(rows) > 0 && r.Cycles > 0 {
			row.SpeedUp = float64(rows[0].Cycles) / float64(r.Cycles)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
