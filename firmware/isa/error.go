// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"errors"
	"fmt"
	"strings"

	"meshwright/internal/input"
)

// Every error of this package wraps one of these, except errors of a reader or writer.
var (
	ErrOpcode = errors.New("unknown instruction")
	ErrUnused = errors.New("unused field is not zero")
	ErrRange  = errors.New("value out of range")
	ErrName   = errors.New("name undefined, repeated or of the wrong sort")
	ErrSyntax = errors.New("syntax error")

	ErrInclude = errors.New("file cannot be included")
)

// Fault is one thing that is wrong. Its text is "What (Want)".
type Fault struct {
	What  string
	Want  string // "expected …" or "did you mean …?"
	Cause error  // one of the sentinels above
}

func (f *Fault) Error() string { return f.What + " (" + f.Want + ")" }

// Unwrap returns the sentinel.
func (f *Fault) Unwrap() error { return f.Cause }

// Error is a fault in a line of assembler text.
type Error struct {
	Name string // of the source, as given to Assemble, or the path of an included file
	Line int    // from 1
	Err  error

	order int // of the line among the lines of all files
}

func (e *Error) Error() string {
	if e == nil {
		return "no error"
	}
	return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err)
}

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.Err }

// ErrorList has all errors of a source, in the order of its lines and of the lines that it
// includes.
type ErrorList []*Error

// Error returns the first ten errors, one a line, and how many more there are.
func (l ErrorList) Error() string { return input.List(l.Unwrap()).Error() }

// Unwrap returns the errors for errors.Is and errors.As.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

func syntaxError(want, format string, args ...any) error {
	return &Fault{fmt.Sprintf(format, args...), want, ErrSyntax}
}

// meant returns "did you mean …?" if a name is near, otherwise "expected " and what.
func meant(word string, names []string, what string) string {
	if name := input.Nearest(word, names); name != "" {
		return "did you mean " + quote(name) + "?"
	}
	return "expected " + what
}

// quote quotes a piece of the source, cut short if it is long.
func quote(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], "?"))
	}
	return fmt.Sprintf("%q", s)
}
