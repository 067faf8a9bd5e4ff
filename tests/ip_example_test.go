// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// A bench of examples/ip that fails ends make with an error. tests/docs runs the example as it is.
func TestFailingBenchOfTheExampleFailsMake(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	require.Zero(t, meshwright(t, dir, "export", "fabric", "gossip", "--topology", "mesh:2x2", "--length", "1", "--interface", "axis").code)
	example := filepath.Join(dir, "ip")
	require.NoError(t, os.CopyFS(example, os.DirFS(filepath.Join("..", "examples", "ip"))))
	path := filepath.Join(example, "user_bench.v")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const verdict = "if (frames == 2 * Frames && !error)"
	require.Contains(t, string(text), verdict)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), verdict, "if (frames == 3 * Frames && !error)", 1)), 0o644))
	got := speak(t, proctest.Command(t, "make", "-s", "-C", example, "icarus", "FABRIC="+filepath.Join(dir, "fabric")))
	require.Contains(t, got.stdout, "FAIL frames=200")
	require.NotZero(t, got.code)
}

// A folder without a network with streams is named, not a file that the simulator misses.
func TestExampleWithoutItsNetwork(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, meshwright(t, dir, "export", "plain", "gossip", "--topology", "mesh:2x2", "--length", "1").code)
	for _, fabric := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "plain")} {
		got := speak(t, proctest.Command(t, "make", "-s", "-C", filepath.Join("..", "examples", "ip"), "icarus", "FABRIC="+fabric, "BUILD="+dir))
		require.NotZero(t, got.code)
		require.Empty(t, got.stdout)
		require.Contains(t, got.stderr, "FABRIC="+fabric+": no export with streams is there")
	}
}
