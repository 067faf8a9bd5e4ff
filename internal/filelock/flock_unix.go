// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filelock

import (
	"os"
	"syscall"
)

// Supported tells whether this system has locks.
const Supported = true

// noFollow opens a file itself, never what a link or a pipe leads to.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func flock(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrHeld
		default:
			return err
		}
	}
}
