// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a killed run leaves, the next one that writes there removes.
func TestLeftoversAreRemoved(t *testing.T) {
	for _, row := range []struct{ killed, next string }{
		{"run gather -a nearest-first -t path:1000 --length 20000 --trace x.csv --table t.csv", "run gather -t path:4 --trace x.csv"},
		{"run gather -a nearest-first -t path:1000 --length 20000 --trace x.csv", "run gather -t path:4 --schedule other.csv"},
		{"export chip scatter -t mesh:30x30", "export chip scatter -t path:3"},
		{"export chip scatter -t mesh:30x30", "run scatter -t path:3 --trace x.csv"},
	} {
		t.Run(row.killed, func(t *testing.T) {
			dir := t.TempDir()
			p := begin(t, dir, row.killed)
			p.await(func() bool { return len(temporaries(t, dir)) > 0 })
			p.signal(os.Kill)
			require.NotEmpty(t, temporaries(t, dir), "kill -9 leaves something")
			got := meshwright(t, dir, strings.Fields(row.next)...)
			require.Equal(t, 0, got.code, got.stderr)
			require.Empty(t, temporaries(t, dir))
		})
	}
}

// What a live run writes, others do not touch.
func TestOthersFilesUnderWayStay(t *testing.T) {
	dir := t.TempDir()
	p := begin(t, dir, "run gather -a nearest-first -t path:1000 --length 20000 --trace x.csv")
	p.await(func() bool { return len(temporaries(t, dir)) > 0 })
	writing := temporaries(t, dir)
	got := meshwright(t, dir, strings.Fields("run gather -t path:4 --trace x.csv --table t.csv")...)
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, writing, temporaries(t, dir))
	require.Equal(t, interrupted, p.signal(os.Interrupt))
	require.Empty(t, temporaries(t, dir))
}

// A killed cosim's folder goes with the next cosim.
func TestLeftoverFolderOfSimulators(t *testing.T) {
	need(t, "iverilog", "iverilog")
	dir := t.TempDir()
	p := begin(t, dir, "cosim exchange -t mesh:3x3 --length 500 --simulator icarus")
	p.await(func() bool { return len(temporaries(t, p.tmp)) > 0 && p.runs("ivl", "vvp")() }) // they run before, too, for their versions
	p.signal(os.Kill)
	p.killDescendants() // nobody else can
	require.NotEmpty(t, temporaries(t, p.tmp))

	t.Setenv("TMPDIR", p.tmp)
	got := meshwright(t, dir, "cosim", "scatter", "-t", "path:3", "--simulator", "icarus")
	require.Equal(t, 0, got.code, got.stderr)
	p.requireClean()
}
