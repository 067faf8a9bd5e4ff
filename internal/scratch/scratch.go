// SPDX-License-Identifier: Apache-2.0

// Package scratch makes temporary files and folders that never stay behind. The
// process that makes one holds its lock and knows how to remove it when it is
// interrupted. What a killed process left has a free lock: the next process
// that makes something in the same folder removes it.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"unicode/utf8"

	"meshwright/internal/filelock"
	"meshwright/internal/teardown"
)

// Temporary is a file or folder that is not whole yet. MoveTo or Remove ends it.
type Temporary struct {
	Path string
	// File is open and locked: of a file for writing, of a folder only for the lock.
	File   *os.File
	forget func() // nil: it has ended
}

// attempts bounds the search for an unused name.
const attempts = 10000

// ours matches the names that name gives.
var ours = regexp.MustCompile(`^\..*\.meshwright-[0-9]+-[0-9]+\.tmp$`)

// shortName is a length, in bytes, that names have in every file system.
const shortName = 64

// name is the attempt-th temporary name of this process for a target called
// base. It is no longer than base, or than shortName, so that it fits wherever
// base fits.
func name(base string, attempt int) string {
	return hidden(base, fmt.Sprintf(".meshwright-%d-%d.tmp", os.Getpid(), attempt))
}

func hidden(base, suffix string) string {
	return "." + cut(base, max(len(base), shortName)-len(".")-len(suffix)) + suffix
}

// cut returns the first characters of a name, at most limit bytes of them.
func cut(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	for limit > 0 && !utf8.RuneStart(name[limit]) {
		limit--
	}
	return name[:limit]
}

// NewFile makes an empty file in dir for a target named base. Errors are the
// system's, *fs.PathError.
func NewFile(dir, base string, perm fs.FileMode) (*Temporary, error) {
	return create(dir, base, func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	})
}

// NewFolder makes an empty folder in dir for a target named base. Errors are
// the system's, *fs.PathError.
func NewFolder(dir, base string, perm fs.FileMode) (*Temporary, error) {
	return create(dir, base, func(path string) (*os.File, error) {
		if err := os.Mkdir(path, perm); err != nil {
			return nil, err
		}
		f, err := filelock.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fs.ErrExist // another process took the folder, not yet locked, for a leftover: the next name may do
		}
		if err != nil {
			return nil, errors.Join(err, os.Remove(path))
		}
		return f, nil
	})
}

// NewTemporary makes a folder for the process alone in the system's folder of temporary files. An error says that
// TMPDIR names that folder, since users may not know it.
func NewTemporary(base string) (*Temporary, error) {
	t, err := NewFolder(os.TempDir(), base, 0o700)
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return nil, &fs.PathError{Op: fault.Op, Path: "TMPDIR " + os.TempDir(), Err: fault.Err}
	}
	return t, err
}

// create makes something under the first name that is free, and locks it.
func create(dir, base string, begin func(path string) (*os.File, error)) (*Temporary, error) {
	removeStale(dir)
	for k := range attempts {
		path := inside(dir, name(base, k))
		made, err := beginLocked(path, begin)
		if err == nil && made != nil {
			return made, nil
		}
		var missing *fs.PathError
		if errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) { // the folder, whose name the user knows
			return nil, &fs.PathError{Op: "create", Path: dir, Err: missing.Err}
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, &fs.PathError{Op: "create", Path: inside(dir, base), Err: errors.New("no temporary name is free beside it")}
}

// inside joins a folder's name, "" for the one in use, and a name in it. Unlike
// filepath.Join it leaves "link/.." as it is, which need not be the same place.
func inside(dir, name string) string {
	if dir == "" || os.IsPathSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(os.PathSeparator) + name
}

// beginLocked is nil without an error when another process removed the new
// file in the moment before it was locked.
func beginLocked(path string, begin func(path string) (*os.File, error)) (*Temporary, error) {
	defer teardown.Process.Hold()()
	f, err := begin(path)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(f); errors.Is(err, filelock.ErrHeld) || !filelock.At(f, path) {
		return nil, f.Close()
	}
	t := &Temporary{Path: path, File: f}
	t.forget = teardown.Process.Add(func() { t.erase() })
	return t, nil
}

// removals bounds the attempts to remove a folder in which others still write.
const removals = 20

func removeAll(path string) error {
	var err error
	for range removals {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
	}
	return err
}

// MoveTo gives a file or folder its name. When that fails, it is still to be
// removed.
func (t *Temporary) MoveTo(target string) error {
	defer teardown.Process.Hold()()
	if !filelock.Supported {
		t.File.Close() // such systems rename no open files
	}
	if err := os.Rename(t.Path, target); err != nil {
		return err
	}
	t.end()
	if filelock.Supported {
		return t.File.Close()
	}
	return nil
}

func (t *Temporary) end() {
	t.forget()
	t.forget = nil
}

// Remove removes a file or folder with all that is in it. It does nothing to
// one that has ended, so that it can be deferred.
func (t *Temporary) Remove() error {
	if t.forget == nil {
		return nil
	}
	defer t.end()
	if !filelock.Supported {
		t.File.Close()
		return t.erase()
	}
	return errors.Join(t.erase(), t.File.Close())
}

func (t *Temporary) erase() error {
	_, err := os.Lstat(t.Path) // RemoveAll says nothing of what is gone
	return errors.Join(err, removeAll(t.Path))
}

// removeStale removes what killed processes left in a folder. What cannot be
// removed stays: it does no harm.
func removeStale(dir string) {
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if ours.MatchString(e.Name()) && (e.IsDir() || e.Type().IsRegular()) {
			removeFree(inside(dir, e.Name()))
		}
	}
}

// removeFree removes a file or folder whose lock is free.
func removeFree(path string) {
	f, err := filelock.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if filelock.Try(f) == nil && filelock.At(f, path) {
		_ = removeAll(path)
	}
}
