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

// pathWithout returns a folder with links to all commands but those.
func pathWithout(t *testing.T, hidden ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(from)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if contains(hidden, e.Name()) {
				continue
			}
			// The first of a name counts, as on a search path.
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())); err != nil {
				require.ErrorIs(t, err, os.ErrExist)
			}
		}
	}
	return dir
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name || strings.HasPrefix(name, n+"_") {
			return true
		}
	}
	return false
}

// An exported folder runs where only one of the simulators is installed. Where none
// is installed, it names the packages to install.
func TestExportRunsWithOneSimulator(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	need(t, "verilator", "verilator g++ make")
	for _, row := range []struct {
		name   string
		hidden []string
		ran    string
	}{
		{"icarus alone", []string{"verilator"}, "icarus"},
		{"verilator alone", []string{"iverilog", "vvp"}, "verilator"},
		{"none", []string{"iverilog", "vvp", "verilator"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got := meshwright(t, dir, strings.Fields("export chip gossip --topology path:3 --length 2")...)
			require.Equal(t, 0, got.code, got.stderr)
			cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, "chip"))
			cmd.Env = append(os.Environ(), "PATH="+pathWithout(t, row.hidden...), "MAKEFLAGS=")
			out, err := cmd.CombinedOutput()
			if row.ran == "" {
				require.Error(t, err)
				require.Contains(t, string(out), "no simulator found: apt-get install iverilog")
				return
			}
			require.NoError(t, err, string(out))
			require.Equal(t, 1, strings.Count(string(out), "PASS cycles="), string(out))
			built, err := filepath.Glob(filepath.Join(dir, "chip", "build", row.ran+"*"))
			require.NoError(t, err)
			require.NotEmpty(t, built)
		})
	}
}

// The Makefile of an exported folder refuses a simulator that is missing or too old, before it compiles anything.
func TestExportNamesTheVersionThatItNeeds(t *testing.T) {
	dir := t.TempDir()
	got := meshwright(t, dir, strings.Fields("export chip gossip --topology path:3 --length 2")...)
	require.Equal(t, 0, got.code, got.stderr)
	for _, row := range []struct{ target, command, says, want string }{
		{"icarus", "iverilog", "", "iverilog not found: apt-get install iverilog\n"},
		{"icarus", "iverilog", "Icarus Verilog version 10.3 (stable) ()", "iverilog 10 is too old: version 11 or newer is needed\n"},
		{"verilator", "verilator", "", "verilator not found: apt-get install verilator g++\n"},
		{"verilator", "verilator", "Verilator 4.228 2022-10-01 rev v4.228", "verilator 4 is too old: version 5 or newer is needed\n"},
	} {
		t.Run(row.want, func(t *testing.T) {
			path := pathWithout(t, row.command)
			if row.says != "" {
				require.NoError(t, os.WriteFile(filepath.Join(path, row.command), []byte("#!/bin/sh\necho '"+row.says+"'\n"), 0o755))
			}
			cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, "chip"), row.target)
			cmd.Env = append(os.Environ(), "PATH="+path, "MAKEFLAGS=")
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), row.want)
			require.Contains(t, string(out), "Error 3")
			built, err := filepath.Glob(filepath.Join(dir, "chip", "build", row.target+"*"))
			require.NoError(t, err)
			require.Empty(t, built)
		})
	}
}
