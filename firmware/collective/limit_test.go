// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
)

// A search whose limit is over has the best plan that it found, and says so; one that found nothing says that. Without a limit a search ends by itself.
func TestSearchesEndWithTheLimit(t *testing.T) {
	for _, row := range []struct {
		kind, algorithm, spec, preset string
		refused                       string
	}{
		{plan.Gossip, "greedy", "mesh:2x3", "wormhole", ""},
		{plan.Allreduce, "greedy", "hub:6", "wormhole", ""},
		{plan.Allreduce, "tree-search", "hub:6", "wormhole", ""},
		{plan.Broadcast, "tree-search", "comb:2x3", "wormhole", ""},
		{plan.Allreduce, "staggered", "mesh:2x3", "wormhole", ""},
		{plan.Gossip, "symmetric", "mesh:4x4", "wormhole", ""},
		{plan.Gossip, "rounds", "mesh:2x3", "wormhole", ""},
		{plan.Allreduce, "rounds", "mesh:2x3", "wormhole", ""},
		{plan.Scatter, "search", "random-tree:60", "store-forward", ""},
		{plan.Gather, "search", "random-tree:60", "store-forward", ""},
		{plan.Scatter, "combining", "comb:2x3", "wormhole", ""},
		{plan.Exchange, "timetable", "mesh:2x3", "wormhole", "no plan found within 1ns (expected a higher limit)"},
		{plan.Exchange, "auto", "mesh:2x3", "wormhole", ""},
	} {
		t.Run(row.kind+" "+row.algorithm, func(t *testing.T) {
			j := collectivetest.Equal(t, row.spec, row.preset, 0, 5)
			if row.preset == "wormhole" {
				require.NoError(t, j.Machine.Set("ports", "single"))
				j.Machine.Startup = 3
			} else {
				require.NoError(t, j.Machine.Set("setup", "5/2"))
				for n := range j.Lengths {
					j.Lengths[n] = 1 + 7*n%23
				}
			}
			if row.algorithm == "greedy" {
				p, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
				require.NoError(t, err)
				require.False(t, p.Stopped)
			}
			j.Limit = time.Nanosecond
			p, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
			if row.refused != "" {
				require.EqualError(t, err, row.refused)
				return
			}
			require.NoError(t, err)
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			require.True(t, r.Delivered)
			require.True(t, p.Stopped)
			require.GreaterOrEqual(t, r.Cycles, p.LowerBound())
		})
	}
}

// Schedules of very many messages, which are there when the limit is over, are not refined: to read their messages would take minutes.
func TestLongListsAreNotReadBehindTheLimit(t *testing.T) {
	for _, spec := range []string{"torus:8x8", "mesh:4x4x4"} {
		j := collectivetest.Equal(t, spec, "wormhole", 0, 4096)
		j.Limit = time.Nanosecond
		p, err := collective.Generate(t.Context(), plan.Allreduce, "auto", j)
		require.NoError(t, err)
		require.True(t, p.Stopped)
		require.GreaterOrEqual(t, p.Predicted.Least, p.LowerBound())
	}
}

// Edge-disjoint trees that are planned within no time are there, but say that a search was ended.
func TestLimitOfEdgeDisjointTrees(t *testing.T) {
	for _, kind := range []string{plan.Broadcast, plan.Reduce, plan.Allreduce, plan.Scatter, plan.Gather} {
		t.Run(kind, func(t *testing.T) {
			j := collectivetest.Equal(t, "torus:4x5", "wormhole", 0, 32)
			p, err := collective.Generate(t.Context(), kind, plan.EdgeDisjoint, j)
			require.NoError(t, err)
			require.False(t, p.Stopped)
			j.Limit = time.Nanosecond
			soon, err := collective.Generate(t.Context(), kind, plan.EdgeDisjoint, j)
			require.NoError(t, err)
			require.GreaterOrEqual(t, soon.Predicted.Least, p.Predicted.Least)
			require.Equal(t, soon.Predicted.Least > soon.LowerBound(), soon.Stopped)
		})
	}
}

// On a large network a first schedule may take longer than the limit. A search for it is given up, too, and auto says that it was.
func TestLargeSearchesEndWithTheLimit(t *testing.T) {
	for _, kind := range []string{plan.Gossip, plan.ReduceScatter} {
		j := collectivetest.Equal(t, "mesh:31x31", "wormhole", 0, 4)
		require.NoError(t, j.Machine.Set("ports", "single"))
		if j.Limit = time.Millisecond; kind == plan.ReduceScatter {
			for n := range j.Lengths {
				j.Lengths[n] = 4000
			}
		}
		_, err := collective.Generate(t.Context(), kind, "greedy", j)
		require.EqualError(t, err, "no plan found within 1ms (expected a higher limit)")
	}
	j := collectivetest.Equal(t, "mesh:31x31", "wormhole", 0, 4)
	require.NoError(t, j.Machine.Set("ports", "single"))
	j.Limit = 500 * time.Millisecond
	p, err := collective.Generate(t.Context(), plan.Gossip, "greedy,recursive-doubling", j)
	require.NoError(t, err)
	require.True(t, p.Chosen.Stopped)
	require.Equal(t, contest.Weighed{Name: "greedy", How: contest.LeftOut}, p.Chosen.Weighed[1])
}
