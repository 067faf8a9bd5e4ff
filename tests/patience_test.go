// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

const pollEvery = 10 * time.Millisecond

// patience is how long a test waits for a program: long enough for a slow machine that does other things, and much
// shorter than what all tests together may take, so that a program that hangs is named.
func patience() time.Duration { return time.Duration(soak.Number(15, 360)) * time.Minute }

// eventually waits until ready; after the patience it is false.
func eventually(ready func() bool) bool {
	for end := time.Now().Add(patience()); !ready(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// giveUp makes a program print what it does, which Go's runtime does at this signal, and ends it.
func giveUp(p *os.Process) {
	_ = p.Signal(syscall.SIGQUIT)
	time.Sleep(5 * time.Second)
	_ = p.Kill()
}

// What a program that hangs does is in its last words.
func TestProgramsThatAreGivenUpSayWhatTheyDo(t *testing.T) {
	dir := t.TempDir()
	p := beginCommand(t, dir, binary, "bench", "saturated-8x8", "--cycles", "1000000000")
	p.await(p.working)
	go giveUp(p.cmd.Process)
	require.Contains(t, p.end().stderr, "SIGQUIT: quit")
}
