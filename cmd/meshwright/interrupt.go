// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"meshwright/internal/teardown"
)

// grace is how long a verb may take to end by itself after a signal. A second
// signal cuts it short.
const grace = 500 * time.Millisecond

// interruption ends the process when a signal asks for it: first it cancels the
// context, and after the grace it ends what does not look at the context.
type interruption struct {
	stderr io.Writer
	once   sync.Mutex // held by the goroutine that ends the process
	cancel context.CancelFunc
}

// interruptible returns a context that a signal cancels.
func interruptible(stderr io.Writer) (context.Context, *interruption) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interruption{stderr: stderr, cancel: cancel}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endings()...)
	go i.watch(signals)
	return ctx, i
}

// endings are the signals that end a verb.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) { // as nohup does
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

func (i *interruption) watch(signals <-chan os.Signal) {
	<-signals
	i.cancel()
	select {
	case <-signals:
	case <-time.After(grace):
	}
	i.once.Lock()
	teardown.Process.Run()
	i.exit(exitSignal)
}

// end ends the process with the exit code of its verb.
func (i *interruption) end(code int) {
	i.once.Lock()
	i.exit(code)
}

func (i *interruption) exit(code int) {
	if code == exitSignal {
		fmt.Fprintln(i.stderr, "meshwright: interrupted")
	}
	os.Exit(code)
}

// leave ends the process in the middle of a verb.
func leave(code int) {
	teardown.Process.Run()
	os.Exit(code)
}
