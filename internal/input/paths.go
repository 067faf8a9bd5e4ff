// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"meshwright/internal/atomicfile"
	"meshwright/internal/confine"
)

// Paths are the files that one command line names. Files to write are judged
// before any work is done, so that a slip costs neither the work nor a file.
type Paths struct{ claims []claim }

// claim is a path and who named it.
type claim struct {
	by, path string
	info     fs.FileInfo // nil: there is no such file yet
}

// Read notes a file to read; by is the flag or argument that named it.
func (p *Paths) Read(by, path string) {
	info, err := confine.Stat(path)
	if err == nil {
		p.claims = append(p.claims, claim{by, path, info})
	}
}

// ReadFolder notes the files below a directory to read.
func (p *Paths) ReadFolder(by, dir string) {
	if confine.Check(dir) != nil {
		return // whoever opens it says so
	}
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		p.Read(by, path)
		return err
	})
}

// Write notes a file to write. The *Error says that it cannot be one: a
// directory, in no directory, or a file that is named already.
func (p *Paths) Write(by, path string) error {
	target, err := atomicfile.Target(path)
	if err != nil {
		return unwritable(path, err)
	}
	info, err := confine.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return At(path, 0, "expected a file to write, for "+by, "is a directory")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return unwritable(path, err)
	case err != nil:
		if err := inFolder(path, target); err != nil {
			return err
		}
	}
	for _, c := range p.claims {
		if sameFile(c, claim{by, target, info}) {
			return At(path, 0, "expected a file of its own for each", "named by %s and by %s", c.by, by)
		}
	}
	p.claims = append(p.claims, claim{by, target, info})
	return nil
}

// unwritable says in one sentence why a file cannot be written.
func unwritable(path string, err error) *Error {
	return Unusable(path, err, "expected the name of a file in a directory that exists")
}

// inFolder demands that there is a directory for a new file.
func inFolder(path, target string) error {
	dir, base := filepath.Split(target)
	if base == "" {
		return At(path, 0, "expected the name of a file", "is no file")
	}
	if dir == "" {
		dir = "."
	}
	if info, err := confine.Stat(dir); err != nil || !info.IsDir() {
		return At(path, 0, "expected a directory that exists", "there is no directory %s", filepath.Clean(dir))
	}
	return nil
}

// sameFile compares files; devices and pipes may be named twice.
func sameFile(a, b claim) bool {
	if a.info != nil && b.info != nil {
		return a.info.Mode().IsRegular() && os.SameFile(a.info, b.info)
	}
	return a.info == nil && b.info == nil && absolute(a.path) == absolute(b.path)
}

// absolute resolves the directory of a file that does not exist yet.
func absolute(path string) string {
	dir, base := filepath.Split(path)
	dir, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	if linked, err := filepath.EvalSymlinks(dir); err == nil {
		dir = linked
	}
	return filepath.Join(dir, base)
}

// WriteFolder demands that path is a new or an empty directory.
func WriteFolder(path string) error {
	err := atomicfile.CheckFolder(path)
	if err == nil {
		return nil
	}
	return Unusable(path, err, "expected a new or an empty folder")
}
