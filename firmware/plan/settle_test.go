// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// oneMessage is a task on a path, and makers of drafts of one message over all of it, which note what they make. planOf makes plans that know nothing but their messages' words.
func oneMessage(t *testing.T, buffer int) (task *Task, makers []func() *Draft, made map[int]int, planOf func(*Draft) (*Plan, error)) {
	t.Helper()
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Hop, m.Buffer = 3, buffer
	task, err = NewTask(t.Context(), Job{Topology: topo, Machine: m, Lengths: []int{9, 9, 9, 9}}, must(t, Gossip))
	require.NoError(t, err)
	made = map[int]int{}
	for _, words := range []int{8, 2, 5} {
		makers = append(makers, func() *Draft {
			made[words]++
			return &Draft{List: &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{{From: 0, To: 3, Out: transfer.Set{{From: 0, To: words}}}}}}
		})
	}
	planOf = func(d *Draft) (*Plan, error) { return &Plan{Flits: d.List.Transfers[0].Out[0].To}, nil }
	return task, makers, made, planOf
}

// A draft that cannot win is made once, others twice.
func TestFastest(t *testing.T) {
	task, makers, made, planOf := oneMessage(t, 9)
	best, least, err := task.Fastest(makers, planOf)
	require.NoError(t, err)
	require.Equal(t, 2, best.Flits)
	require.Positive(t, least)
	require.Equal(t, map[int]int{8: 1, 2: 2, 5: 1}, made)
	require.Equal(t, least, best.Predicted.Least)
	require.True(t, best.Predicted.Exact)
	_, only, err := task.Fastest(makers[:1], planOf)
	require.NoError(t, err)
	require.Greater(t, only, least)
	require.Equal(t, 2, made[8])

	ended, end := context.WithCancel(t.Context())
	end()
	task.Search = ended
	clear(made)
	first, time, err := task.Fastest(makers, planOf)
	require.NoError(t, err)
	require.Equal(t, only, time)
	require.True(t, first.Stopped)
	require.Equal(t, map[int]int{8: 2}, made)
}

// Where predictions are estimates, plans are measured: the fastest wins that does the job.
func TestFastestMeasured(t *testing.T) {
	for name, row := range map[string]struct {
		times map[int]router.Cycle // by words of the plan; 0: it does not do the job
		want  int
		time  router.Cycle
	}{
		"in the order of estimates": {map[int]router.Cycle{2: 70, 5: 80, 8: 90}, 2, 70},
		"in another order":          {map[int]router.Cycle{2: 90, 5: 80, 8: 70}, 8, 70},
		"the estimate's does not":   {map[int]router.Cycle{2: 0, 5: 80, 8: 90}, 5, 80},
		"none does":                 {map[int]router.Cycle{2: 0, 5: 0, 8: 0}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			task, makers, _, planOf := oneMessage(t, 1)
			task.Measure = func(_ context.Context, p *Plan, limit router.Cycle) (router.Cycle, bool, error) {
				time := row.times[p.Flits]
				return min(time, limit+1), time > 0, nil
			}
			best, time, err := task.Fastest(makers, planOf)
			require.NoError(t, err)
			require.Equal(t, row.want, best.Flits)
			require.Equal(t, row.time, time)
			require.Equal(t, row.time, best.Measured)
			require.False(t, best.Predicted.Exact)
		})
	}
}

func must(t *testing.T, collective string) Kind {
	t.Helper()
	kind, err := KindOf(collective)
	require.NoError(t, err)
	return kind
}
