// SPDX-License-Identifier: Apache-2.0

// Package input holds what every reader of user input shares: errors that
// name the file and the line, and suggestions for misspelt names.
package input

import (
	"fmt"
	"strings"
)

// Error is a fault in something the user gave: a file, a flag, a value.
type Error struct {
	File   string // file name or flag, "" when there is none
	Line   int    // 1-based, 0 when there is none
	Column int    // 1-based, in characters, 0 when there is none
	Source string // the text of the line, to point at the column; "" when there is none
	What   string // what is wrong
	Want   string // what was expected, "" when What says it all

	cause error // why a file could not be read, nil when that is not it
}

// Unwrap returns why a file could not be read, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Error formats the fault as FILE:LINE:COLUMN: what is wrong (what was expected).
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(Name(e.File))
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.What)
	if e.Want != "" {
		fmt.Fprintf(&b, " (%s)", e.Want)
	}
	return b.String()
}

// Errorf makes an Error without a file; format describes what is wrong.
func Errorf(want, format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), Want: want}
}

// At makes an Error at a line of a file.
func At(file string, line int, want, format string, args ...any) *Error {
	return &Error{File: file, Line: line, What: fmt.Sprintf(format, args...), Want: want}
}

// Pointer returns the line of the fault, and below it a caret at its column; nil when that line is not known.
func (e *Error) Pointer() []string {
	runes := []rune(e.Source)
	if e.Column < 1 || e.Column > len(runes) {
		return nil
	}
	before := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(runes[:e.Column-1]))
	return []string{e.Source, before + "^"}
}

// clipped is how much of a text an error quotes.
const clipped = 60

// Clip shortens a text that is to be quoted in an error.
func Clip(text string) string {
	runes := []rune(text)
	if len(runes) <= clipped {
		return text
	}
	return string(runes[:clipped]) + "…"
}
