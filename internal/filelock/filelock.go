// SPDX-License-Identifier: Apache-2.0

// Package filelock locks files between processes. The system frees a lock when
// its process ends, however it ends.
package filelock

import (
	"errors"
	"os"
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
