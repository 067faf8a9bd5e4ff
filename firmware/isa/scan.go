// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// scan splits the text of the current file into statements, collects labels and .equ values, and reads the files that it includes. A label's
// address is, until layout, the number of its statement.
func (a *assembler) scan(text string) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		a.lines++
		if a.left < 0 {
			return
		}
		at := place{a.file.name(), number, a.lines}
		line = strings.TrimRight(line, " \t\r\n")
		text := withoutComment(line)
		if strings.Contains(text, "//") && !strings.Contains(text, `"`) {
			a.fail(at, syntaxError("comments begin with ; or #", "//"))
			continue
		}
		rest := a.scanLabels(at, text)
		if rest == "" {
			continue
		}
		word, operands := splitWord(rest)
		if strings.HasPrefix(word, ".") {
			a.directive(at, word, operands)
			continue
		}
		a.statements = append(a.statements, statement{at, line, word, splitOperands(operands), 0})
	}
}

// IsLine reports whether a line is assembler text, as its first word tells: a mnemonic, a directive or a label. So is a
// comment behind a semicolon.
func IsLine(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, ";") {
		return true
	}
	line = withoutComment(line)
	if name, _, ok := strings.Cut(line, ":"); ok && isName(strings.TrimSpace(name)) {
		return true
	}
	word, _ := splitWord(line)
	_, known := mnemonics[word]
	return known || slices.Contains(directives, word)
}

// withoutComment cuts the line where a comment begins; in quotes none does.
func withoutComment(line string) string {
	quoted := false
	for i := range len(line) {
		switch line[i] {
		case '"':
			quoted = !quoted
		case ';', '#':
			if !quoted {
				return strings.TrimSpace(line[:i])
			}
		}
	}
	return strings.TrimSpace(line)
}

// scanLabels takes the labels from the start of a line and returns the rest.
func (a *assembler) scanLabels(at place, line string) string {
	for {
		i := strings.IndexAny(line, `:"`)
		if i < 0 || line[i] == '"' {
			return line
		}
		name := strings.TrimSpace(line[:i])
		line = strings.TrimSpace(line[i+1:])
		if a.define(at, name, symbol{label: true, at: at}) {
			a.program.Labels = append(a.program.Labels, Label{name, Address(len(a.statements)), at.number, at.file})
		}
	}
}

// splitWord parts the first word from the rest, which begins at a blank or a quote.
func splitWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t\"")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// splitOperands parts operands at the commas.
func splitOperands(text string) []string {
	if text == "" {
		return nil
	}
	operands := strings.Split(text, ",")
	for k := range operands {
		operands[k] = strings.TrimSpace(operands[k])
	}
	return operands
}

// define enters a name, unless it is malformed, a register's, or taken.
func (a *assembler) define(at place, name string, s symbol) bool {
	if !isName(name) {
		a.fail(at, syntaxError("expected a letter or _, then letters, digits or _", "%s is not a name", quote(name)))
		return false
	}
	if _, ok := register(name); ok {
		a.fail(at, &Fault{quote(name) + " is a register", "expected another name", ErrName})
		return false
	}
	if first, ok := a.symbols[name]; ok {
		a.fail(at, &Fault{quote(name) + " is defined twice", "expected a new name; the first is on " + a.lineFrom(at, first.at), ErrName})
		return false
	}
	a.symbols[name] = s
	return true
}

// lineFrom names a line for a reader of another place.
func (a *assembler) lineFrom(from, of place) string {
	if of.file == from.file {
		return fmt.Sprintf("line %d", of.number)
	}
	return fmt.Sprintf("line %d of %s", of.number, cmp.Or(of.file, a.program.Name))
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z' || s[i] == '_'
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// directives are the words that begin with a dot.
var directives = []string{".equ", ".include"}

func (a *assembler) directive(at place, word, operands string) {
	switch word {
	case ".equ":
		a.equate(at, splitOperands(operands))
	case ".include":
		a.include(at, operands)
	default:
		a.fail(at, &Fault{"unknown directive " + quote(word), meant(word, directives, `.equ name, value or .include "FILE.s"`), ErrSyntax})
	}
}

// equate gives a name a value, which may use names that stand above it.
func (a *assembler) equate(at place, operands []string) {
	if len(operands) != 2 {
		a.fail(at, syntaxError("expected name, value", ".equ: %s", counted(len(operands), "operand")))
		return
	}
	name := operands[0]
	v, err := a.value(".equ", operands[1])
	if err == nil && (v < leastWide || v > mostWide) {
		err = outOfRange(".equ", "value", v, leastWide, mostWide)
	}
	if err != nil {
		a.fail(at, err)
	}
	// Defined even if its value is wrong, so that its uses are not reported too.
	if a.define(at, name, symbol{value: v, at: at}) {
		a.program.Values[name] = v
	}
}
