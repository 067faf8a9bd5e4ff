// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"meshwright/internal/escape"
	"meshwright/internal/input"
)

// Program is assembled text. It is not changed once assembled, so that many PEs may share one.
type Program struct {
	Name   string
	Code   []uint32
	Source []Line           // Source[a] is where Code[a] comes from
	Labels []Label          // in the order of the source
	Values map[string]int64 // of the .equ names
	Files  []string         // that the source includes, each once, in their order
}

// Line is a line of the source.
type Line struct {
	Number int    // from 1
	Text   string // without blanks at the end
	File   string // the included file that it is in, "": the program's own
}

// Label is a name for an address.
type Label struct {
	Name    string
	Address Address // 0..len(Code)
	Line    int
	File    string // the included file that it is in, "": the program's own
}

// Lookup returns the address of a label.
func (p *Program) Lookup(label string) (Address, bool) {
	for _, l := range p.Labels {
		if l.Name == label {
			return l.Address, true
		}
	}
	return 0, false
}

// Position returns "name:line" of an instruction, with the name of the file that it is in, or "name+address" if it has no source line.
func (p *Program) Position(a Address) string {
	if a < 0 || int(a) >= len(p.Source) {
		return fmt.Sprintf("%s%+d", p.Name, a)
	}
	line := p.Source[a]
	return fmt.Sprintf("%s:%d", cmp.Or(line.File, p.Name), line.Number)
}

// Stray returns an input.List of the branches that lead out of the program: to an address below 0, or beyond the address behind the last
// word, where a PE stops; nil: there are none.
func (p *Program) Stray() error {
	var stray input.List
	for address, word := range p.Code {
		i, err := Decode(word)
		if to := address + int(i.Imm); err == nil && i.branches() && (to < 0 || to > len(p.Code)) {
			fault := &Fault{fmt.Sprintf("%v to address %d, outside the program", i.Op, to), fmt.Sprintf("expected 0..%d", len(p.Code)), ErrRange}
			stray = append(stray, fmt.Errorf("%s: %w", p.Position(Address(address)), fault))
		}
	}
	return stray.Err()
}

// Listing writes one row for each word: its address (decimal, as in Disassemble's labels), the word in hexadecimal, number and text of its source line;
// the number of a line of an included file stands behind the file's name.
// A label on a line of its own has a row without a word. The second word of a pseudo-instruction repeats the line.
func Listing(w io.Writer, p *Program) error {
	if p == nil {
		return &Fault{"no program", "expected assembled text", ErrSyntax}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "address\tword\tline\tsource\n")
	labels := slices.Clone(p.Labels)
	slices.SortStableFunc(labels, func(a, b Label) int { return int(a.Address - b.Address) })
	for address, word := range p.Code {
		var line Line
		if address < len(p.Source) {
			line = p.Source[address]
		}
		labels = listLabels(table, labels, Address(address), line)
		fmt.Fprintf(table, "%d\t%08x\t%s\t%s\n", address, word, whence(line.File, line.Number), printable(line.Text))
	}
	listLabels(table, labels, Address(len(p.Code)), Line{})
	return table.Flush()
}

// listLabels writes the labels up to an address, except those that stand on the instruction's own line, and returns the others.
func listLabels(w io.Writer, labels []Label, upTo Address, own Line) []Label {
	for len(labels) > 0 && labels[0].Address <= upTo {
		if l := labels[0]; l.Line != own.Number || l.File != own.File {
			fmt.Fprintf(w, "%d\t\t%s\t%s:\n", l.Address, whence(l.File, l.Line), l.Name)
		}
		labels = labels[1:]
	}
	return labels
}

// whence returns the position of a line as listings print it.
func whence(file string, line int) string {
	if file == "" {
		return strconv.Itoa(line)
	}
	return printable(file) + ":" + strconv.Itoa(line)
}

// printable replaces what tabwriter or a terminal would take for a command.
func printable(text string) string { return escape.Line(strings.ReplaceAll(text, "\t", "    ")) }
