// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/study"
)

// A slice of bench schedules: no schedule beats its bound.
func TestSchedulesOfRandomJobs(t *testing.T) {
	s := study.Scheduling{Jobs: soak.Number(2, 4), Nodes: soak.Number(8, 9), Seed: 3, Limit: time.Minute, Effort: float64(soak.Number(1, 10)) / 10}
	list, err := s.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, list, len(plan.Kinds()))
	for _, c := range list {
		ratio, ok := c.Summary((*study.ScheduledJob).Ratio)
		require.Equal(t, ok, c.Compared() > 0, c.Collective)
		if !ok {
			continue
		}
		require.LessOrEqual(t, 1.0, ratio.Median)
		require.LessOrEqual(t, ratio.Median, ratio.P90)
		require.LessOrEqual(t, ratio.P90, ratio.Worst)
		for _, j := range c.Jobs {
			require.Empty(t, j.Late)
			if j.Bound == 0 {
				continue
			}
			require.True(t, strings.HasPrefix(j.Command, "meshwright run "+c.Collective+" --topology "), j.Command)
			require.Equal(t, s.Effort < 1, strings.HasSuffix(j.Command, " --effort 0.1"), j.Command)
			require.LessOrEqual(t, j.Bound, j.Best, j.Command)
			require.LessOrEqual(t, j.Best, j.Default, j.Command)
		}
	}
}

func TestSchedulingRefuses(t *testing.T) {
	for _, row := range []struct {
		s    study.Scheduling
		text string
	}{
		{study.Scheduling{Nodes: 8, Limit: 1}, "--jobs: 0 (expected at least 1)"},
		{study.Scheduling{Jobs: 1, Nodes: 7, Limit: 1}, "--nodes: 7 (expected 8 to 256)"},
		{study.Scheduling{Jobs: 1, Nodes: 257, Limit: 1}, "--nodes: 257 (expected 8 to 256)"},
		{study.Scheduling{Jobs: 1, Nodes: 8}, "--limit: 0s (expected more than 0)"},
		{study.Scheduling{Jobs: 1, Nodes: 8, Limit: 1, Effort: 200}, "--effort: 200 (expected 0.01 to 100)"},
		{study.Scheduling{Jobs: 1, Nodes: 8, Limit: 1, Collectives: []string{"gosip"}}, `unknown collective "gosip" (did you mean gossip?)`},
	} {
		_, err := row.s.Run(t.Context())
		require.EqualError(t, err, row.text)
	}
}
