// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// simulators are the programs of both simulators, with the compiler of Verilator.
var simulators = []string{"iverilog", "vvp", "verilator", "g++"}

// others is a folder with links to all commands but the simulators.
var others = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(binary), "others")
	return dir, errors.Join(os.Mkdir(dir, 0o755), link(dir, func(name string) bool { return !belongs(name, simulators) }))
})

// pathWithout is a search path with all commands but those simulators, and a folder of it that comes first.
func pathWithout(t *testing.T, hidden ...string) (path, first string) {
	t.Helper()
	first = t.TempDir()
	require.NoError(t, link(first, func(name string) bool { return belongs(name, simulators) && !belongs(name, hidden) }))
	rest, err := others()
	require.NoError(t, err)
	return first + string(os.PathListSeparator) + rest, first
}

// link links commands of the search path into a folder. The first of a name counts.
func link(dir string, wanted func(name string) bool) error {
	for _, from := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(from)
		if err != nil {
			continue // as a shell does
		}
		for _, e := range entries {
			if !wanted(e.Name()) {
				continue
			}
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
		}
	}
	return nil
}

// belongs reports whether a command is one of some programs, or a part of it: verilator_bin of verilator.
func belongs(name string, programs []string) bool {
	return slices.ContainsFunc(programs, func(p string) bool { return name == p || strings.HasPrefix(name, p+"_") })
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
			path, _ := pathWithout(t, row.hidden...)
			cmd.Env = append(os.Environ(), "PATH="+path, "MAKEFLAGS=")
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
	for _, line := range []string{
		"export chip gossip --topology path:3 --length 2 --interface axis",
		"export fpga gossip --topology path:3 --length 2 --emulator",
	} {
		got := meshwright(t, dir, strings.Fields(line)...)
		require.Equal(t, 0, got.code, got.stderr)
	}
	const oldIcarus, oldVerilator = "Icarus Verilog version 10.3 (stable) ()", "Verilator 4.228 2022-10-01 rev v4.228"
	for _, row := range []struct{ folder, target, command, says, want string }{
		{"chip", "icarus", "iverilog", "", "iverilog not found: apt-get install iverilog\n"},
		{"chip", "icarus", "vvp", "", "vvp not found: apt-get install iverilog\n"},
		{"chip", "icarus", "iverilog", oldIcarus, "iverilog 10 is too old: version 11 or newer is needed\n"},
		{"chip", "verilator", "verilator", "", "verilator not found: apt-get install verilator g++\n"},
		{"chip", "verilator", "g++", "", "g++ not found: apt-get install verilator g++\n"},
		{"chip", "verilator", "verilator", oldVerilator, "verilator 4 is too old: version 5 or newer is needed\n"},
		{"chip/axis", "icarus", "iverilog", "", "iverilog not found: apt-get install iverilog\n"},
		{"chip/axis", "icarus", "vvp", "", "vvp not found: apt-get install iverilog\n"},
		{"chip/axis", "icarus", "iverilog", oldIcarus, "iverilog 10 is too old: version 11 or newer is needed\n"},
		{"chip/axis", "verilator", "g++", "", "g++ not found: apt-get install verilator g++\n"},
		{"chip/axis", "verilator", "verilator", oldVerilator, "verilator 4 is too old: version 5 or newer is needed\n"},
		{"fpga", "ice40", "yosys", "Yosys 0.9 (git sha1 1979e0b)", "yosys 0.9 is too old: version 0.23 or newer is needed\n"},
		{"fpga", "netlist", "yosys", "no version", "is too old: version 0.23 or newer is needed\n"},
	} {
		t.Run(row.folder+" "+row.want, func(t *testing.T) {
			path, first := pathWithout(t, row.command)
			if row.says != "" {
				require.NoError(t, os.WriteFile(filepath.Join(first, row.command), []byte("#!/bin/sh\necho '"+row.says+"'\n"), 0o755))
			}
			cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, row.folder), row.target)
			cmd.Env = append(os.Environ(), "PATH="+path, "MAKEFLAGS=")
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), row.want)
			require.Contains(t, string(out), "Error 3")
			require.Len(t, strings.Split(strings.TrimSpace(string(out)), "\n"), 2, "%s", out)
			built, err := filepath.Glob(filepath.Join(dir, row.folder, "build", row.target+"*"))
			require.NoError(t, err)
			require.Empty(t, built)
		})
	}
}
