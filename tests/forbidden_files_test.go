// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// Files that may not be read, and directories that may not be written to.
func TestForbiddenFiles(t *testing.T) {
	dir := openDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.csv"), []byte("0,0,1,1,0\n"), 0o000))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "closed"), 0o555))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "payload"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "payload", "closed"), 0o000))
	for _, row := range []struct{ args, want string }{
		{"check secret.csv -t path:2", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t tree:secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 -m ./secret.csv", "./secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --lengths @secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 -m store-forward --packets @secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --payload payload", "payload/closed: permission denied (expected a directory with a file for each PE)"},
		{"asm secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"disasm secret.csv", "secret.csv: permission denied (expected a file that can be read)"},
		{"run scatter -t path:2 --table closed/a.csv", "closed/a.csv: permission denied"},
		{"run scatter -t path:2 --trace a.csv --schedule closed/a.csv", "closed/a.csv: permission denied"},
		{"export closed/chip scatter -t path:2", "closed/chip: permission denied"},
	} {
		t.Run(row.args, func(t *testing.T) {
			cmd := proctest.Command(t, binary, strings.Fields(row.args)...)
			cmd.Dir = dir
			if os.Geteuid() == 0 { // root may do everything, nobody may not
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			got := speak(t, cmd)
			require.Equal(t, spoken{"", "meshwright: " + row.want + "\n", 2}, got)
			require.NoFileExists(t, filepath.Join(dir, "a.csv"))
		})
	}
}

// openDir is a temporary directory that everybody may use.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "meshwright-open-*")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o777))
	require.NoError(t, os.Chmod(filepath.Dir(binary), 0o755))
	return dir
}

// A file that cannot be completed, on a full disk or by its size, is an error;
// what would have been written beside it is not.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct{ args, want string }{
		{"run scatter -t path:4 --trace a.csv --schedule /dev/full", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --trace a.csv --listing /dev/full", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --table /dev/full --schedule a.csv", "/dev/full: no space left on device"},
		{"run scatter -t path:4 --trace a.csv --trace a.pcapng --table /dev/full --schedule s.csv", "/dev/full: no space left on device"},
		{"run late.csv -t path:4 --trace a.csv --trace a.svg --table t.csv --schedule s.csv",
			"t.csv: a table of 100000002 cycles and 4 nodes is too large (expected at most 2^28 cells: a window of cycles or nodes, or a trace of crossings)"},
		{"asm halt.s -o /dev/full", "/dev/full: no space left on device"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "halt.s"), []byte("\thalt\n"), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "late.csv"), []byte("1,0,1,1,0\n2,0,1,1,100000000\n"), 0o644))
		before := snapshot(t, dir)
		got := meshwright(t, dir, strings.Fields(row.args)...)
		require.Equal(t, spoken{"", "meshwright: " + row.want + "\n", 2}, got)
		require.Equal(t, before, snapshot(t, dir))
	}
}
