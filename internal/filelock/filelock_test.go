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
		f, err := filelock.Open(path)
		if err == nil {
			err = filelock.Try(f)
		}
		fmt.Println("held", err)
		time.Sleep(time.Hour) // it is killed; select would be taken for a deadlock
	}
	os.Exit(m.Run())
}

// The system frees the lock of a process that is killed.
func TestAnotherHoldsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), holderFile+"="+path)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held <nil>\n", line)

	f, err := filelock.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.ErrorIs(t, filelock.Try(f), filelock.ErrHeld)
	require.NoError(t, other.Process.Kill())
	_ = other.Wait()
	require.NoError(t, filelock.Try(f))
}

func TestAFileThatAnotherHasReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	f, err := filelock.Open(path)
	require.NoError(t, err)
	defer f.Close()
	require.True(t, filelock.At(f, path))
	require.NoError(t, os.Rename(path, path+".old"))
	require.False(t, filelock.At(f, path))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.False(t, filelock.At(f, path))
}

func TestLocksFollowNoLink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "there"), nil, 0o600))
	require.NoError(t, os.Symlink("there", filepath.Join(dir, "link")))
	_, err := filelock.Open(filepath.Join(dir, "link"))
	require.Error(t, err)
}
