// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"meshwright/internal/input"
)

// Open opens a file that an .include names. Its path is that of the including file's folder and the name, joined with slashes; a name that
// begins with a slash stands alone.
type Open func(path string) (io.ReadCloser, error)

// AssembleFS assembles a file of files, which also holds the files that it includes.
func AssembleFS(files fs.FS, name string) (*Program, error) {
	if files == nil {
		return nil, input.At(name, 0, "expected the file and those that it includes", "no files")
	}
	open := func(path string) (io.ReadCloser, error) { return files.Open(path) }
	f, err := open(name)
	if err != nil {
		return nil, input.Unreadable(name, err)
	}
	defer f.Close()
	return AssembleFiles(name, f, open)
}

// Includes returns the files that the text and the files in it include, as far as they can be read.
func Includes(name string, r io.Reader, open Open) []string {
	a, err := scanned(name, r, open)
	if err != nil {
		return nil
	}
	return a.program.Files
}

// maxDepth bounds how deep files include one another: a file may reach itself by ever longer names.
const maxDepth = 64

// source is a file while its lines are read.
type source struct {
	path   string  // clean
	within *source // the file that includes it, nil: none
	depth  int
}

// place is a line of a file.
type place struct {
	file   string // "": the program's own
	number int    // from 1
	order  int    // among the lines of all files as they are read
}

// name returns the file's name in the places of its lines.
func (s *source) name() string {
	if s.within == nil {
		return ""
	}
	return s.path
}

// include reads the lines of a file in the place of the directive. Without the file names would be missing, so that what is wrong with
// includes is all that is reported.
func (a *assembler) include(at place, operand string) {
	file, text, err := a.included(operand)
	if err != nil {
		a.unread = append(a.unread, a.errorAt(at, err))
		return
	}
	if !slices.Contains(a.program.Files, file.path) {
		a.program.Files = append(a.program.Files, file.path)
	}
	outer := a.file
	a.file = file
	a.scan(text)
	a.file = outer
}

// included returns a file that an include names, and its text.
func (a *assembler) included(operand string) (*source, string, error) {
	name, err := fileName(operand)
	if err != nil {
		return nil, "", err
	}
	file := &source{resolve(a.file.path, name), a.file, a.file.depth + 1}
	if a.open == nil {
		return nil, "", includeFault("expected a program that is read from a file", "%s in a text that is no file", input.Clip(name))
	}
	for outer := a.file; outer != nil; outer = outer.within {
		if outer.path == file.path {
			return nil, "", includeFault("expected a file that does not include itself", "%s is in itself", input.Clip(file.path))
		}
	}
	if file.depth > maxDepth {
		return nil, "", includeFault(fmt.Sprintf("expected at most %d", maxDepth), "more files in one another with %s", input.Clip(file.path))
	}
	text, err := a.text(file.path)
	return file, text, err
}

// text returns the text of a file, which it reads once, within what Bounds leave of all files together.
func (a *assembler) text(path string) (string, error) {
	text, known := a.texts[path]
	if !known {
		var err error
		if text, err = readIncluded(path, a.open); err != nil {
			return "", err
		}
		a.texts[path] = text
	}
	if a.left -= int64(len(text)); a.left < 0 {
		return "", includeFault(fmt.Sprintf("expected at most %d in all files", bounds().Bytes), "more bytes with %s", input.Clip(path))
	}
	return text, nil
}

func readIncluded(path string, open Open) (string, error) {
	f, err := open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	text, err := input.ReadAll(path, f, bounds())
	if err != nil {
		return "", unreadable(path, err)
	}
	return string(text), nil
}

// unreadable says why a file cannot be included.
func unreadable(path string, err error) error {
	var cause *input.Error
	if !errors.As(err, &cause) {
		cause = input.Unreadable(path, err)
	}
	what := *cause
	what.File, what.Want = input.Clip(what.File), ""
	return &Fault{".include: " + what.Error(), cause.Want, err}
}

func includeFault(want, format string, args ...any) error {
	return &Fault{".include: " + fmt.Sprintf(format, args...), want, ErrInclude}
}

// fileName reads an include's operand: a name in double quotes, without escapes.
func fileName(operand string) (string, error) {
	const want = `expected "FILE.s"`
	name, opened := strings.CutPrefix(operand, `"`)
	name, closed := strings.CutSuffix(name, `"`)
	if !opened || !closed || name == "" || strings.Contains(name, `"`) {
		return "", syntaxError(want, ".include: %s is not a name in quotes", quote(operand))
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", syntaxError(want, ".include: %s is not the name of a file", quote(name))
	}
	return name, nil
}

// resolve returns the path of a file that the file from includes.
func resolve(from, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(path.Dir(from), name)
}
