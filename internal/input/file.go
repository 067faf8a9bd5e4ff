// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ReadFile reads a file that the user named, without the byte-order mark that
// some editors put in front. Its errors are *Error.
func ReadFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// Unreadable says in one sentence why a file cannot be read.
func Unreadable(path string, err error) *Error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return At(path, 0, "expected a file that can be read", "%v", err)
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
// starts a comment line. form names the columns, "node,flits"; a first row that
// begins with the first of these names is a header. Every row has as many
// fields as form. The errors, those of row included, name file and line.
func Rows(file string, text []byte, form string, row func(fields []string, line int) error) error {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.TrimLeadingSpace = '#', -1, true
	columns := strings.Split(form, ",")
	for first := true; ; first = false {
		fields, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return At(file, syntax.Line, "expected "+form, "%v", syntax.Err)
		}
		if err != nil {
			return Unreadable(file, err)
		}
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		line, _ := reader.FieldPos(0)
		if first && fields[0] == columns[0] {
			continue
		}
		if len(fields) != len(columns) {
			return At(file, line, "expected "+form, "%s", Count(len(fields), "column"))
		}
		if err := row(fields, line); err != nil {
			return Locate(err, file, line)
		}
	}
}

// Count says how many there are: 1 column, 2 columns.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
