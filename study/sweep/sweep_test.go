// SPDX-License-Identifier: Apache-2.0

package sweep_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/study/question"
	"meshwright/study/store"
	"meshwright/study/sweep"
	"meshwright/study/tables"
)

// text is a study in which the points with a startup of -1 fail.
const text = `
axes: {length: {from: 1, to: %d, step: 1}, startup: [0, 10, -1]}
set: {topology: "mesh:3x3", collective: gossip, algorithm: highdimgos}
measure: [cycles, ratio, per_flit: cycles / length]
`

// begin opens a sweep with a store.
func begin(t testing.TB, path string, lengths int) *sweep.Sweep {
	q, err := question.Parse("s.yaml", fmt.Appendf(nil, text, lengths), nil)
	require.NoError(t, err)
	s, err := store.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return &sweep.Sweep{Study: q, Store: s, Version: "1"}
}

// cells are the results as text.
func cells(t *testing.T, s *sweep.Sweep) [][]string {
	table, err := tables.Of(t.Context(), s.Study, s.Store)
	require.NoError(t, err)
	_, rows := table.Cells()
	return rows
}

func TestSweepGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := begin(t, path, 3)
	summary, err := s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{9, 0, 9, 3}, []int{summary.Points, summary.There, summary.Computed, summary.Failed})
	require.Equal(t, `startup: "-1" (expected a whole number from 0 to 1073741824)`, summary.Failures[0].Error)
	first := cells(t, s)
	require.Equal(t, []string{"2", "10"}, first[4][:2])

	s = begin(t, path, 4)
	summary, err = s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{12, 9, 3, 4}, []int{summary.Points, summary.There, summary.Computed, summary.Failed})
	require.Equal(t, first, cells(t, s)[:9], "the former results")
	s.Again = true
	summary, err = s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{12, 8, 4, 4}, []int{summary.Points, summary.There, summary.Computed, summary.Failed})

	s.Version = "2"
	summary, err = s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 12, summary.Computed, "another version shares nothing")
}

// Shards in stores of their own, merged, are the whole.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	whole := begin(t, filepath.Join(dir, "whole.db"), 3)
	_, err := whole.Run(t.Context())
	require.NoError(t, err)
	merged := begin(t, filepath.Join(dir, "merged.db"), 3)
	for i := range 2 {
		path := filepath.Join(dir, fmt.Sprint(i, ".db"))
		part := begin(t, path, 3)
		part.Shard, err = sweep.ParseShard(fmt.Sprintf("%d/2", i+1))
		require.NoError(t, err)
		summary, err := part.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, 5-i, summary.Computed)
		require.NoError(t, part.Store.Close())
		require.NoError(t, merged.Store.Merge(t.Context(), path))
	}
	summary, err := merged.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{9, 0}, []int{summary.There, summary.Computed})
	require.Equal(t, cells(t, whole), cells(t, merged))
	for _, text := range []string{"3/2", "0/2", "", "1", "1/", "/4", " 1/4", "+1/4", "1/ 4", "1/4\n", "1/4/", "1/4x", "-1/4", "1/99999999999"} {
		_, err = sweep.ParseShard(text)
		require.EqualError(t, err, fmt.Sprintf("%q (expected a shard such as 1/4)", text))
	}
}

// twins is a study of points of which some are equal: two files have the same graph.
const twins = `
axes: {topology: ["graph:%s", "graph:%s", "mesh:3x3"], startup: [0, -1]}
set: {length: 2, collective: gossip, algorithm: greedy}
measure: [cycles]
`

// A point that is equal to another one has a result when the other one has.
func TestEqualPoints(t *testing.T) {
	dir := t.TempDir()
	s := begin(t, filepath.Join(dir, "s.db"), 1)
	first, second := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	for _, file := range []string{first, second} {
		require.NoError(t, os.WriteFile(file, []byte("0,1\n1,2\n2,0\n"), 0o644))
	}
	var err error
	s.Study, err = question.Parse("s.yaml", fmt.Appendf(nil, twins, first, second), nil)
	require.NoError(t, err)
	tasks, summary, err := s.Plan(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{4, 6, 0}, []int{len(tasks), summary.Points, summary.There})
	summary, err = s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{6, 2, 4, 3}, []int{summary.Points, summary.There, summary.Computed, summary.Failed}, summary.Failures)
	require.Equal(t, 2, s.SoFar().There)
	again := *summary
	require.NoError(t, s.Count(t.Context(), summary))
	require.Equal(t, &again, summary, "whoever counts twice counts the same")
}

// killed is set in a process that is to be killed: the store of its sweep.
const killed = "MESHWRIGHT_TEST_KILLED"

const killedLengths = 80

// A sweep that is killed loses at most the points in hand, and the next one ends with the same results.
func TestKilledSweepLosesNothing(t *testing.T) {
	if path := os.Getenv(killed); path != "" {
		_, err := begin(t, path, killedLengths).Run(t.Context())
		require.NoError(t, err)
		return
	}
	path := filepath.Join(t.TempDir(), "s.db")
	before := 0
	for kill := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledSweepLosesNothing$")
		cmd.Env = append(os.Environ(), killed+"="+path)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(150+50*kill) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s := begin(t, path, killedLengths)
		ids, err := s.Store.IDs(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(ids), before)
		before = len(ids)
		require.NoError(t, s.Store.Close())
	}
	t.Logf("%d points were kept", before)
	s := begin(t, path, killedLengths)
	summary, err := s.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, summary.There)
	whole := begin(t, filepath.Join(t.TempDir(), "whole.db"), killedLengths)
	_, err = whole.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, cells(t, whole), cells(t, s))
}

// A sweep that is interrupted ends with the context's error, and keeps no point of which the run was ended.
func TestInterruptedSweep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := begin(t, filepath.Join(t.TempDir(), "s.db"), 3)
	require.Nil(t, s.SoFar())
	_, err := s.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, s.SoFar())
	ids, err := s.Store.IDs(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
}

// What is told of a sweep that goes on is what its end says.
func TestSweepSoFar(t *testing.T) {
	s := begin(t, filepath.Join(t.TempDir(), "s.db"), 3)
	for range 2 {
		want, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, want.Points, want.There+want.Computed)
		require.Equal(t, &sweep.Summary{Points: want.Points, There: want.There, Computed: want.Computed}, s.SoFar())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, s.SoFar(), "the last run has not begun")
}

// The time of a point apart from its run: identity, store and bookkeeping. The runs here are refused at once.
func BenchmarkOverhead(b *testing.B) {
	const points = 10_000
	for b.Loop() {
		b.StopTimer()
		q, err := question.Parse("s.yaml", fmt.Appendf(nil, "axes: {length: {from: 1, to: %d, step: 1}}\nset: {topology: \"mesh:3x3\", collective: gossip, buffer: 0}\nmeasure: [cycles]\n", points), nil)
		require.NoError(b, err)
		s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "b.db"))
		require.NoError(b, err)
		b.StartTimer()
		_, err = (&sweep.Sweep{Study: q, Store: s, Version: "1"}).Run(b.Context())
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/points, "µs/point")
}

// A sweep without a study or a store is refused.
func TestSweepOfNothing(t *testing.T) {
	_, err := (&sweep.Sweep{}).Run(t.Context())
	require.EqualError(t, err, "nothing to sweep (expected a study)")
	s := &sweep.Sweep{Study: &question.Study{}}
	_, err = s.Run(t.Context())
	require.EqualError(t, err, "nowhere to keep results (expected a store)")
	require.EqualError(t, s.Count(t.Context(), &sweep.Summary{}), "nowhere to keep results (expected a store)")
}
