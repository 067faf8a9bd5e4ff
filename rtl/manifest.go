// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"meshwright/internal/input"
)

// manifestName is the file by which an exported folder is known: a line for
// each file, its SHA-256 and its name, as sha256sum prints and checks them.
const manifestName = "MANIFEST"

// manifestTitle is the first line of a manifest.
const manifestTitle = "# written by meshwright export"

// buildFolder is where Makefiles put what they make, each in its own folder.
const buildFolder = "build"

// writeManifest lists the files of a folder.
func writeManifest(dir string) error {
	return writeFile(filepath.Join(dir, manifestName), func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, manifestTitle); err != nil {
			return err
		}
		return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == manifestName {
				return err
			}
			sum, err := sumOf(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s  %s\n", sum, filepath.ToSlash(name))
			return err
		})
	})
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// CheckExport demands that a folder is an earlier export and nothing else: it
// has a manifest, and every file in it is in the manifest and as it was
// written. What make built may be there. The error is an *input.Error that names
// the first other file.
func CheckExport(dir string) error {
	const want = "expected an earlier export, unchanged"
	sums, err := readManifest(dir)
	if err != nil {
		return input.At(dir, 0, want, "the folder has no %s of an export", manifestName)
	}
	return filepath.WalkDir(dir+string(filepath.Separator), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return input.Unreadable(path, err)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case entry.IsDir() && entry.Name() == buildFolder:
			return filepath.SkipDir
		case name == manifestName || entry.IsDir() && (name == "." || sums.below(name)):
			return nil
		case !entry.Type().IsRegular() || sums[name] == "":
			return input.At(filepath.Join(dir, name), 0, want+"; move it away", "is no file of the export")
		}
		sum, err := sumOf(path)
		switch {
		case err != nil:
			return input.Unreadable(path, err)
		case sum != sums[name]:
			return input.At(filepath.Join(dir, name), 0, want, "has changed since the export")
		}
		return nil
	})
}

// manifest has the sums of files by name.
type manifest map[string]string

// below reports whether files of the manifest are in a folder.
func (m manifest) below(folder string) bool {
	for name := range m {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

func readManifest(dir string) (manifest, error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums := manifest{}
	lines := bufio.NewScanner(f)
	if !lines.Scan() || lines.Text() != manifestTitle {
		return nil, fmt.Errorf("not the manifest of an export")
	}
	for lines.Scan() {
		if sum, name, ok := strings.Cut(lines.Text(), "  "); ok {
			sums[name] = sum
		}
	}
	return sums, lines.Err()
}
