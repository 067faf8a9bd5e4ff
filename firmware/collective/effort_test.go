// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Searches do as much as the effort of the job says, and what they find is run word for word: the same each time.
func TestSearchesSpendTheEffort(t *testing.T) {
	for _, row := range []struct {
		kind, algorithm, spec string
		words                 int
	}{
		{plan.Gossip, "greedy", "mesh:3x3", 6},
		{plan.Gossip, "rounds", "mesh:3x3", 6},
		{plan.Gossip, "symmetric", "mesh:3x3", 6},
		{plan.Gossip, "refined", "comb:2x3", 6},
		{plan.ReduceScatter, "greedy", "mesh:3x3", 6},
		{plan.Allreduce, "greedy", "mesh:3x3", 6},
		{plan.Allreduce, "translations", "ring:7", 1},
		{plan.Allreduce, "multi-leader", "comb:2x3", 6},
		{plan.Allreduce, "tree-search", "comb:2x3", 6},
		{plan.Broadcast, "tree-search", "comb:2x3", 6},
		{plan.Exchange, "greedy", "mesh:3x3", 6},
		{plan.Exchange, "edst", "mesh:3x3", 6},
	} {
		t.Run(row.kind+" "+row.algorithm, func(t *testing.T) {
			j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
			j.Machine.Startup = 10
			for _, effort := range []float64{plan.LeastEffort, 0.1} {
				j.Effort = effort
				p, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
				require.NoError(t, err)
				require.False(t, p.Stopped)
				again, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
				require.NoError(t, err)
				require.Equal(t, p.Predicted, again.Predicted)
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err)
				require.True(t, r.Delivered)
				require.GreaterOrEqual(t, r.Cycles, p.LowerBound)
			}
		})
	}
}

// On a mesh of 4 by 4 nodes a search that does very little finds less than one that does a part of what it usually does.
func TestMoreEffortFindsMore(t *testing.T) {
	j := collectivetest.Equal(t, "mesh:4x4", "wormhole", 0, 16)
	j.Machine.Startup = 30
	var cycles []router.Cycle
	for _, j.Effort = range []float64{plan.LeastEffort, 0.2} {
		p, err := collective.Generate(t.Context(), plan.Gossip, "rounds", j)
		require.NoError(t, err)
		cycles = append(cycles, p.Predicted.Least)
	}
	require.Less(t, cycles[1], cycles[0])
}

func TestEffortOutOfBounds(t *testing.T) {
	j := collectivetest.Equal(t, "mesh:2x2", "wormhole", 0, 1)
	for effort, what := range map[float64]string{-1: "-1", 0.001: "0.001", 101: "101"} {
		j.Effort = effort
		_, err := collective.Generate(t.Context(), plan.Gossip, "", j)
		require.EqualError(t, err, "effort "+what+" (expected 0.01 to 100)")
	}
}
