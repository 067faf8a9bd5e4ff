// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// The last computation of a workload may end behind the last flit of data, which is the last thing that a simulator sees.
// The witnesses compare the time of this flit; the model also says when the computation ends.
// Without a soak two of three run.
func TestWorkloadInVerilog(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	trace, err := filepath.Abs("../examples/imports/training-step.0.et")
	require.NoError(t, err)
	for _, row := range soak.Some(2, []struct {
		name, args, ending string
		witnesses          []string
	}{
		{"wormhole", "--cycles-per-us 10 --table told.csv --messages messages.csv", "; the last computation ends after 1014 cycles", []string{"model", "icarus"}},
		{"timed", "--cycles-per-us 100", "; the last computation ends after 1520 cycles", []string{"model", "icarus"}},
		{"store-forward", "--cycles-per-us 10 --machine store-forward", "; the last computation ends after 2895 cycles", []string{"checker", "model", "icarus"}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := meshwright(t, dir, append([]string{"cosim", trace}, strings.Fields("--topology mesh:2x2 --width 512 --simulator icarus --stress 0 --json "+row.args)...)...)
			require.Equal(t, 0, got.code, "%s%s", got.stdout, got.stderr)
			require.Empty(t, got.stderr)
			requireWitnesses(t, got.stdout, row.witnesses...)
			require.Contains(t, got.stdout, `"says": "every word compared`+row.ending+`"`)
			if row.name != "wormhole" {
				return
			}
			for _, file := range []string{"told.csv", "messages.csv"} {
				require.FileExists(t, filepath.Join(dir, file))
			}
			run := meshwright(t, dir, "run", trace, "--topology", "mesh:2x2", "--width", "512", "--cycles-per-us", "10", "--messages", "model.csv")
			require.Equal(t, 0, run.code, run.stderr)
			want, err := os.ReadFile(filepath.Join(dir, "model.csv"))
			require.NoError(t, err)
			have, err := os.ReadFile(filepath.Join(dir, "messages.csv"))
			require.NoError(t, err)
			require.Equal(t, string(want), string(have))
		})
	}
}
