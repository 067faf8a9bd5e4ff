// SPDX-License-Identifier: Apache-2.0

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"meshwright/internal/scratch"
	"meshwright/internal/teardown"
)

// ReplaceFolder is CreateFolder for a path at which a folder may stand that
// mayGo allows to be replaced: mayGo returns why not, or nil. It is asked again
// before Commit puts the new folder in place of the old one.
func ReplaceFolder(path string, mayGo func() error) (*Folder, error) {
	if !occupied(path) {
		return CreateFolder(path)
	}
	if err := mayGo(); err != nil {
		return nil, err
	}
	target, err := Target(withoutSlashes(path))
	if err == nil {
		target, err = filepath.EvalSymlinks(withoutSlashes(target))
	}
	f := &Folder{path: path, target: target, mayGo: mayGo, forget: func() {}}
	switch {
	case err != nil:
		return nil, f.fault("replace", err)
	case inUse(target):
		return nil, &fs.PathError{Op: "replace", Path: path, Err: errors.New("the folder in use cannot be replaced")}
	}
	if err := f.makeWork(); err != nil {
		return nil, errors.Join(f.fault("create", err), f.Abort())
	}
	return f, nil
}

// occupied reports whether path is a folder with something in it.
func occupied(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) > 0
}

// replace puts the new folder in place of the old one, and removes that.
func (f *Folder) replace() error {
	if err := f.mayGo(); err != nil {
		return errors.Join(err, f.Abort())
	}
	if err := f.swap(exchange); err != nil {
		return errors.Join(f.fault("replace", err), f.Abort())
	}
	return f.Abort() // the temporary folder, if there still is one, is the old one
}

// swap puts the new folder in place of the old one: at once, by exchange, where
// the system can.
func (f *Folder) swap(exchange func(a, b string) error) error {
	defer teardown.Process.Hold()()
	if err := exchange(f.work.Path, f.target); err == nil {
		return nil
	}
	dir, base := filepath.Split(f.target)
	aside, err := scratch.NewFolder(dir, base, 0o700)
	if err != nil {
		return err
	}
	defer aside.Remove()
	old := filepath.Join(aside.Path, "old")
	if err := os.Rename(f.target, old); err != nil {
		return err
	}
	if err := f.work.MoveTo(f.target); err != nil {
		return errors.Join(err, os.Rename(old, f.target))
	}
	return nil
}
