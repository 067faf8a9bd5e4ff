// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
)

// The fastest of drafts that are made when they are looked at is that of drafts that are there; one that cannot win is made once, others twice.
func TestFastestMade(t *testing.T) {
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	task, err := NewTask(t.Context(), Job{Topology: topo, Machine: m, Lengths: []int{9, 9, 9, 9}}, must(t, Gossip))
	require.NoError(t, err)
	draft := func(words int) *Draft { // one message over the whole path
		return &Draft{List: &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{{From: 0, To: 3, Out: transfer.Set{{From: 0, To: words}}}}}}
	}
	made := map[int]int{}
	var list []*Draft
	var makers []func() *Draft
	for _, words := range []int{8, 2, 5} {
		list = append(list, draft(words))
		makers = append(makers, func() *Draft {
			made[words]++
			return draft(words)
		})
	}
	known, least, err := task.Fastest(list)
	require.NoError(t, err)
	require.Same(t, list[1], known)
	best, same, err := task.FastestMade(makers)
	require.NoError(t, err)
	require.Equal(t, known, best)
	require.Equal(t, least, same)
	require.Positive(t, least)
	require.Equal(t, map[int]int{8: 1, 2: 2, 5: 1}, made)
	_, only, err := task.FastestMade(makers[:1])
	require.NoError(t, err)
	require.Greater(t, only, least)
	require.Equal(t, 2, made[8])

	ended, end := context.WithCancel(t.Context())
	end()
	task.Search = ended
	clear(made)
	first, time, err := task.FastestMade(makers)
	require.NoError(t, err)
	require.Equal(t, only, time)
	require.True(t, first.Stopped)
	require.Equal(t, map[int]int{8: 2}, made)
}

func must(t *testing.T, collective string) Kind {
	t.Helper()
	kind, err := KindOf(collective)
	require.NoError(t, err)
	return kind
}
