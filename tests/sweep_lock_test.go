// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of two sweeps on one file, the second is told who has it; the rows of the
// first stay. However the first ends, the next one goes on from them.
func TestSweepsOnOneFile(t *testing.T) {
	for _, ending := range []os.Signal{os.Interrupt, os.Kill} {
		t.Run(ending.String(), func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "rows.csv")
			first := begin(t, dir, "sweep gossip -t torus:16x16 -m paragon --sync --csv rows.csv")
			first.await(func() bool {
				_, err := os.Stat(file)
				return err == nil
			})
			const next = "sweep gossip -t torus:4x4 -m paragon --sync --bytes 8 --csv rows.csv"
			got := meshwright(t, dir, strings.Fields(next)...)
			require.Equal(t, 2, got.code)
			require.Empty(t, got.stdout)
			require.Regexp(t, `^meshwright: rows.csv: locked by process \d+ on .+ since 20\S+Z \(expected a file that no other sweep writes\)\n$`, got.stderr)

			first.signal(ending)
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			got = meshwright(t, dir, strings.Fields(next)...)
			require.Equal(t, 0, got.code, got.stderr)
			after, err := os.ReadFile(file)
			require.NoError(t, err)
			for row := range strings.Lines(string(before)) {
				require.Contains(t, string(after), row)
			}
			require.Equal(t, []string{"rows.csv"}, names(t, dir))
		})
	}
}

// names lists the files of a directory, hidden files included.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}
