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

// What searches of little effort find is run word for word, and is the same each time.
func TestPlansOfLittleEffort(t *testing.T) {
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
				require.GreaterOrEqual(t, r.Cycles, p.LowerBound())
			}
		})
	}
}

// Searches do as much as the effort of the job says: with very little they find less than with a part of the usual one.
func TestMoreEffortFindsMore(t *testing.T) {
	for _, row := range []struct {
		kind, algorithm, spec string
		words, startup        int
	}{
		{plan.Gossip, "rounds", "mesh:4x4", 16, 30},
		{plan.Gossip, "greedy", "mesh:4x4", 16, 30},
		{plan.Gossip, "refined", "comb:3x4", 8, 10},
		{plan.Broadcast, "tree-search", "mesh:4x4", 64, 30},
		{plan.Broadcast, "greedy", "mesh:4x4", 64, 30},
		{plan.Allreduce, "greedy", "mesh:4x4", 64, 30},
		{plan.Allreduce, "multi-leader", "mesh:4x4", 64, 30},
		{plan.Exchange, "greedy", "mesh:4x4", 4, 30},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		j.Machine.Startup = row.startup
		var cycles []router.Cycle
		for _, j.Effort = range []float64{plan.LeastEffort, 0.2} {
			p, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
			require.NoError(t, err)
			cycles = append(cycles, p.Predicted.Least)
		}
		require.Less(t, cycles[1], cycles[0], "%s %s", row.kind, row.algorithm)
	}
}

func TestEffortOutOfBounds(t *testing.T) {
	j := collectivetest.Equal(t, "mesh:2x2", "wormhole", 0, 1)
	for effort, what := range map[float64]string{-1: "-1", 0.001: "0.001", 101: "101"} {
		j.Effort = effort
		_, err := collective.Generate(t.Context(), plan.Gossip, "", j)
		require.EqualError(t, err, "effort "+what+" (expected 0.01 to 100)")
	}
}
