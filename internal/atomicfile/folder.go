// SPDX-License-Identifier: Apache-2.0

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/internal/scratch"
	"meshwright/internal/teardown"
)

// Folder is a folder being filled. Either Commit or Abort ends it; Abort does
// nothing from then on, so that it can be deferred.
type Folder struct {
	path   string // as the user named it
	target string
	work   *scratch.Temporary // beside the target
	made   []string           // parents that were missing, outermost first
	forget func()             // that the process removes them when it is interrupted
	mayGo  func() error       // why the folder at target must stay; nil: there is none
	ended  bool
}

// CreateFolder begins a folder that will be at path, which must not exist or be
// an empty folder other than the one in use. Missing parents are made. A
// symbolic link stays one: the folder that it leads to is replaced, or made.
// Errors name path.
func CreateFolder(path string) (*Folder, error) {
	target, err := folderTarget(path)
	if err != nil {
		return nil, err
	}
	defer teardown.Process.Hold()()
	f := &Folder{path: path, target: target}
	f.forget = teardown.Process.Add(f.removeMade) // after what is in them
	if err := f.makeParents(filepath.Dir(target)); err != nil {
		return nil, errors.Join(f.fault("create", err), f.Abort())
	}
	if err := f.makeWork(); err != nil {
		return nil, errors.Join(f.fault("create", err), f.Abort())
	}
	return f, nil
}

// CheckFolder returns the error that CreateFolder finds before it writes.
func CheckFolder(path string) error {
	_, err := folderTarget(path)
	return err
}

// folderTarget returns the name of the folder to fill, without links and dots
// when it exists.
func folderTarget(path string) (string, error) {
	fault := func(text string) error {
		return &fs.PathError{Op: "create", Path: path, Err: errors.New(text)}
	}
	if path == "" {
		return "", fault("no name")
	}
	target, err := Target(withoutSlashes(path))
	if err != nil {
		return "", err
	}
	target = withoutSlashes(target)
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) {
		if base := filepath.Base(target); base == "." || base == ".." {
			target = filepath.Clean(target) // no name for a new folder
		}
		return target, nil
	}
	if err != nil {
		return "", &fs.PathError{Op: "create", Path: path, Err: cause(err)}
	}
	if len(entries) > 0 {
		return "", fault("the folder is not empty")
	}
	if inUse(target) {
		return "", fault("the folder in use cannot be replaced")
	}
	return filepath.EvalSymlinks(target)
}

// withoutSlashes returns a folder's name without slashes at its end, which
// would hide that it is a symbolic link.
func withoutSlashes(path string) string {
	for len(path) > 1 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// inUse says whether a folder is the working directory.
func inUse(path string) bool {
	here, err := os.Stat(".")
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(here, there)
}

// makeParents makes a folder and those above it that are missing.
func (f *Folder) makeParents(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if above := filepath.Dir(dir); above != dir {
		if err := f.makeParents(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil // someone else made it meanwhile
		}
		return err
	}
	f.made = append(f.made, dir)
	return nil
}

// makeWork makes the temporary folder beside the target.
func (f *Folder) makeWork() (err error) {
	dir, base := filepath.Split(f.target)
	f.work, err = scratch.NewFolder(dir, base, 0o777)
	if errors.Is(err, fs.ErrNotExist) { // its parent is there: the file system takes no folders, as /proc
		return errors.New("the folder cannot be made")
	}
	return err
}

// Dir returns the temporary folder, to be filled.
func (f *Folder) Dir() string { return f.work.Path }

// Fault names the folder, as the user named it, in an error about a file in
// the temporary one. Other errors stay as they are.
func (f *Folder) Fault(err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	inside, ok := strings.CutPrefix(p.Path, f.work.Path)
	if !ok {
		return err
	}
	return &fs.PathError{Op: p.Op, Path: withoutSlashes(f.path) + inside, Err: p.Err}
}

// fault is an error of the folder itself; nil stays nil.
func (f *Folder) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.path, Err: cause(err)}
}

// Commit puts the folder at its path. When it fails, nothing is there that was
// not there before.
func (f *Folder) Commit() error {
	if f.ended {
		return &fs.PathError{Op: "commit", Path: f.path, Err: fs.ErrClosed}
	}
	if f.mayGo != nil {
		return f.replace()
	}
	defer teardown.Process.Hold()() // an empty folder is replaced, not lost
	if err := os.Remove(f.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(f.fault("commit", err), f.Abort())
	}
	if err := f.work.MoveTo(f.target); err != nil {
		return errors.Join(f.fault("commit", err), f.Abort())
	}
	f.ended = true
	f.forget()
	return nil
}

// Abort discards the files that were written, and the parent folders that were made for them.
func (f *Folder) Abort() error {
	if f.ended {
		return nil
	}
	f.ended = true
	defer f.forget()
	var err error
	if f.work != nil {
		err = f.fault("remove", f.work.Remove())
	}
	f.removeMade()
	return err
}

// removeMade removes the parents that were made.
func (f *Folder) removeMade() {
	for _, dir := range slices.Backward(f.made) {
		_ = os.Remove(dir) // others may have put something there: then it stays
	}
}
