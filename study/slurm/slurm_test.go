// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		" --time=60  -p long\t":     {"--time=60", "-p", "long"},
		`--comment='a b' "c d"e ''`: {"--comment=a b", "c de", ""},
		`--wrap="it's"`:             {"--wrap=it's"},
	} {
		got, err := words(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	_, err := words("--comment='a b")
	require.EqualError(t, err, `"--comment='a b" (expected another ')`)
}

// What Slurm says that is not expected is one line.
func TestOddAnswers(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"no controller", "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)' >&2; exit 1", "scontrol: slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)"},
		{"several lines", "echo 'scontrol: error: one' >&2; echo 'scontrol: two' >&2; exit 1", "scontrol: one; two"},
		{"silence", "exit 7", "scontrol: exit status 7"},
		{"no size", "echo SlurmUser = root", "scontrol show config: no size of arrays (expected a line MaxArraySize = 1001)"},
		{"no arrays", "echo 'MaxArraySize            = 0'", "scontrol show config: MaxArraySize 0 (expected a cluster with job arrays)"},
		{"arrays", "echo 'MaxArraySize            = 1001'", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte("#!/bin/sh\n"+row.script+"\n"), 0o755))
			t.Setenv("PATH", dir)
			most, err := mostTasks(t.Context())
			if row.want != "" {
				require.EqualError(t, err, row.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, 1001, most)
		})
	}
}
