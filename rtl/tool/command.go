// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"meshwright/internal/scratch"
	"meshwright/internal/teardown"
)

// What a killed group may take to be gone: as long as the verb waits for it,
// and as long as the process does that is interrupted and must end soon.
const (
	patience   = 10 * time.Second
	impatience = 300 * time.Millisecond
)

// Output runs a command in the folder that is to hold built, and returns what
// it and its descendants print. They end with the context; their temporary files
// are removed, and what they build in the folder built when they are stopped.
func Output(ctx context.Context, built string, name string, args ...string) ([]byte, error) {
	tmp, err := scratch.NewTemporary("simulator")
	if err != nil {
		return nil, err
	}
	defer tmp.Remove()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Dir(built) // not make -C: it takes names with blanks or dollars apart
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "TMPDIR="+absolute(tmp.Path))
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text // Wait returns when the last descendant has closed them
	cmd.WaitDelay = patience
	apart(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	err = runApart(cmd, built)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), os.RemoveAll(built))
	}
	return text.Bytes(), err
}

// runApart runs a command that is stopped with the process, too.
func runApart(cmd *exec.Cmd, built string) error {
	release := teardown.Process.Hold()
	if err := cmd.Start(); err != nil {
		release()
		return err
	}
	gone := make(chan struct{})
	defer close(gone)
	forget := teardown.Process.Add(func() {
		_ = killGroup(cmd)
		select {
		case <-gone:
		case <-time.After(impatience):
		}
		_ = os.RemoveAll(built)
	})
	release()
	defer forget()
	return cmd.Wait()
}

// absolute is a path that holds in every folder.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
