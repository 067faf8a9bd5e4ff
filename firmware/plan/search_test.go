// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/schedule/bound"
)

// The bound is found before the limit of the job begins, and once.
func TestBoundIsFoundBeforeSearches(t *testing.T) {
	found := 0
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	task := &Task{Job: Job{Topology: topo, Limit: time.Hour}, Ctx: t.Context(), Search: t.Context()}
	task.bounds = &bounds{find: func() bound.Proven {
		_, limited := task.Search.Deadline()
		require.False(t, limited)
		found++
		return bound.Proven{Cycles: 7}
	}}
	stop := task.StartSearch()
	require.Equal(t, 1, found)
	_, limited := task.Search.Deadline()
	require.True(t, limited)
	require.EqualValues(t, 7, task.LowerBound())
	require.EqualValues(t, 7, task.NewPlan().LowerBound())
	require.Equal(t, 1, found)
	stop()
	require.Error(t, task.Search.Err())
	require.NoError(t, task.Ctx.Err())
}

// Without a limit searches end with the task's context, and no bound is found for them.
func TestSearchWithoutALimit(t *testing.T) {
	task := &Task{Ctx: t.Context(), Search: t.Context()}
	task.bounds = &bounds{find: func() bound.Proven {
		t.Error("found")
		return bound.Proven{}
	}}
	task.StartSearch()()
	require.NoError(t, task.Search.Err())
}
