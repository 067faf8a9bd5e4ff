// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// One signal ends every phase of a verb, not only some moment of it: the
// terminal says which phase it is.
func TestInterruptInEachPhase(t *testing.T) {
	many := manyMessages(1_000_000)
	for i, row := range []struct{ args, phase string }{
		{"run broadcast -t random-tree:4000000 --memory 100GB", "build random-tree:4000000"},
		{"check many.csv -t path:2000", "check what 1000000 messages use"},
		{"check many.csv -t path:2000 -m store-forward", "check 1000000 packets"},
		{"run scatter -t mesh:200x200 -a shared-edges --memory 100GB", "find routes for messages"},
		{"run scatter -t mesh:200x200 -a furthest-first --buffer 1", "run on mesh:200x200"},
	} {
		t.Run(row.phase, func(t *testing.T) {
			dir := t.TempDir()
			if strings.Contains(row.args, "many.csv") {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "many.csv"), many, 0o644))
			}
			before := names(t, dir)
			p, shown := onTerminal(t, dir, row.args)
			p.await(func() bool { return shown.has(row.phase) })
			require.Equal(t, 130, p.signal(ending(i)).code)
			p.awaitShown(shown, "meshwright: interrupted")
			require.Equal(t, before, names(t, dir))
			p.requireClean()
		})
	}
}

// A sweep that is interrupted while it lists its points says so.
func TestInterruptWhileASweepListsItsPoints(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "big.yaml"), []byte("axes: {length: {from: 1, to: 90000, step: 1}, startup: {from: 1, to: 10, step: 1}}\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [cycles]\n"), 0o644))
	p, shown := onTerminal(t, dir, "sweep big.yaml")
	p.await(func() bool { return shown.has("list the points") })
	require.Equal(t, 130, p.signal(ending(0)).code)
	p.awaitShown(shown, "meshwright: the points were still being listed, and none was run; the same command begins again")
	p.awaitShown(shown, "meshwright: interrupted")
	p.requireClean()
}

// Whenever the signal comes, all files of a verb are there or none.
func TestInterruptLeavesAllFilesOrNone(t *testing.T) {
	for _, row := range []struct {
		args  string
		files []string
	}{
		{"run scatter -t path:60 -a furthest-first --trace a.csv --trace b.csv --trace c.svg --table t.csv --schedule s.csv", []string{"a.csv", "b.csv", "c.svg", "s.csv", "t.csv"}},
		{"export a/chip scatter -t mesh:8x8 -a furthest-first", []string{"a"}},
	} {
		t.Run(row.args, func(t *testing.T) {
			for wait := range soak.Number(6, 25) {
				dir := t.TempDir()
				p := begin(t, dir, row.args)
				polls := 0
				for !p.hasEnded() && (polls < wait || len(names(t, dir)) == 0) {
					time.Sleep(time.Millisecond)
					polls++
				}
				if p.hasEnded() {
					require.Equal(t, row.files, names(t, dir))
					continue
				}
				_ = p.cmd.Process.Signal(ending(wait)) // it may end at the same moment
				p.end()
				if left := names(t, dir); len(left) > 0 || p.cmd.ProcessState.ExitCode() == 0 {
					require.Equal(t, row.files, left)
				}
				p.requireClean()
			}
		})
	}
}

// manyMessages is a schedule that takes long to check.
func manyMessages(count int) []byte {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "%d,%d,%d,9,%d\n", i, i*7919%1000, 1000+i*104729%1000, i*31%5_000_000)
	}
	return []byte(text.String())
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
