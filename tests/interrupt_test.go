// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run that is interrupted says so, exits with 130, and leaves every file as
// it was: no half-written trace, no temporary file.
func TestInterrupt(t *testing.T) {
	const long = " -t path:1000 --length 20000"
	for _, row := range []struct {
		args   string
		signal os.Signal
	}{
		{"run gather --trace a.csv --trace old.csv --trace a.pcapng --trace a.svg --schedule s.csv --listing l" + long, os.Interrupt},
		{"run scatter --trace a.csv --json" + long, syscall.SIGTERM},
		{"run gather --algorithm certification -m bufferless --trace a.csv --trace a.svg --table t --listing l -t path:300 --length 20000", os.Interrupt},
		{"run gather --algorithm certification-ii -m store-forward --packets 4 --trace a.csv -t path:300 --length 4000", os.Interrupt},
		{"run long.csv -t path:1000 --trace a.csv", os.Interrupt},
	} {
		t.Run(row.args, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "old.csv"), []byte("old\n"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "long.csv"), []byte("0,0,999,16000000,0\n1,999,0,16000000,0\n"), 0o644))
			before := snapshot(t, dir)
			got := interrupted(t, dir, row.signal, func() bool { return temporaryBytes(t, dir) > 0 }, row.args)
			require.Equal(t, spoken{"", "meshwright: interrupted\n", 130}, got)
			require.Equal(t, before, snapshot(t, dir))
		})
	}
}

// What writes no file can be interrupted as well.
func TestInterruptWithoutFiles(t *testing.T) {
	for _, args := range []string{
		"bench saturated-8x8 --cycles 1000000000",
		"plan order -t path:8 --root 3 --lengths 200,0,0,0,0,0,200 --setup 2 --steps 1000000000",
		"plan distance --cases 1000000",
		"plan certification -t path:100 --flits 200000",
		"plan trees -t mesh:10x10 -l 100000",
		"plan covers -t mesh:10x10 -l 100000",
		"plan gossip -t torus:2x8192 -l 1 --startup 100,200,300,400,500,600,700,800,900,1000,2000,3000",
	} {
		t.Run(args, func(t *testing.T) {
			start := time.Now()
			late := func() bool { return time.Since(start) > 150*time.Millisecond }
			got := interrupted(t, t.TempDir(), os.Interrupt, late, args)
			require.Equal(t, spoken{"", "meshwright: interrupted\n", 130}, got)
		})
	}
}

// interrupted starts a command line, sends the signal once ready says so, and
// waits for the end, which must come soon.
func interrupted(t *testing.T, dir string, signal os.Signal, ready func() bool, args string) spoken {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(binary, strings.Fields(args)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer cmd.Process.Kill()
	deadline := time.After(30 * time.Second)
	for !ready() {
		select {
		case err := <-ended:
			t.Fatalf("it ended before the signal: %v\n%s%s", err, stdout.String(), stderr.String())
		case <-deadline:
			t.Fatal("it writes nothing")
		case <-time.After(5 * time.Millisecond):
		}
	}
	require.NoError(t, cmd.Process.Signal(signal))
	select {
	case <-ended:
	case <-deadline:
		t.Fatal("it does not end")
	}
	return spoken{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// temporaryBytes is how much of the files under way has been written.
func temporaryBytes(t *testing.T, dir string) int64 {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	require.NoError(t, err)
	var sum int64
	for _, name := range names {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}
