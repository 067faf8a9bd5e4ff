// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/code"
	"meshwright/internal/input"
	"meshwright/router"
)

// columns of a file of faults; the last three may be missing or empty.
var columns = []string{"fault", "where", "from", "to", "bit"}

const (
	form    = "fault,where,from,to,bit"
	maxFile = 64 << 20 // bytes
	maxLine = 1 << 10
)

// addFile reads a file of faults.
func (l *List) addFile(file string) error {
	if file != input.Stdin && !strings.ContainsAny(file, "./") {
		return input.Errorf("expected "+Forms, "unknown fault %q", input.Clip(file))
	}
	text, err := input.ReadFileWithin(file, input.Bounds{Bytes: maxFile, Line: maxLine})
	if err != nil {
		return err
	}
	faults, err := ParseFile(file, text)
	if err == nil && len(faults) == 0 {
		err = input.At(file, 0, "expected rows of "+form, "no faults")
	}
	l.Faults = append(l.Faults, faults...)
	return err
}

// ParseFile reads the text of a file of faults; file is for errors, which are
// *input.Error:
//
//	fault,where,from,to,bit
//	node,5,0                 dead from cycle 0 on
//	link,3>4,100,200         dead in cycles 100 to 199
//	link,3-4,100             both directions
//	drop,3>4,17              loses the message whose head crosses in cycle 17
//	flip,3>4,17,,9           inverts bit 9 of the flit that crosses in cycle 17
//	upset,3>4,17,,9          inverts it in the buffer behind the link
func ParseFile(file string, text []byte) ([]Fault, error) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.TrimLeadingSpace = '#', -1, true
	r := rows{file: file}
	for {
		fields, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, input.BadCSV(file, form, err)
		}
		r.line, _ = reader.FieldPos(0)
		if err := r.row(fields); err != nil {
			return nil, input.Locate(err, file, r.line)
		}
	}
	return r.faults, nil
}

// Write writes a file of nodes that are dead from cycle 0 on, and of links that are so in
// both directions.
func Write(w io.Writer, faults []Fault) error {
	rows := csv.NewWriter(w)
	rows.Write(columns[:2])
	for _, f := range faults {
		where := decimal(int(f.From))
		if f.Kind == Link {
			where += "-" + decimal(int(f.To))
		}
		rows.Write([]string{string(f.Kind), where})
	}
	rows.Flush()
	return rows.Error()
}

// rows is the state between the rows of a file.
type rows struct {
	file   string
	line   int
	begun  bool
	place  []int // of each column in the rows; nil: they stand in their own order
	faults []Fault
}

// row reads a row: the header if it is the first, or a fault.
func (r *rows) row(fields []string) error {
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if !r.begun {
		r.begun = true
		place, header, fault := input.Header(fields, columns, 3)
		if fault != nil {
			return fault
		}
		if header {
			r.place = place
			return nil
		}
	}
	var in [5]string
	if len(fields) < 2 || len(fields) > len(columns) || r.place != nil && len(fields) > len(r.place) {
		return input.Errorf(input.WantRow(form, fields...), "%s", input.Count(len(fields), "column"))
	}
	for column := range columns {
		at := column
		if r.place != nil {
			at = r.place[column]
		}
		if at >= 0 && at < len(fields) {
			in[column] = fields[at]
		}
	}
	return r.add(in[0], in[1], in[2], in[3], in[4])
}

// add reads a fault.
func (r *rows) add(kind, where, from, to, bit string) error {
	kinds := []string{string(Node), string(Link), string(Drop), string(Flip), string(Upset)}
	if !slices.Contains(kinds, kind) {
		return input.Errorf(input.Suggest(kind, kinds), "unknown fault %q", input.Clip(kind))
	}
	f := Fault{Kind: Kind(kind), file: r.file, line: r.line}
	if err := f.times(from, to); err != nil {
		return err
	}
	if err := f.setBit(bit); err != nil {
		return err
	}
	ends := strings.FieldsFunc(where, func(c rune) bool { return c == '>' || c == '-' })
	want, both := 2, strings.Contains(where, "-")
	if f.Kind == Node {
		want = 1
	}
	form := map[int]string{1: "expected a node such as 5", 2: "expected a link such as 3>4, or 3-4 for both directions"}[want]
	if len(ends) != want || strings.Count(where, ">")+strings.Count(where, "-") != want-1 {
		return input.Errorf(form, "%s %q", kind, input.Clip(where))
	}
	nodes := make([]router.NodeID, want)
	for i, end := range ends {
		n, err := strconv.ParseUint(strings.TrimSpace(end), 10, 31)
		if err != nil {
			return input.Errorf(form, "%s %q", kind, input.Clip(where))
		}
		nodes[i] = router.NodeID(n)
	}
	f.From, f.To = nodes[0], nodes[want-1]
	r.faults = append(r.faults, f)
	if both {
		f.From, f.To = f.To, f.From
		r.faults = append(r.faults, f)
	}
	return nil
}

// times reads the cycles of a fault: a drop, flip or upset happens in one, all others
// last, from cycle 0 and for good if nothing else is said.
func (f *Fault) times(from, to string) (err error) {
	moment := f.Kind == Drop || f.hasBit()
	switch {
	case moment && from == "":
		return input.Errorf("expected the cycle", "%s without a cycle", f.Kind)
	case moment && to != "":
		return input.Errorf("expected an empty column to", "%s to cycle %q", f.Kind, input.Clip(to))
	}
	if f.Start, err = cycle(from, 0); err != nil {
		return err
	}
	if moment {
		f.End = f.Start + 1
		return nil
	}
	if f.End, err = cycle(to, Never); err != nil {
		return err
	}
	if f.End <= f.Start {
		return input.Errorf("expected a later end", "cycles %d to %d", f.Start, f.End)
	}
	return nil
}

// maxCycle bounds the cycles of a file, so that the ticks of a cycle can be counted.
const maxCycle = 1 << 50

// cycle reads a cycle; missing stands for an empty one.
func cycle(text string, missing router.Cycle) (router.Cycle, error) {
	if text == "" {
		return missing, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n > maxCycle {
		return 0, input.Errorf("expected a whole number from 0 to 2^50", "cycle %q", input.Clip(text))
	}
	return router.Cycle(n), nil
}

// hasBit reports whether a fault is of one bit.
func (f *Fault) hasBit() bool { return f.Kind == Flip || f.Kind == Upset }

// maxBit is the last bit of a payload; that of a payload in a buffer, with check bits.
var maxBit = map[Kind]uint64{Flip: maxWidth - 1, Upset: uint64(maxWidth - 1 + code.SECDED.Checks(maxWidth))}

// setBit reads the bit of a flip or upset.
func (f *Fault) setBit(text string) error {
	if !f.hasBit() {
		if text != "" {
			return input.Errorf("expected an empty column bit", "%s with bit %q", f.Kind, input.Clip(text))
		}
		return nil
	}
	bit, err := strconv.ParseUint(text, 10, 16)
	if err != nil || bit > maxBit[f.Kind] {
		return input.Errorf(fmt.Sprintf("expected 0 to %d", maxBit[f.Kind]), "bit %q", input.Clip(text))
	}
	f.Bit = int(bit)
	return nil
}
