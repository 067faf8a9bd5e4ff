// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/progress"
)

func TestRestOfPhases(t *testing.T) {
	for _, row := range []struct {
		done, total   int
		took, elapsed time.Duration
		want          time.Duration
	}{
		{0, 10, 0, 5 * time.Second, 0}, // nothing is known
		{4, 100, 4 * time.Second, 4 * time.Second, 0},
		{5, 100, 5 * time.Second, 5 * time.Second, 95 * time.Second},
		{5, 100, time.Second / 2, time.Second / 2, 0}, // too soon
		{5, 100, 5 * time.Second, 6 * time.Second, 94 * time.Second},
		{1, 2, 3 * time.Second, 5 * time.Second, time.Second},
		{1, 2, 3 * time.Second, 6 * time.Second, 0}, // the second step takes longer than the first
		{1, 2, 3 * time.Second, time.Minute, 0},
	} {
		require.Equal(t, row.want, restOf(row.done, row.total, row.took, row.elapsed), row)
	}
}

// The line says how long the rest takes while that is known, and never that it takes no time.
func TestLineWithoutTimeOfTheRest(t *testing.T) {
	for _, row := range []struct {
		done, total int
		says        string
	}{{1, 2, "search, 1 of 2  "}, {30, 300, "search, 30 of 300, 2s left "}} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		s := &screen{terminal: write, since: time.Now().Add(-time.Minute)}
		p := progress.Begin(progress.With(t.Context(), s), "search", row.total)
		s.mu.Lock()
		s.phases[0].began = time.Now().Add(-400 * time.Millisecond)
		s.mu.Unlock()
		p.Set(row.done, row.total)
		s.show()
		s.mu.Lock()
		s.phases[0].began = s.phases[0].began.Add(-1200 * time.Millisecond)
		s.mu.Unlock()
		s.show()
		p.End()
		require.NoError(t, write.Close())
		text, err := io.ReadAll(read)
		require.NoError(t, err)
		require.Contains(t, string(text), row.says)
		require.NotContains(t, string(text), ":0s")
		require.NotContains(t, string(text), " 0s left")
	}
}
