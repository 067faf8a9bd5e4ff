// SPDX-License-Identifier: Apache-2.0

// Package confine opens the files that a user names. A process that answers a request of others has the environment
// variable [Mark]: then all these files are in one folder, and any other name is an error, whoever gives it: an option, a posted
// file, a file that a file includes, or a symbolic link. Other processes may open any file.
package confine

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Mark is the environment variable that names the folder to which a process is confined. Its temporary files are there, too: TMPDIR
// is to name a folder in it.
const Mark = "MESHWRIGHT_FOLDER"

// ErrOutside is the cause of the errors about names that leave the folder.
var ErrOutside = errors.New("outside the folder of the request")

// Open is os.Open.
func Open(name string) (*os.File, error) { return process().open(name) }

// Stat is os.Stat.
func Stat(name string) (fs.FileInfo, error) { return process().stat(name) }

// ReadDir is os.ReadDir.
func ReadDir(name string) ([]fs.DirEntry, error) { return process().readDir(name) }

// Check returns the error about the name of a file to write, which need not be there yet, if it leaves the folder.
func Check(name string) error { return process().check(name) }

// process returns the folder of this process.
var process = sync.OnceValue(func() *folder { return enter(os.Getenv(Mark)) })

// folder is where files may be.
type folder struct {
	path string
	root *os.Root // nil: anywhere
	err  error    // why nothing can be opened
}

// enter opens a folder; "" stands for all files.
func enter(path string) *folder {
	if path == "" {
		return &folder{}
	}
	root, err := os.OpenRoot(path)
	return &folder{path, root, err}
}

func (f *folder) open(name string) (*os.File, error) { return via(f, name, os.Open, (*os.Root).Open) }

func (f *folder) stat(name string) (fs.FileInfo, error) {
	return via(f, name, os.Stat, (*os.Root).Stat)
}

func (f *folder) readDir(name string) ([]fs.DirEntry, error) {
	return via(f, name, os.ReadDir, func(root *os.Root, inside string) ([]fs.DirEntry, error) {
		dir, err := root.Open(inside)
		if err != nil {
			return nil, err
		}
		entries, err := dir.ReadDir(-1)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		return entries, errors.Join(err, dir.Close())
	})
}

func (f *folder) check(name string) error {
	if f.root == nil && f.err == nil {
		return nil
	}
	if _, err := f.stat(name); errors.Is(err, ErrOutside) || f.err != nil {
		return err
	}
	return nil
}

// via does something with a file: free without a folder, inside with its name in the folder.
func via[T any](f *folder, name string, free func(string) (T, error), inside func(*os.Root, string) (T, error)) (T, error) {
	if f.root == nil && f.err == nil {
		return free(name)
	}
	var none T
	if f.err != nil {
		return none, &fs.PathError{Op: "open", Path: name, Err: f.err}
	}
	local := name
	if filepath.IsAbs(name) { // names of temporary files are
		var err error
		if local, err = filepath.Rel(f.path, name); err != nil {
			return none, outside(name)
		}
	}
	if name != "" && !filepath.IsLocal(local) {
		return none, outside(name)
	}
	v, err := inside(f.root, local)
	var cause *fs.PathError
	if errors.As(err, &cause) {
		var system syscall.Errno
		if !errors.As(err, &system) { // what os.Root itself refuses
			return none, outside(name)
		}
		return none, &fs.PathError{Op: cause.Op, Path: name, Err: cause.Err}
	}
	return v, err
}

func outside(name string) error { return &fs.PathError{Op: "open", Path: name, Err: ErrOutside} }
