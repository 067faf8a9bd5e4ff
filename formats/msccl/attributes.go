// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"

	"meshwright/internal/input"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Bounds of what a file may say, so that a slip is an error and not a machine
// out of memory.
const (
	maxNumber = 1 << 20
	maxChunks = 1 << 20
	maxRanks  = 1 << 14
)

// attributes are the attributes of one element. The parser asks for each of them once. The
// first fault is kept, and done returns it; without a fault done names the attributes that
// nobody asked for.
type attributes struct {
	p       *parser
	element string
	given   []xml.Attr
	known   []string
	err     error
}

func (p *parser) attributes(start xml.StartElement) *attributes {
	return &attributes{p: p, element: start.Name.Local, given: start.Attr}
}

func (a *attributes) fault(want, format string, args ...any) {
	if a.err == nil {
		a.err = a.p.fault(want, format, args...)
	}
}

// has reports whether an attribute that may be left out is there.
func (a *attributes) has(name string) bool {
	a.known = append(a.known, name)
	return slices.ContainsFunc(a.given, func(x xml.Attr) bool { return x.Name.Space == "" && x.Name.Local == name })
}

// text returns an attribute that must be there.
func (a *attributes) text(name string) string {
	a.known = append(a.known, name)
	for _, x := range a.given {
		if x.Name.Space == "" && x.Name.Local == name {
			return x.Value
		}
	}
	a.fault("expected "+name+`="…"`, "<%s> without %s", a.element, name)
	return ""
}

// oneOf returns an attribute that is one of the values; on a fault the first.
func (a *attributes) oneOf(name string, values ...string) string {
	text := a.text(name)
	if !slices.Contains(values, text) {
		a.fault("expected "+input.Or(values), "%s %s=%q", a.element, name, input.Clip(text))
		return values[0]
	}
	return text
}

// number returns a whole number between least and most.
func (a *attributes) number(name string, least, most int) int {
	text := a.text(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		a.fault(fmt.Sprintf("expected a whole number from %d to %d", least, most), "%s %s=%q", a.element, name, input.Clip(text))
		return max(least, 0)
	}
	return n
}

// size returns a number of bytes that may be left out: 0.
func (a *attributes) size(name string) int64 {
	if !a.has(name) {
		return 0
	}
	text := a.text(name)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		a.fault("expected a number of bytes", "%s %s=%q", a.element, name, input.Clip(text))
	}
	return n
}

// rank returns a rank.
func (a *attributes) rank(name string) int {
	text := a.text(name)
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		a.fault("expected a rank", "%s %s=%q", a.element, name, input.Clip(text))
	case n < 0 || n >= a.p.algorithm.Ranks:
		a.fault(fmt.Sprintf("expected 0 to %d, by ngpus", a.p.algorithm.Ranks-1), "%s %s=%q: there is no rank %d", a.element, name, input.Clip(text), n)
	}
	return n
}

// peer returns another rank, or -1 for none.
func (a *attributes) peer(name string, rank int) int {
	ranks := a.p.algorithm.Ranks
	text := a.text(name)
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		a.fault("expected a rank, or -1 for none", "%s %s=%q", a.element, name, input.Clip(text))
	case n < -1 || n >= ranks:
		a.fault(fmt.Sprintf("expected -1, or 0 to %d", ranks-1), "tb %s=%q: there is no rank %d", name, input.Clip(text), n)
	case n == rank:
		a.fault("expected another rank, or -1", "tb %s=%q is its own rank", name, input.Clip(text))
	}
	return n
}

// done returns the first fault: one that was met, an attribute that stands
// twice, or one that is not known.
func (a *attributes) done() error {
	for i, x := range a.given {
		name := x.Name.Local
		if x.Name.Space != "" {
			name = x.Name.Space + ":" + name
		}
		if !slices.Contains(a.known, name) {
			return a.p.fault(input.Suggest(name, a.unique()), "unknown attribute %q of <%s>", input.Clip(name), a.element)
		}
		if slices.ContainsFunc(a.given[:i], func(y xml.Attr) bool { return y.Name == x.Name }) {
			return a.p.fault("expected it once", "attribute %q of <%s> stands twice", name, a.element)
		}
	}
	return a.err
}

// unique lists the known names, each once.
func (a *attributes) unique() []string {
	var names []string
	for _, name := range a.known {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
