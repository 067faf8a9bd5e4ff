// SPDX-License-Identifier: Apache-2.0

package filelock_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/filelock"
)

// holderFile tells the test binary to hold a lock until it is killed.
const holderFile = "MESHWRIGHT_TEST_HOLDER"

func TestMain(m *testing.M) {
	if path := os.Getenv(holderFile); path != "" {
		if _, err := filelock.Acquire(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		time.Sleep(time.Hour) // it is killed; select would be taken for a deadlock
	}
	os.Exit(m.Run())
}

// hold starts a process that holds a lock.
func hold(t *testing.T, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderFile+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return cmd
}

func TestAnotherHoldsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	other := hold(t, path)
	host, err := os.Hostname()
	require.NoError(t, err)

	_, err = filelock.Acquire(path)
	var held *filelock.Held
	require.ErrorAs(t, err, &held)
	require.Regexp(t, fmt.Sprintf(`^locked by process %d on %s since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, other.Process.Pid, host), held.Error())

	require.NoError(t, other.Process.Kill())
	_ = other.Wait()
	require.FileExists(t, path, "a killed process leaves its lock file")
	l, err := filelock.Acquire(path)
	require.NoError(t, err, "and its lock is free")
	_, err = filelock.Acquire(path)
	require.ErrorAs(t, err, &held)
	require.Contains(t, held.Holder, fmt.Sprintf("process %d ", os.Getpid()))
	require.NoError(t, l.Release())
	require.NoFileExists(t, path)
}

func TestLockOfAnUnknownHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	require.NoError(t, os.WriteFile(path, []byte("something else"), 0o600))
	f, err := filelock.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, filelock.Try(f))
	_, err = filelock.Acquire(path)
	require.ErrorContains(t, err, "locked by another process")
}

func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("there", filepath.Join(dir, "lock")))
	_, err := filelock.Acquire(filepath.Join(dir, "lock"))
	require.Error(t, err)
	require.NoFileExists(t, filepath.Join(dir, "there"))
}
