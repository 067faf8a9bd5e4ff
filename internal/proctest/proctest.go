// SPDX-License-Identifier: Apache-2.0

// Package proctest starts programs in tests, and ends them when they do not end by themselves.
package proctest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"meshwright/internal/soak"
)

// Limit is how long a program of a test may run: so long that a slow machine which does other things needs less, and so
// short that a test which hangs fails with a message before everything is given up. Programs of a soak take longer.
var Limit = time.Duration(soak.Number(15, 360)) * time.Minute

// grace is how long a program may take to print them, and how long those it has started may hold its output after its end.
const grace = time.Minute

// Command is exec.CommandContext with the context of the test and the Limit. A program that reaches it fails the test, and
// its standard error ends with its goroutines if it is a Go program.
func Command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	return within(t, Limit, name, args...)
}

func within(t testing.TB, limit time.Duration, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = grace
	cmd.Cancel = func() error {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return cmd.Process.Kill() // the test has ended
		}
		t.Errorf("%s has not ended after %s", strings.Join(cmd.Args, " "), limit)
		return cmd.Process.Signal(syscall.SIGQUIT)
	}
	return cmd
}

// GiveUp ends a process that has other limits than a Command. A Go program prints its goroutines.
func GiveUp(p *os.Process) {
	_ = p.Signal(syscall.SIGQUIT)
	time.Sleep(grace)
	_ = p.Kill()
}
