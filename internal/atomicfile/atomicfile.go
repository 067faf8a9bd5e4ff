// SPDX-License-Identifier: Apache-2.0

// Package atomicfile writes files that appear whole or not at all: the bytes
// go to a temporary file beside the target, and Commit renames it. Of several
// files that belong together, Finish all before the first Commit: what can fail
// for want of room fails in Finish.
package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file being written. Either Commit or Abort ends it, whether or not
// it succeeds. Abort does nothing from then on, so that it can be deferred.
type File struct {
	f       *os.File
	target  string
	inPlace bool // the target is no regular file (a pipe, a device): written directly
	done    bool // Finish has been called
	ended   bool
}

// attempts bounds the search for an unused temporary name.
const attempts = 10000

// Create begins a file that will be at path. A target that is a symbolic link
// keeps being one; an existing file keeps its permissions. Devices and pipes,
// which cannot be renamed over, are written directly.
func Create(path string) (*File, error) {
	target := path
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		target = linked
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createBeside(target, 0o666)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f, target: target, inPlace: true}, nil
	}
	file, err := createBeside(target, info.Mode().Perm())
	if err != nil {
		return nil, err
	}
	if err := file.f.Chmod(info.Mode().Perm()); err != nil {
		return nil, errors.Join(err, file.Abort())
	}
	return file, nil
}

// createBeside opens a new file in the target's directory; unlike
// os.CreateTemp it leaves the permissions to the user's umask.
func createBeside(target string, perm fs.FileMode) (*File, error) {
	dir, base := filepath.Split(target)
	for k := range attempts {
		name := fmt.Sprintf("%s.%s.%d-%d.tmp", dir, base, os.Getpid(), k)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "create", Path: target, Err: cause(err)}
		}
		return &File{f: f, target: target}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: target, Err: errors.New("no temporary name is free beside it")}
}

// cause strips the temporary name off an error.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// fault is an error with the target's name for the temporary one; nil stays nil.
func (f *File) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.target, Err: cause(err)}
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.f.Write(p)
	return n, f.fault("write", err)
}

// Finish ends the writing: all bytes are on the disk, still beside the target.
// Commit or Abort is to follow.
func (f *File) Finish() error {
	if f.done || f.ended {
		return &fs.PathError{Op: "finish", Path: f.target, Err: fs.ErrClosed}
	}
	f.done = true
	if f.inPlace {
		return f.fault("finish", f.f.Close())
	}
	synced, closed := f.f.Sync(), f.f.Close()
	return f.fault("finish", cmp.Or(synced, closed))
}

// Commit puts the file at its path; it finishes a file that is not. When it
// fails, nothing is there that was not there before, and nothing is left beside it.
func (f *File) Commit() error {
	if f.ended {
		return &fs.PathError{Op: "commit", Path: f.target, Err: fs.ErrClosed}
	}
	if !f.done {
		if err := f.Finish(); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	f.ended = true
	if f.inPlace {
		return nil
	}
	if err := os.Rename(f.f.Name(), f.target); err != nil {
		return errors.Join(err, os.Remove(f.f.Name()))
	}
	return nil
}

// Abort throws away what was written.
func (f *File) Abort() error {
	if f.ended {
		return nil
	}
	f.ended = true
	var err error
	if !f.done {
		err = f.f.Close()
	}
	if f.inPlace {
		return err
	}
	return errors.Join(err, os.Remove(f.f.Name()))
}

// Write makes the file at path from what write writes.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
