// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"bytes"
	"io"
	"os"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
)

// Read reads a schedule file. Its errors are *input.Error.
func Read(path string) (*Schedule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, input.Unreadable(path, err)
	}
	defer f.Close()
	return Parse(path, f)
}

// Parse reads the exchange form; file is for errors, which are *input.Error.
// It judges form only: see Validate.
func Parse(file string, r io.Reader) (*Schedule, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, input.Unreadable(file, err)
	}
	p := parser{file: file, rows: make([]Row, 0, bytes.Count(text, []byte{'\n'})+1)}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		p.line++
		if err := p.parseLine(line); err != nil {
			return nil, err
		}
	}
	if len(p.rows) == 0 {
		return nil, input.At(file, 0, "expected rows of "+Columns, "no messages")
	}
	return &Schedule{File: file, Rows: p.rows}, nil
}

// parser is the state between lines.
type parser struct {
	file   string
	line   int
	begun  bool // a line that is no comment has been read
	rows   []Row
	routes []router.NodeID // room for the routes of further rows
}

func (p *parser) fault(want, format string, args ...any) error {
	return input.At(p.file, p.line, want, format, args...)
}

func (p *parser) parseLine(line []byte) error {
	if at := bytes.IndexByte(line, '#'); at >= 0 {
		line = line[:at]
	}
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	var fields [6][]byte
	n := 0
	for rest, more := line, true; more; n++ {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{','})
		if n < len(fields) {
			fields[n] = unquote(bytes.TrimSpace(field))
		}
	}
	first := !p.begun
	p.begun = true
	if first && string(fields[0]) == "message" {
		return p.checkHeader(fields[:min(n, 6)], n)
	}
	if n != 5 && n != 6 {
		return p.fault("expected "+Columns, "%s", input.Count(n, "column"))
	}
	return p.parseRow(&fields)
}

// unquote strips the quotes that spreadsheets put around text.
func unquote(field []byte) []byte {
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return field[1 : n-1]
	}
	return field
}

func (p *parser) checkHeader(fields [][]byte, n int) error {
	got := string(bytes.Join(fields, []byte{','}))
	if n > 6 || got != header && got != withRoutes {
		return p.fault("expected "+Columns, "header %q", strings.ToValidUTF8(got, "?"))
	}
	return nil
}

// columns are the numbers of a row and the values that fit them.
var columns = [5]struct {
	name string
	most int64
}{
	{"message", 1<<31 - 1}, {"source", 1<<31 - 1}, {"destination", 1<<31 - 1},
	{"flits", MaxFlits}, {"dispatch", int64(MaxDispatch)},
}

func (p *parser) parseRow(fields *[6][]byte) error {
	var v [5]int64
	for i := range v {
		n, ok := number(fields[i])
		if !ok {
			return p.fault("expected a whole number", "%s %q", columns[i].name, fields[i])
		}
		if n > columns[i].most {
			return p.fault("expected at most "+decimal(columns[i].most), "%s %q", columns[i].name, fields[i])
		}
		if n < -columns[i].most {
			return p.fault("expected 0 or more", "%s %q", columns[i].name, fields[i])
		}
		v[i] = n
	}
	route, err := p.parseRoute(fields[5])
	if err != nil {
		return err
	}
	p.rows = append(p.rows, Row{
		Message: int32(v[0]), Source: router.NodeID(v[1]), Destination: router.NodeID(v[2]),
		Flits: int(v[3]), Dispatch: router.Cycle(v[4]), Route: route, Line: p.line,
	})
	return nil
}

// parseRoute reads nodes joined by >. All routes share a few large arrays.
func (p *parser) parseRoute(field []byte) ([]router.NodeID, error) {
	if len(field) == 0 {
		return nil, nil
	}
	count := bytes.Count(field, []byte{'>'}) + 1
	if cap(p.routes)-len(p.routes) < count {
		p.routes = make([]router.NodeID, 0, max(count, 1<<14))
	}
	start := len(p.routes)
	for rest, more := field, true; more; {
		var text []byte
		text, rest, more = bytes.Cut(rest, []byte{'>'})
		text = bytes.TrimSpace(text)
		n, ok := number(text)
		if !ok || n > 1<<31-1 || n < -1<<31 {
			return nil, p.fault("expected nodes joined by >, such as 0>1>5", "route: %q is not a node", text)
		}
		p.routes = append(p.routes, router.NodeID(n))
	}
	return p.routes[start:len(p.routes):len(p.routes)], nil
}

// tooLarge is what number makes of all larger numbers: more than any column takes.
const tooLarge = 1 << 59

// number reads a decimal number.
func number(text []byte) (int64, bool) {
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int64(c-'0'), tooLarge)
	}
	if len(digits) != len(text) {
		n = -n
	}
	return n, true
}
