// SPDX-License-Identifier: Apache-2.0

package scratch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/scratch"
)

// makerFolder tells the test binary to make things in a folder until it is killed.
const makerFolder = "MESHWRIGHT_TEST_MAKER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(makerFolder); dir != "" {
		makeAndStay(dir)
	}
	os.Exit(m.Run())
}

func makeAndStay(dir string) {
	file, err := scratch.NewFile(dir, "x.csv", 0o666)
	if err != nil {
		panic(err)
	}
	folder, err := scratch.NewFolder(dir, "chip", 0o777)
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(folder.Path, "top.v"), nil, 0o600); err != nil {
		panic(err)
	}
	fmt.Println(file.Path)
	fmt.Println(folder.Path)
	time.Sleep(time.Hour) // it is killed; select would be taken for a deadlock
}

// maker starts a process that has a temporary file and a temporary folder.
func maker(t *testing.T, dir string) (cmd *exec.Cmd, paths []string) {
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), makerFolder+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	lines := bufio.NewScanner(out)
	for len(paths) < 2 && lines.Scan() {
		paths = append(paths, lines.Text())
	}
	require.Len(t, paths, 2)
	return cmd, paths
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestKilledProcessesLeaveNothingForLong(t *testing.T) {
	dir := t.TempDir()
	killed, stale := maker(t, dir)
	_, alive := maker(t, dir)
	for _, path := range stale {
		_, err := os.Lstat(path)
		require.NoError(t, err, "a live neighbour's is never removed")
	}
	kill(killed)
	for _, path := range stale {
		_, err := os.Lstat(path)
		require.NoError(t, err, "a killed process removes nothing")
	}
	mine, err := scratch.NewFile(dir, "other", 0o600)
	require.NoError(t, err)
	for _, path := range stale {
		_, err := os.Lstat(path)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	for _, path := range alive {
		_, err := os.Lstat(path)
		require.NoError(t, err)
	}
	require.NoError(t, mine.Remove())
}

// A process that has the number of a dead one does not keep its files.
func TestNumbersOfProcessesAreReused(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, fmt.Sprintf(".x.meshwright-%d-0.tmp", os.Getpid()))
	require.NoError(t, os.WriteFile(stale, []byte("old"), 0o600))
	made, err := scratch.NewFile(dir, "x", 0o600)
	require.NoError(t, err)
	defer made.Remove()
	require.Equal(t, stale, made.Path)
	info, err := os.Stat(stale)
	require.NoError(t, err)
	require.Zero(t, info.Size(), "it is a new file")
}

func TestOnlyOurNamesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	names := []string{".x.12-0.tmp", ".x.meshwright-12-0", "x.meshwright-12-0.tmp", ".x.meshwright-a-0.tmp"}
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink("x", filepath.Join(dir, ".link.meshwright-12-0.tmp")))
	made, err := scratch.NewFolder(dir, "x", 0o700)
	require.NoError(t, err)
	require.NoError(t, made.Remove())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, len(names)+1)
}

func TestMoveAndRemove(t *testing.T) {
	dir := t.TempDir()
	made, err := scratch.NewFolder(dir, "x", 0o700)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(made.Path, "in"), nil, 0o600))
	require.NoError(t, made.MoveTo(filepath.Join(dir, "x")))
	require.NoError(t, made.Remove(), "it has ended")
	require.FileExists(t, filepath.Join(dir, "x", "in"))

	file, err := scratch.NewFile(dir, "y", 0o600)
	require.NoError(t, err)
	require.Error(t, file.MoveTo(filepath.Join(dir, "x")), "a folder is there")
	require.NoError(t, file.Remove())
	require.NoFileExists(t, file.Path)
}

// A folder that is not locked yet looks like a leftover to whoever makes another one at that moment.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				f, err := scratch.NewFolder(dir, "x", 0o755)
				if err != nil {
					t.Error(err)
					return
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
