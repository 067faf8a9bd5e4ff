// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// Read reads a schedule file. Its errors are *input.Error.
func Read(path string) (*Schedule, error) { return ReadWithin(context.Background(), path) }

// ReadWithin is [Read] until the context ends. Its errors are also the context's, and a
// *memory.TooLarge when the schedule goes beyond the context's limit.
func ReadWithin(ctx context.Context, path string) (*Schedule, error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(ctx, path, f, fileSize(f))
}

// fileSize returns the bytes of a file, 0 when they are not known.
func fileSize(r io.Reader) int64 {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// Parse reads the exchange form; file is for errors, which are *input.Error.
// It judges form only: see Validate.
func Parse(file string, r io.Reader) (*Schedule, error) {
	return parse(context.Background(), file, r, 0)
}

// maxRows bounds the messages of a schedule. A line has a route of at most maxLine bytes.
const (
	maxRows = 1 << 27
	maxLine = 64 << 20
)

// rowBytes is the memory of a message while the list of rows is copied to a longer one.
const rowBytes = 2 * int(unsafe.Sizeof(Row{}))

func parse(ctx context.Context, file string, r io.Reader, size int64) (*Schedule, error) {
	p := parser{file: file, size: size}
	err := input.Lines(file, r, input.Bounds{Bytes: math.MaxInt64, Line: maxLine}, func(line []byte, number int) error {
		p.line, p.read = number, p.read+int64(len(line))
		if number&4095 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(p.rows) == cap(p.rows) {
			if err := p.grow(ctx); err != nil {
				return err
			}
		}
		return p.parseLine(line)
	})
	if err != nil {
		return nil, err
	}
	if len(p.rows) == 0 {
		return nil, input.At(file, 0, "expected rows of "+columnsShown, "no messages")
	}
	return &Schedule{File: file, Rows: p.rows}, nil
}

// grow makes room for as many rows again, or for those that the rest of a large file has, about.
func (p *parser) grow(ctx context.Context) error {
	if len(p.rows) >= maxRows {
		return p.fault("expected at most "+strconv.Itoa(maxRows), "more messages")
	}
	more := max(1<<10, len(p.rows))
	const sample = 1 << 16 // rows that show how long the others are
	if rest := p.size - p.read; len(p.rows) >= sample && rest > 0 {
		more = min(maxRows, max(1<<10, int(1.02*float64(rest)/float64(p.read)*float64(len(p.rows)))))
	}
	if err := memory.Need(ctx, "the schedule "+p.file, memory.Bytes(more*rowBytes)); err != nil {
		return err
	}
	p.rows = slices.Grow(p.rows, more)
	return nil
}

// parser is the state between lines.
type parser struct {
	file   string
	line   int
	size   int64 // of the file in bytes, 0 when it is not known
	read   int64 // bytes
	begun  bool  // a line that is no comment has been read
	place  []int // of each column in the rows; nil: they stand in their own order
	width  int   // columns of the header; 0: there is none, or it has all in their own order
	rows   []Row
	routes []router.NodeID // room for the routes of further rows
	blocks Blocks          // and for their blocks
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
	var fields rowFields
	n := 0
	for rest, more := line, true; more; n++ {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{','})
		if n < len(fields) {
			fields[n] = unquote(bytes.TrimSpace(field))
		}
	}
	if !p.begun {
		p.begun = true
		if header, err := p.parseHeader(line); header || err != nil {
			return err
		}
	}
	if p.place != nil {
		return p.parseArranged(&fields, n)
	}
	switch n {
	case 1:
		return p.fault(input.WantRow(columnsShown, string(fields[0])), "1 column")
	case 5, 6, 7:
		if n > p.width && p.width > 0 {
			return p.fault("expected "+strconv.Itoa(p.width)+", as in the header", "%s", input.Count(n, "column"))
		}
	default:
		return p.fault("expected "+columnsShown, "%s", input.Count(n, "column"))
	}
	return p.parseRow(&fields)
}

// trafficColumns are those of a trace of packets, which is no schedule.
var trafficColumns = [...]string{"cycle", "source", "destination", "flits"}

// required is how many columns every schedule has; routes and blocks stand behind them.
const required, columnOfRoute, columnOfBlocks = 5, 5, 6

// rowFields are the columns of a row.
type rowFields [required + 2][]byte

// parseHeader reads the names of the columns, if the first line has them. Routes and blocks
// are optional.
func (p *parser) parseHeader(line []byte) (header bool, err error) {
	const most = 24 // no header has so many
	var names []string
	for _, field := range bytes.SplitN(line, []byte{','}, most) {
		names = append(names, string(unquote(bytes.TrimSpace(field))))
	}
	if slices.Equal(names, trafficColumns[:]) {
		return true, p.fault("expected "+columnsShown+"; traffic --pattern trace:FILE runs such a trace", "a trace of packets")
	}
	place, header, fault := input.Header(names, strings.Split(withAll, ","), len(rowFields{})-required)
	if fault != nil {
		return header, input.Locate(fault, p.file, p.line)
	}
	if header && !ordered(place) {
		p.place = place
	}
	if header && len(names) < len(place) || p.place != nil {
		p.width = len(names)
	}
	return header, nil
}

// ordered reports whether the columns of a header stand in their own order, and none is left out before another.
func ordered(place []int) bool {
	for column, at := range place {
		if at != column && (at >= 0 || column < len(place)-1 && place[column+1] >= 0) {
			return false
		}
	}
	return true
}

// parseArranged reads a row whose columns stand in the header's order. Routes and blocks at the end
// of a row may be left out.
func (p *parser) parseArranged(fields *rowFields, n int) error {
	least := p.width
	for least > required && (p.place[columnOfRoute] == least-1 || p.place[columnOfBlocks] == least-1) {
		least--
	}
	if n < least || n > p.width {
		return p.fault("expected "+strconv.Itoa(p.width)+", as in the header", "%s", input.Count(n, "column"))
	}
	var arranged rowFields
	for column, at := range p.place {
		if at >= 0 {
			arranged[column] = fields[at]
		}
	}
	return p.parseRow(&arranged)
}

// unquote strips the quotes that spreadsheets put around text.
func unquote(field []byte) []byte {
	if n := len(field); n >= 2 && field[0] == '"' && field[n-1] == '"' {
		return field[1 : n-1]
	}
	return field
}

// columns are the numbers of a row and the values that fit them.
var columns = [required]struct {
	name string
	most int64
}{
	{"message", 1<<31 - 1}, {"source", 1<<31 - 1}, {"destination", 1<<31 - 1},
	{"flits", MaxFlits}, {"dispatch", int64(MaxDispatch)},
}

func (p *parser) parseRow(fields *rowFields) error {
	var v [required]int64
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
	route, err := p.parseRoute(fields[columnOfRoute])
	if err != nil {
		return err
	}
	blocks, err := p.parseBlocks(fields[columnOfBlocks])
	if err != nil {
		return err
	}
	p.rows = append(p.rows, Row{
		Message: int32(v[0]), Source: router.NodeID(v[1]), Destination: router.NodeID(v[2]),
		Flits: int(v[3]), Dispatch: router.Cycle(v[4]), Route: route, Blocks: blocks, Line: p.line,
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
			want := "expected nodes joined by >, such as 0>1>5"
			if bytes.ContainsAny(text, "+-") {
				want += "; blocks are another column, behind it"
			}
			return nil, p.fault(want, "route: %q is not a node", text)
		}
		p.routes = append(p.routes, router.NodeID(n))
	}
	return p.routes[start:len(p.routes):len(p.routes)], nil
}

// tooLarge is the result of number for all larger numbers. It is more than any column takes.
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
