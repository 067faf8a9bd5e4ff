// SPDX-License-Identifier: Apache-2.0

package tool_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/rtl/tool"
)

// A program that is missing or too old is named with the version that will do and its packages.
func TestVersion(t *testing.T) {
	for _, row := range []struct{ name, script, want, err string }{
		{"exactly the oldest", "echo 'Frob 0.23 (git sha1 7ce5011c24b)'", "0.23", ""},
		{"newer", "echo 'Frob 0.9.1 2.5'; echo more", "", "frob 0.9.1 is too old (expected version 0.23 or newer; on Debian or Ubuntu: apt-get install frob-tools)"},
		{"compared as numbers", "echo Frob 0.123+4", "0.123+4", ""},
		{"major version", "echo 'Frob 1.0' >&2", "1.0", ""},
		{"with letters", "echo '(Version 0.23-1+b1)'", "0.23-1+b1", ""},
		{"shorter", "echo Version 0.22", "", "frob 0.22 is too old (expected version 0.23 or newer; on Debian or Ubuntu: apt-get install frob-tools)"},
		{"no version", "echo Frob", "", `frob --version: no version in "Frob"`},
		{"fails", "echo no license; exit 3", "", "frob --version: exit status 3: no license"},
		{"missing", "", "", "frob is not installed (expected version 0.23 or newer; on Debian or Ubuntu: apt-get install frob-tools)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			if row.script != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "frob"), []byte("#!/bin/sh\n"+row.script+"\n"), 0o755))
			}
			t.Setenv("PATH", dir)
			frob := tool.Program{Command: "frob", Ask: "--version", Oldest: "0.23", Packages: []string{"frob-tools"}}
			version, err := frob.Version(t.Context(), t.TempDir())
			if row.err != "" {
				require.EqualError(t, err, row.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.want, version)
		})
	}
}
