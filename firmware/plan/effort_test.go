// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/plan"
)

func TestWorkOfAnEffort(t *testing.T) {
	for _, row := range []struct {
		effort      float64
		usual, work int
	}{
		{0, 1 << 40, 1 << 40},
		{1, 7, 7},
		{0.25, 1000, 250},
		{0.01, 3, 1},
		{100, 1 << 28, 100 << 28},
	} {
		task := &plan.Task{Job: plan.Job{Effort: row.effort}}
		require.Equal(t, row.work, task.Spend(row.usual), "effort %g", row.effort)
	}
}

func TestEffortsOutOfBounds(t *testing.T) {
	for _, effort := range []float64{0, -1, 0.0099, 100.1, math.NaN(), math.Inf(1)} {
		require.ErrorContains(t, plan.CheckEffort(effort), "(expected 0.01 to 100)")
	}
	require.NoError(t, plan.CheckEffort(plan.LeastEffort))
	require.NoError(t, plan.CheckEffort(100))
}
