// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Tolerance is what so many copies of each message survive, and what they cost.
type Tolerance struct {
	Copies       int
	Links, Nodes int     // every set of so many links, or nodes, is survived; tolerant.Any: every set
	Share        []Share // of random sets of 1, 2, 3 … nodes and links
	Cycles       router.Cycle
	LeastSteps   router.Cycle // a lower bound of the steps with as many copies
	Steps        router.Cycle
	FlitHops     int // flits that cross links
}

// Share counts random sets of faults.
type Share struct {
	Faults, Tried, Survived int
	Whole                   int // sets that leave the live nodes together; no algorithm survives any others
}

// Tolerances plans a collective of a job in 1, 2, 3 … copies, as many as there are disjoint trees, runs each plan and wants every
// word delivered, and replays random sets of up to so many faults. It also returns the number of trees.
// Errors are *input.Error, the context's, or the Failure of a run.
func Tolerances(ctx context.Context, kind string, j plan.Job, faults, sets int) (int, []Tolerance, error) {
	if err := j.Valid(); err != nil {
		return 0, nil, err
	}
	trees, _, err := cover.Most(ctx, j.Topology, j.Root)
	if err != nil {
		return 0, nil, err
	}
	if trees == 0 {
		return 0, nil, input.Errorf("expected a root with links", "root %d of %s has no links", j.Root, j.Topology)
	}
	faults = min(faults, len(fault.Candidates(j.Topology, anything(0), j.Root)))
	var rows []Tolerance
	for j.Copies = 1; j.Copies <= trees; j.Copies++ {
		row, err := tolerance(ctx, kind, j, faults, sets)
		if err != nil {
			return 0, nil, err
		}
		rows = append(rows, row)
	}
	return trees, rows, nil
}

// anything is sets of so many nodes and links.
func anything(count int) fault.Random { return fault.Random{Count: count, Nodes: true, Links: true} }

// tolerance makes a row.
func tolerance(ctx context.Context, kind string, j plan.Job, faults, sets int) (Tolerance, error) {
	p, err := collective.Generate(ctx, kind, tolerant.Name, j)
	if err != nil {
		return Tolerance{}, err
	}
	run, err := collective.Execute(ctx, p)
	if err != nil {
		return Tolerance{}, err
	}
	if run.Failure != nil {
		return Tolerance{}, run.Failure
	}
	replay, err := tolerant.NewReplay(p)
	if err != nil {
		return Tolerance{}, err
	}
	row := Tolerance{
		Copies: j.Copies, Links: replay.Withstands(false, true), Nodes: replay.Withstands(true, false), Cycles: run.Cycles,
		Steps: p.Fact("time_steps"), LeastSteps: p.Fact("least_steps"), FlitHops: p.Flits, // every message crosses one link
	}
	for k := 1; k <= faults; k++ {
		c := Campaign{Plan: p, Among: anything(k), Sets: sets, Seed: j.Seed}
		r, err := c.Run(ctx)
		if err != nil {
			return Tolerance{}, err
		}
		row.Share = append(row.Share, Share{Faults: k, Tried: r.Tried, Survived: r.Tried - r.Failed, Whole: r.Tried - r.Apart})
	}
	return row, nil
}
