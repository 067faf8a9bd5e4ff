// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/study/store"
)

// holder names a store that the test binary opens until it is killed.
const holder = "MESHWRIGHT_TEST_STORE"

// TestMain is the other process of TestOther if it is asked to hold a store.
func TestMain(m *testing.M) {
	path := os.Getenv(holder)
	if path == "" {
		os.Exit(m.Run())
	}
	_, err := store.Open(context.Background(), path)
	fmt.Println("open", err)
	time.Sleep(time.Hour) // it is killed
}

// A process that has a store open is known until it ends, however it ends.
func TestOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	_, ok := store.Other(path)
	require.False(t, ok, "there is no store")
	own, err := store.Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, own.Close())
	_, ok = store.Other(path)
	require.False(t, ok, "nobody has it open")

	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), holder+"="+path)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open <nil>\n", line)
	process, ok := store.Other(path)
	require.True(t, ok)
	require.Equal(t, other.Process.Pid, process)

	require.NoError(t, other.Process.Kill())
	_ = other.Wait()
	_, ok = store.Other(path)
	require.False(t, ok, "it was killed")
}
