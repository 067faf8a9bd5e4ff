// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"meshwright/internal/confine"
)

// Unreadable says in one sentence why a file cannot be read.
func Unreadable(path string, err error) *Error {
	return Unusable(path, err, "expected a file that can be read")
}

// Unusable says in one sentence why a file cannot be used, and what was expected of it.
func Unusable(path string, err error, want string) *Error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if errors.Is(err, confine.ErrOutside) {
		want = "expected a file of the request"
	}
	fault := At(path, 0, want, "%v", err)
	fault.cause = err
	return fault
}

// Locate adds file and line to an *Error that has none; other errors it
// returns as they are.
func Locate(err error, file string, line int) error {
	var fault *Error
	if errors.As(err, &fault) && fault.File == "" {
		return &Error{File: file, Line: line, What: fault.What, Want: fault.Want}
	}
	return err
}

// Rows calls row with the trimmed fields of every row of a CSV text in which #
// starts a comment line. form names the columns, "node,flits". A first row with
// these names is a header, see Header; it may name them in any order, and row gets
// the fields in the order of form. Every row has as many fields as form. All errors,
// also the errors that row returns, name file and line.
func Rows(file string, text []byte, form string, row func(fields []string, line int) error) error {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.TrimLeadingSpace = '#', -1, true
	columns := strings.Split(form, ",")
	var place []int // of each column in the rows; nil: their order is that of form
	for first := true; ; first = false {
		fields, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return BadCSV(file, form, err)
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		line, _ := reader.FieldPos(0)
		if first {
			var header bool
			var fault *Error
			if place, header, fault = Header(fields, columns, 0); fault != nil {
				return Locate(fault, file, line)
			}
			if header {
				continue
			}
		}
		if len(fields) != len(columns) {
			return At(file, line, WantRow(form, fields...), "%s", Count(len(fields), "column"))
		}
		if err := row(arranged(fields, place), line); err != nil {
			return Locate(err, file, line)
		}
	}
}

// BadCSV says in the words of users why a csv.Reader could not read a row of a text with the columns of form.
func BadCSV(file, form string, err error) *Error {
	var syntax *csv.ParseError
	switch {
	case !errors.As(err, &syntax):
		return Unreadable(file, err)
	case errors.Is(err, csv.ErrBareQuote):
		return At(file, syntax.Line, "expected "+form, "a quotation mark inside a field")
	case errors.Is(err, csv.ErrQuote):
		return At(file, syntax.Line, "expected "+form, "a field that begins with a quotation mark does not end with one")
	}
	return At(file, syntax.Line, "expected "+form, "no row of CSV: %v", syntax.Err)
}

// WantRow is what is expected where a row of a CSV text has too few or too many fields. If its only field looks like columns with other separators,
// such as the semicolons of spreadsheets in languages that write 1,5 for one and a half, it says that commas are expected.
func WantRow(form string, fields ...string) string {
	if len(fields) == 1 && separated(fields[0]) {
		return "expected " + form + ", separated by commas"
	}
	return "expected " + form
}

// separated reports whether a text is several words or numbers with semicolons, bars or blanks between them.
func separated(text string) bool {
	const enough = 1 << 10 // bytes of a row, which may be long
	parts := strings.FieldsFunc(text[:min(len(text), enough)], func(r rune) bool { return strings.ContainsRune(" \t;|", r) })
	none := func(part string) bool {
		first, _ := utf8.DecodeRuneInString(part)
		return first != '-' && !unicode.IsLetter(first) && !unicode.IsDigit(first)
	}
	return len(parts) > 1 && !slices.ContainsFunc(parts, none)
}

// arranged returns the fields of a row in the order of the columns.
func arranged(fields []string, place []int) []string {
	if place == nil {
		return fields
	}
	in := make([]string, len(place))
	for column, at := range place {
		in[column] = fields[at]
	}
	return in
}

// Count says how many there are: 1 column, 2 columns.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
