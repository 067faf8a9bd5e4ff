// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"fmt"
	"strings"
)

// scan splits the text into statements and collects labels and .equ values. A label's address is, until layout, the number of its statement.
func (a *assembler) scan(text string) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		rest := a.scanLabels(number, withoutComment(line))
		if rest == "" {
			continue
		}
		word, operands := splitStatement(rest)
		if strings.HasPrefix(word, ".") {
			a.directive(number, word, operands)
			continue
		}
		a.statements = append(a.statements, statement{Line{number, line}, word, operands, 0})
	}
}

func withoutComment(line string) string {
	if i := strings.IndexAny(line, ";#"); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSpace(line)
}

// scanLabels takes the labels from the start of a line and returns the rest.
func (a *assembler) scanLabels(number int, line string) string {
	for {
		name, rest, ok := strings.Cut(line, ":")
		if !ok {
			return line
		}
		name, line = strings.TrimSpace(name), strings.TrimSpace(rest)
		if a.define(number, name, symbol{label: true, line: number}) {
			a.program.Labels = append(a.program.Labels, Label{name, Address(len(a.statements)), number})
		}
	}
}

// splitStatement parts the first word from the operands between the commas.
func splitStatement(text string) (word string, operands []string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, nil
	}
	operands = strings.Split(text[i:], ",")
	for k := range operands {
		operands[k] = strings.TrimSpace(operands[k])
	}
	return text[:i], operands
}

// define enters a name, unless it is malformed, a register's, or taken.
func (a *assembler) define(line int, name string, s symbol) bool {
	if !isName(name) {
		a.fail(line, syntaxError("expected a letter or _, then letters, digits or _", "%s is not a name", quote(name)))
		return false
	}
	if _, ok := register(name); ok {
		a.fail(line, &Fault{quote(name) + " is a register", "expected another name", ErrName})
		return false
	}
	if first, ok := a.symbols[name]; ok {
		a.fail(line, &Fault{quote(name) + " is defined twice", fmt.Sprintf("expected a new name; the first is on line %d", first.line), ErrName})
		return false
	}
	a.symbols[name] = s
	return true
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

// directive handles .equ, the only one. Its value may use names that stand above it.
func (a *assembler) directive(line int, word string, operands []string) {
	if word != ".equ" {
		a.fail(line, &Fault{"unknown directive " + quote(word), meant(word, []string{".equ"}, ".equ name, value"), ErrSyntax})
		return
	}
	if len(operands) != 2 {
		a.fail(line, syntaxError("expected name, value", ".equ: %s", counted(len(operands), "operand")))
		return
	}
	v, err := a.value(word, operands[1])
	if err == nil && (v < leastWide || v > mostWide) {
		err = outOfRange(word, "value", v, leastWide, mostWide)
	}
	if err != nil {
		a.fail(line, err)
	}
	// Defined even if its value is wrong, so that its uses are not reported too.
	a.define(line, operands[0], symbol{value: v, line: line})
}
