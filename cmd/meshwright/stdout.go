// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"meshwright/internal/escape"
	"meshwright/internal/input"
)

// errPipe says that nobody reads standard output any more.
var errPipe = errors.New("standard output is closed")

// stdout is standard output. It escapes what a terminal would obey, and keeps
// the first failed write: no verb, and nothing in the libraries that it uses,
// can lose one.
type stdout struct{ *escape.Writer }

func newStdout(w io.Writer) stdout { return stdout{escape.NewWriter(w)} }

// finish returns the error that ended a command: the failed write if there is one, not an
// error that followed from it. For a closed pipe it returns errPipe.
func (w stdout) finish(err error) error {
	failed := w.Flush()
	if failed == nil {
		return err
	}
	if errors.Is(failed, syscall.EPIPE) {
		return errPipe
	}
	var path *fs.PathError
	if errors.As(failed, &path) {
		failed = path.Err
	}
	return input.At("standard output", 0, "", "%v", failed)
}

// surviveClosedPipes makes writes to a closed pipe fail instead of killing the
// program, so that it removes its temporary files. Programs that it starts
// keep the usual behaviour.
func surviveClosedPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
