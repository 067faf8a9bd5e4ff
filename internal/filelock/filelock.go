// SPDX-License-Identifier: Apache-2.0

// Package filelock locks files between processes. The system frees a lock when
// its process ends, however it ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"meshwright/internal/teardown"
)

// ErrHeld says that another holds the lock.
var ErrHeld = errors.New("locked by another")

// Try locks an open file or folder until it is closed. The error is ErrHeld, or
// the system's where it has no locks for this file.
func Try(f *os.File) error { return flock(f) }

// Open opens a file or folder for its lock alone. It follows no link.
func Open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|noFollow, 0) }

// At tells whether an open file is still the one at path.
func At(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, there)
}

// Lock is a lock file that names its holder.
type Lock struct {
	f      *os.File
	path   string
	forget func() // that an interrupted process removes it
}

// Held is the error of a lock file that another process holds.
type Held struct{ Holder string } // "process 12 on host since 2006-01-02T15:04:05Z"; "" when it has not said so yet

// Error names the holder of the lock.
func (h *Held) Error() string {
	if h.Holder == "" {
		return "locked by another process"
	}
	return "locked by " + h.Holder
}

// Acquire makes and locks the file at path, and writes into it which process
// holds it, on which host and since when. A file that a dead process left is
// taken over. The error is a *Held or the system's; a system without locks gives none.
func Acquire(path string) (*Lock, error) {
	defer teardown.Process.Hold()()
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
		if err != nil {
			return nil, err
		}
		switch err := flock(f); {
		case errors.Is(err, ErrHeld):
			return nil, errors.Join(&Held{holder(f)}, f.Close())
		case err == nil && !At(f, path): // its last holder removed it meanwhile
			f.Close()
			continue
		}
		l := &Lock{f: f, path: path}
		l.forget = teardown.Process.Add(func() { os.Remove(path) })
		if err := l.sign(); err != nil {
			return nil, errors.Join(err, l.Release())
		}
		return l, nil
	}
}

// sign writes who holds the lock.
func (l *Lock) sign() error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.f, "process %d on %s since %s\n", os.Getpid(), host, time.Now().UTC().Format(time.RFC3339))
	return err
}

// mostHolder bounds the bytes that are read of a lock file.
const mostHolder = 300

// holder reads who holds a lock: the first line, if it is whole.
func holder(f *os.File) string {
	text := make([]byte, mostHolder)
	n, _ := f.ReadAt(text, 0) // short: there is less
	line, _, whole := strings.Cut(string(text[:n]), "\n")
	if !whole || !strings.HasPrefix(line, "process ") {
		return ""
	}
	return line
}

// Release removes the lock file and frees the lock.
func (l *Lock) Release() error {
	defer l.forget()
	if !Supported {
		return errors.Join(l.f.Close(), os.Remove(l.path))
	}
	return errors.Join(os.Remove(l.path), l.f.Close())
}
