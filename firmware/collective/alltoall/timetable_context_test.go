// SPDX-License-Identifier: Apache-2.0

package alltoall

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	timetables "meshwright/firmware/collective/alltoall/timetable"
	"meshwright/firmware/plan"
)

// Long lists are left off when the context ends.
func TestTransferPlanEndsWithItsContext(t *testing.T) {
	topo, err := topology.Parse("torus:4x4")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	job, err := plan.NewTask(ctx, plan.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{1}, topo.Nodes())}, plan.Kind{Name: plan.Exchange, Holders: plan.Each})
	require.NoError(t, err)
	table, ok := timetables.Stored(topo, 1, timetables.MaxMessages)
	require.True(t, ok)
	l, err := exchangeList(job, table)
	require.NoError(t, err)
	_, err = job.TransferPlan(l, job.ExchangeBlock)
	require.NoError(t, err)
	cancel()
	_, err = exchangeList(job, table)
	require.ErrorIs(t, err, context.Canceled)
	_, err = job.TransferPlan(l, job.ExchangeBlock)
	require.ErrorIs(t, err, context.Canceled)
}
