// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"meshwright/internal/input"
	"meshwright/internal/memory"
)

// A Go program cannot survive an allocation that the system refuses: the runtime
// prints all goroutines and exits. Under a resource limit (ulimit -v, -d) this
// happens when a command needs more memory than its estimate. So under a limit a
// child process does the work, and the parent turns the child's crash into one line
// and exit code 4. Without a limit there is no child.

// childMark tells the child that it is one: its value is the descriptor of the
// standard error that both share. The child's own is where the runtime writes.
const childMark = "MESHWRIGHT_STDERR"

// sharedStderr is that descriptor: the first of ExtraFiles.
const sharedStderr = 3

// lastWords is how much of what the runtime prints is kept.
const lastWords = 16 << 10

// unforeseen are the beginnings of the runtime's last words when the system
// gives it no more memory, or no more threads.
var unforeseen = [][]byte{
	[]byte("out of memory"), []byte("cannot allocate memory"), []byte("failed to reserve"), []byte("newosproc"), []byte("pthread_create failed"),
	[]byte("failed to create new OS thread"),
}

// standardError returns where errors go: of a child the descriptor that it
// shares with its parent.
func standardError() *os.File {
	if os.Getenv(childMark) == "" {
		return os.Stderr
	}
	os.Unsetenv(childMark)
	syscall.CloseOnExec(sharedStderr)
	return os.NewFile(sharedStderr, "/dev/stderr")
}

// supervised runs the command line in a child when a resource limit bounds the
// memory; false: there is none, or this is the child.
func supervised(args []string) (code int, ok bool) {
	if !memory.Limited() || os.Getenv(childMark) != "" {
		return 0, false
	}
	runtime.LockOSThread() // the child dies with the thread that started it
	path, err := os.Executable()
	if err != nil {
		return 0, false
	}
	words := &head{most: lastWords}
	child := exec.Command(path, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, words
	child.ExtraFiles = []*os.File{os.Stderr}
	child.Env = append(os.Environ(), childMark+"=3")
	// In a process group of its own it gets each signal once: from here.
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endings()...)
	if err := child.Start(); err != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			_ = child.Process.Signal(s)
		}
	}()
	defer lendTerminal(child.Process.Pid)()
	return verdictOf(child.Wait(), words.Bytes(), os.Stderr), true
}

// lendTerminal gives the terminal to the group of a child that has stopped since it reads from there, as a shell does: it
// is the group of this process that runs in the foreground. The returned function takes the terminal back.
func lendTerminal(child int) (takeBack func()) {
	own := syscall.Getpgrp()
	hasTerminal := func(group int) bool {
		got, err := unix.IoctlGetInt(syscall.Stdin, unix.TIOCGPGRP)
		return err == nil && got == group
	}
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGCHLD, syscall.SIGCONT)
	go func() {
		stopped := false
		for ; ; <-changes {
			var stop unix.Siginfo
			err := unix.Waitid(unix.P_PID, child, &stop, unix.WSTOPPED|unix.WNOHANG, nil)
			stopped = stopped || err == nil && stop.Signo != 0
			if stopped && hasTerminal(own) {
				stopped = false
				_ = unix.IoctlSetPointerInt(syscall.Stdin, unix.TIOCSPGRP, child)
				_ = syscall.Kill(-child, syscall.SIGCONT)
			}
		}
	}()
	return func() {
		if hasTerminal(child) {
			signal.Ignore(syscall.SIGTTOU) // which stops others than the foreground
			_ = unix.IoctlSetPointerInt(syscall.Stdin, unix.TIOCSPGRP, own)
		}
	}
}

// verdictOf is the exit code of a child that ended with err and these last words.
func verdictOf(err error, words []byte, stderr io.Writer) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit):
		complain(stderr, err)
		return exitUsage
	default:
		for _, text := range unforeseen {
			if bytes.Contains(words, text) {
				complain(stderr, input.Errorf("expected a smaller job, or a higher ulimit", "the system gives no more memory: ulimit -v, -d or -u"))
				return exitTooLarge
			}
		}
	}
	stderr.Write(words)
	if exit == nil {
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// head keeps the beginning of what is written.
type head struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (h *head) Write(text []byte) (int, error) {
	h.Buffer.Write(text[:min(len(text), max(0, h.most-h.Len()))])
	return len(text), nil
}
