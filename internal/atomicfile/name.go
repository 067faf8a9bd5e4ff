// SPDX-License-Identifier: Apache-2.0

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"meshwright/internal/confine"
)

// maxLinks bounds the symbolic links that lead from one name to a file.
const maxLinks = 255

// Target follows path through symbolic links to the name of the file that is
// there, or that will be there once it is written: a link to nothing yet leads
// to its target. The directories of path stay as they are written. A loop of
// links is an *fs.PathError.
func Target(path string) (string, error) {
	if err := confine.Check(path); err != nil {
		return "", &fs.PathError{Op: "create", Path: path, Err: cause(err)}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return path, nil // a pipe or a device; links such as /dev/stdout name no file
	}
	target := path
	for range maxLinks {
		info, err := os.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) {
			return target, nil
		}
		if err != nil {
			return "", &fs.PathError{Op: "create", Path: path, Err: cause(err)}
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return target, nil
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", &fs.PathError{Op: "create", Path: path, Err: cause(err)}
		}
		if !filepath.IsAbs(next) {
			// Not filepath.Join: it takes "link/.." away, which need not be the same place.
			dir, _ := filepath.Split(target)
			next = dir + next
		}
		target = next
	}
	return "", &fs.PathError{Op: "create", Path: path, Err: syscall.ELOOP}
}

// cause strips the operation and the temporary name off an error.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
