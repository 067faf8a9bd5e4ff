// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"meshwright/router"
)

// A 32-bit value may be written signed or unsigned.
const leastWide, mostWide = math.MinInt32, math.MaxUint32

// operand reads one operand of a statement into the instruction.
func (a *assembler) operand(s *statement, o operand, text string, ins *Instruction) error {
	switch o.form {
	case asRegister:
		return readRegister(s, o.fields[0], text, ins)
	case asMemory:
		return a.readMemory(s, o, text, ins)
	case asTarget:
		offset, err := a.target(s, o.fields[0], text)
		return readField(ins, o.fields[0], offset, err)
	case asKind:
		v, err := readKind(s.mnemonic, text)
		return readField(ins, o.fields[0], v, err)
	default:
		v, err := a.value(s.mnemonic, text)
		return readField(ins, o.fields[0], v, err)
	}
}

// readField stores a value unless there was an error or it is out of the field's range.
func readField(ins *Instruction, f Field, v int64, err error) error {
	if err != nil {
		return err
	}
	if err := f.check(ins.Op, v); err != nil {
		return err
	}
	ins.store(f, int32(v))
	return nil
}

// register reads the name of a register.
func register(text string) (Reg, bool) {
	digits, ok := strings.CutPrefix(text, "r")
	n, err := strconv.ParseUint(digits, 10, 8)
	return Reg(n), ok && err == nil && n < Registers && digits == strconv.FormatUint(n, 10)
}

func readRegister(s *statement, f Field, text string, ins *Instruction) error {
	r, ok := register(text)
	if !ok {
		return syntaxError("expected r0..r15", "%s: %s %s is not a register", s.mnemonic, f.Name, quote(text))
	}
	ins.store(f, int32(r))
	return nil
}

// readMemory reads [ra], [ra+value] or [ra-value].
func (a *assembler) readMemory(s *statement, o operand, text string, ins *Instruction) error {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return syntaxError("expected "+o.syntax, "%s: %s is not a memory operand", s.mnemonic, quote(text))
	}
	base, offset := inner, ""
	if i := strings.IndexAny(inner, "+-"); i >= 0 {
		base, offset = inner[:i], inner[i:]
	}
	if err := readRegister(s, o.fields[0], strings.TrimSpace(base), ins); err != nil || offset == "" {
		return err
	}
	v, err := a.value(s.mnemonic, offset)
	return readField(ins, o.fields[1], v, err)
}

// target returns the distance to a label, or that of the form .+value.
func (a *assembler) target(s *statement, f Field, text string) (int64, error) {
	if offset, ok := strings.CutPrefix(text, "."); ok {
		return a.relative(s, offset, text)
	}
	if !isName(text) {
		return 0, notTarget(s, text)
	}
	to, ok := a.symbols[text]
	if !ok {
		return 0, a.undefined(s.mnemonic, text, true)
	}
	if !to.label {
		return 0, &Fault{s.mnemonic + ": " + quote(text) + " is an .equ value", "expected a label", ErrName}
	}
	return to.value - int64(s.address), nil
}

func (a *assembler) relative(s *statement, offset, text string) (int64, error) {
	offset = strings.TrimSpace(offset)
	switch {
	case offset == "":
		return 0, nil
	case offset[0] != '+' && offset[0] != '-':
		return 0, notTarget(s, text)
	}
	return a.value(s.mnemonic, offset)
}

func notTarget(s *statement, text string) error {
	return syntaxError("expected a label, .+n or .-n", "%s: %s is not a branch target", s.mnemonic, quote(text))
}

func readKind(mnemonic, text string) (int64, error) {
	if i := slices.Index(controlKinds, text); i >= 0 {
		return int64(fieldKind.Min) + int64(i), nil
	}
	return 0, syntaxError(meant(text, controlKinds, strings.Join(controlKinds, ", ")), "%s: unknown kind %s", mnemonic, quote(text))
}

// controlKinds are the names of the kinds of control word.
var controlKinds = func() []string {
	var names []string
	for kind := fieldKind.Min; kind <= fieldKind.Max; kind++ {
		names = append(names, router.Kind(kind).String())
	}
	return names
}()

// wide returns a value that fits 32 bits, signed or unsigned, as the signed number with the same bits.
func (a *assembler) wide(mnemonic, text string) (int32, error) {
	v, err := a.value(mnemonic, text)
	if err == nil && (v < leastWide || v > mostWide) {
		err = outOfRange(mnemonic, "value", v, leastWide, mostWide)
	}
	return int32(uint32(v)), err
}

// value returns the sum that the text is: numbers and .equ names with + and - between them, and perhaps before the first.
// No sum overflows: the terms have at most 33 bits each and stand in memory.
func (a *assembler) value(where, text string) (int64, error) {
	sum, rest := int64(0), strings.TrimSpace(text)
	for first := true; first || rest != ""; first = false {
		sign, term := int64(1), rest
		if strings.HasPrefix(rest, "-") {
			sign = -1
		}
		if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
			term = rest[1:]
		}
		term, rest = splitTerm(term)
		v, err := a.term(where, term, text)
		if err != nil {
			return 0, err
		}
		sum += sign * v
	}
	return sum, nil
}

// splitTerm parts what stands before the next sign from the rest.
func splitTerm(text string) (term, rest string) {
	i := strings.IndexAny(text, "+-")
	if i < 0 {
		i = len(text)
	}
	return strings.TrimSpace(text[:i]), text[i:]
}

// term returns the value of a number or of an .equ name.
func (a *assembler) term(where, term, whole string) (int64, error) {
	if !isName(term) {
		return number(where, term, whole)
	}
	s, ok := a.symbols[term]
	if !ok {
		return 0, a.undefined(where, term, false)
	}
	if s.label {
		return 0, &Fault{where + ": " + quote(term) + " is a label", "expected a number or the name of an .equ", ErrName}
	}
	return s.value, nil
}

func number(where, term, whole string) (int64, error) {
	digits, base := term, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(term), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err == nil {
		return int64(v), nil
	}
	if numError := err.(*strconv.NumError); numError.Err == strconv.ErrRange {
		return 0, &Fault{where + ": " + quote(term) + " is too large", "expected at most 32 bits", ErrRange}
	}
	return 0, syntaxError("expected a number, decimal or 0x…, or a name", "%s: %s is not a value", where, quote(whole))
}

// undefined reports a name that is not defined, with the nearest one that is and is of the right sort.
func (a *assembler) undefined(where, name string, label bool) error {
	what := "a number or the name of an .equ"
	if label {
		what = "a label"
	}
	return &Fault{where + ": " + quote(name) + " is not defined", meant(name, a.names(label), what), ErrName}
}

// names returns the labels, or the .equ names. In a long list of errors there is none, because finding the nearest of n names for n errors takes n² steps.
func (a *assembler) names(label bool) []string {
	const enough = 100
	if len(a.errs) >= enough {
		return nil
	}
	var names []string
	for name, s := range a.symbols {
		if s.label == label {
			names = append(names, name)
		}
	}
	return names
}
