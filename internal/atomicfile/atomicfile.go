// SPDX-License-Identifier: Apache-2.0

// Package atomicfile writes files that appear whole or not at all: the bytes
// go to a temporary file beside the target, and Commit renames it. Of several
// files that belong together, Finish all before the first Commit: what can fail
// for want of room fails in Finish.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"meshwright/internal/scratch"
)

// File is a file being written. Either Commit or Abort ends it, whether or not
// it succeeds. Abort does nothing from then on, so that it can be deferred.
type File struct {
	f      *os.File
	beside *scratch.Temporary // nil: the target is no regular file (a pipe, a device) and written directly
	path   string             // as the user named it
	target string             // the file to replace, path without symbolic links
	done   bool               // Finish has been called
	ended  bool
}

// Create begins a file that will be at path. A symbolic link keeps being one:
// the file that it leads to is replaced, or made. An existing file keeps its
// permissions. Devices and pipes, which cannot be renamed over, are written
// directly. Errors name path.
func Create(path string) (*File, error) {
	target, err := Target(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createBeside(path, target, 0o666)
	case err != nil:
		return nil, &fs.PathError{Op: "create", Path: path, Err: cause(err)}
	case info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("is a directory")}
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, &fs.PathError{Op: "create", Path: path, Err: cause(err)}
		}
		return &File{f: f, path: path, target: target}, nil
	}
	file, err := createBeside(path, target, info.Mode().Perm())
	if err != nil {
		return nil, err
	}
	if err := file.f.Chmod(info.Mode().Perm()); err != nil {
		return nil, errors.Join(file.fault("create", err), file.Abort())
	}
	return file, nil
}

// createBeside opens a new file in the target's directory; unlike
// os.CreateTemp it leaves the permissions to the user's umask.
func createBeside(path, target string, perm fs.FileMode) (*File, error) {
	dir, base := filepath.Split(target)
	made, err := scratch.NewFile(dir, base, perm)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: cause(err)}
	}
	return &File{f: made.File, beside: made, path: path, target: target}, nil
}

// fault is an error with the name that the user gave; nil stays nil.
func (f *File) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.path, Err: cause(err)}
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	if f.done || f.ended {
		return 0, f.fault("write", fs.ErrClosed)
	}
	n, err := f.f.Write(p)
	return n, f.fault("write", err)
}

// errIrregular is the error of Content and Replace for a pipe or a device.
var errIrregular = errors.New("no regular file, so what is written cannot be read again")

// Content opens what has been written so far, and returns its bytes.
func (f *File) Content() (io.ReadCloser, int64, error) {
	if f.beside == nil {
		return nil, 0, f.fault("read", errIrregular)
	}
	written, err := os.Open(f.beside.Path)
	if err != nil {
		return nil, 0, f.fault("read", err)
	}
	info, err := written.Stat()
	if err != nil {
		return nil, 0, errors.Join(f.fault("read", err), written.Close())
	}
	return written, info.Size(), nil
}

// Replace discards what has been written and writes something else.
func (f *File) Replace(content io.Reader) error {
	if f.beside == nil {
		return f.fault("write", errIrregular)
	}
	if err := f.f.Truncate(0); err != nil {
		return f.fault("write", err)
	}
	if _, err := f.f.Seek(0, io.SeekStart); err != nil {
		return f.fault("write", err)
	}
	_, err := io.Copy(f, content)
	return err
}

// Finish ends the writing: all bytes are on the disk, still beside the target.
// Commit or Abort is to follow.
func (f *File) Finish() error {
	if f.done || f.ended {
		return f.fault("finish", fs.ErrClosed)
	}
	f.done = true
	if f.beside == nil {
		return f.fault("finish", f.f.Close())
	}
	return f.fault("finish", f.f.Sync()) // it stays open, and so locked
}

// Commit puts the file at its path; it finishes a file that is not. When it
// fails, nothing is there that was not there before, and nothing is left beside it.
func (f *File) Commit() error {
	if f.ended {
		return f.fault("commit", fs.ErrClosed)
	}
	if !f.done {
		if err := f.Finish(); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	f.ended = true
	if f.beside == nil {
		return nil
	}
	if err := f.beside.MoveTo(f.target); err != nil {
		return errors.Join(f.fault("commit", err), f.beside.Remove())
	}
	return nil
}

// Abort discards the bytes that were written.
func (f *File) Abort() error {
	if f.ended {
		return nil
	}
	f.ended = true
	switch {
	case f.beside != nil:
		return f.beside.Remove()
	case !f.done:
		return f.f.Close()
	}
	return nil
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
