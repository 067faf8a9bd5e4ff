// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// A search that goes on with schedules which take longer returns the fastest one.
func TestBetterKeepsTheBest(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	kind, err := plan.KindOf(plan.Gossip)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Lengths: []int{9, 9, 9, 9}, Seed: 1}, kind)
	require.NoError(t, err)
	n, err := newNetwork(task)
	require.NoError(t, err)
	start, drafts := n.LowerBound()+10, n.drafts(9, 36, 1)
	from, grown := []router.Cycle(nil), []router.Cycle{start, start + 1, start + 2, start + 1, start - 3, start - 2, start - 1}
	best, err := n.better(&schedule{cycles: start}, drafts, drafts, func(d draft, limit router.Cycle, _ int) (*schedule, int) {
		require.LessOrEqual(t, limit, d.base.cycles+1)
		from = append(from, d.base.cycles)
		if len(from) > len(grown) {
			return nil, 1
		}
		return &schedule{cycles: grown[len(from)-1]}, 1
	})
	require.NoError(t, err)
	require.Equal(t, start-3, best.cycles)
	require.Equal(t, append([]router.Cycle{start}, grown...), from[:len(grown)+1])
}
