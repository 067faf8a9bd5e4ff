// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"errors"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// TreeTimes has the times of collectives along one spanning tree, in cycles.
type TreeTimes struct {
	Tree                           string // one of TreeNames
	Depth                          int    // links to the furthest node
	Broadcast                      int    // topology.BroadcastTime
	Scatter, Gather, Certification router.Cycle
}

// CompareTrees runs a scatter (furthest-first) and two gathers (nearest-first,
// certification-tight) along every kind of tree that the job's network has, and
// wants every word delivered. The job's own tree is not looked at. Errors are
// *input.Error, the context's, or the Failure of a run.
func CompareTrees(ctx context.Context, j plan.Job) ([]TreeTimes, error) {
	if err := j.Valid(); err != nil {
		return nil, err
	}
	if err := j.Topology.ValidNode("root", j.Root); err != nil {
		return nil, err
	}
	var list []TreeTimes
	for _, name := range plan.TreeNames() {
		tree, err := plan.GrowTree(ctx, j.Topology, j.Root, name)
		var missing *input.Error
		if errors.As(err, &missing) {
			continue // a kind that this network does not have
		}
		if err != nil {
			return nil, err
		}
		j.Tree = name
		row := TreeTimes{Tree: name, Depth: tree.MaxDepth(), Broadcast: topology.BroadcastTime(tree)}
		if row.Scatter, err = timeOf(ctx, plan.Scatter, "furthest-first", j); err != nil {
			return nil, err
		}
		if row.Gather, err = timeOf(ctx, plan.Gather, "nearest-first", j); err != nil {
			return nil, err
		}
		if row.Certification, err = timeOf(ctx, plan.Gather, "certification-tight", j); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}

// timeOf runs a collective and returns its time, or the failure of the run.
func timeOf(ctx context.Context, kind, algorithm string, j plan.Job) (router.Cycle, error) {
	plan, err := collective.Generate(ctx, kind, algorithm, j)
	if err != nil {
		return 0, err
	}
	r, err := collective.Execute(ctx, plan)
	if err != nil {
		return 0, err
	}
	return r.Cycles, r.Failure
}
