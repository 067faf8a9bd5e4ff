// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"meshwright/internal/input"
)

// bounds limits assembler text, with all included files: 16 MiB.
func bounds() input.Bounds { return input.Bounds{Bytes: 16 << 20, Line: 16 << 20} }

// Assemble reads assembler text; name stands for it in errors. If the text is wrong the error is an ErrorList with all that is wrong;
// if it is none, or beyond 16 MiB, an *input.Error. The text includes no files: see AssembleFiles.
// Reference describes the language.
func Assemble(name string, r io.Reader) (*Program, error) { return AssembleFiles(name, r, nil) }

// AssembleFiles is [Assemble] of text that may include files, which open opens; name is the path of the text, and files that it includes
// are looked for in its folder.
func AssembleFiles(name string, r io.Reader, open Open) (*Program, error) {
	a, err := scanned(name, r, open)
	if err != nil {
		return nil, err
	}
	if len(a.unread) > 0 {
		return nil, a.unread
	}
	a.layout()
	a.emit()
	if len(a.errs) > 0 {
		slices.SortStableFunc(a.errs, func(x, y *Error) int { return x.order - y.order })
		return nil, a.errs
	}
	return a.program, nil
}

// assembler works in three passes: scan collects names and statements, layout gives them addresses, emit makes words.
type assembler struct {
	program    *Program
	statements []statement
	symbols    map[string]symbol
	errs       ErrorList

	open   Open              // nil: no files
	file   *source           // being read
	texts  map[string]string // of included files, by path
	left   int64             // bytes that may yet be included
	lines  int               // read so far, in all files
	unread ErrorList         // includes that failed
}

// scanned returns an assembler that has read the text and what it includes.
func scanned(name string, r io.Reader, open Open) (*assembler, error) {
	text, err := input.ReadAll(name, r, bounds())
	if err != nil {
		return nil, err
	}
	a := &assembler{
		program: &Program{Name: name, Values: map[string]int64{}}, symbols: map[string]symbol{},
		open: open, file: &source{path: path.Clean(name)}, texts: map[string]string{}, left: bounds().Bytes - int64(len(text)),
	}
	a.scan(string(text))
	return a, nil
}

// statement is an instruction or pseudo-instruction as written.
type statement struct {
	at       place
	text     string
	mnemonic string
	operands []string
	address  Address
}

// symbol is the meaning of a name: a label's statement, later its address, or the value of an
// .equ.
type symbol struct {
	label bool
	value int64
	at    place
}

// fail notes an error, or each of several that errors.Join has joined.
func (a *assembler) fail(at place, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			a.fail(at, e)
		}
		return
	}
	a.errs = append(a.errs, a.errorAt(at, err))
}

// errorAt says where an error is.
func (a *assembler) errorAt(at place, err error) *Error {
	return &Error{cmp.Or(at.file, a.program.Name), at.number, err, at.order}
}

// layout gives each statement its address, then each label the address of its statement.
func (a *assembler) layout() {
	next := Address(0)
	for i := range a.statements {
		a.statements[i].address = next
		next += a.size(&a.statements[i])
	}
	for i := range a.program.Labels {
		l := &a.program.Labels[i]
		if at := int(l.Address); at < len(a.statements) {
			l.Address = a.statements[at].address
		} else {
			l.Address = next
		}
		label := a.symbols[l.Name]
		label.value = int64(l.Address)
		a.symbols[l.Name] = label
	}
}

// size returns the number of words of a statement; a wrong one counts as one.
func (a *assembler) size(s *statement) Address {
	if !s.loads() || len(s.operands) != 2 {
		return 1
	}
	if v, err := a.wide(s.mnemonic, s.operands[1]); err == nil && fieldImm22.check(Li, int64(v)) != nil {
		return 2
	}
	return 1
}

// loads says whether the statement is li or la, which take any 32-bit value.
func (s *statement) loads() bool { return s.mnemonic == "la" || s.mnemonic == Li.String() }

func (a *assembler) emit() {
	for i := range a.statements {
		s := &a.statements[i]
		instructions, err := a.instructions(s)
		if err != nil {
			a.fail(s.at, err)
			continue
		}
		for _, ins := range instructions {
			word, err := ins.Encode()
			if err != nil {
				a.fail(s.at, err)
			}
			a.program.Code = append(a.program.Code, word)
			a.program.Source = append(a.program.Source, Line{s.at.number, s.text, s.at.file})
		}
	}
}

// instructions returns the instructions of a statement.
func (a *assembler) instructions(s *statement) ([]Instruction, error) {
	op, ok := mnemonics[s.mnemonic]
	if !ok {
		return nil, &Fault{"unknown instruction " + quote(s.mnemonic), meant(s.mnemonic, mnemonicList, "one of "+strings.Join(mnemonicList, ", ")), ErrOpcode}
	}
	if err := s.checkCount(op); err != nil {
		return nil, err
	}
	if s.loads() {
		return a.load(s)
	}
	ins, wrong := Instruction{Op: op}, []error(nil)
	for i, text := range s.operands {
		if err := a.operand(s, table[op].operands[i], text, &ins); err != nil {
			wrong = append(wrong, err)
		}
	}
	return []Instruction{ins}, errors.Join(wrong...)
}

// mnemonics has the pseudo-instruction la stand beside li, whose operands it shares.
var mnemonics = func() map[string]Opcode {
	m := map[string]Opcode{"la": Li}
	for op := range Opcode(opcodes) {
		m[op.String()] = op
	}
	return m
}()

var mnemonicList = func() []string {
	var list []string
	for op := range Opcode(opcodes) {
		list = append(list, op.String())
	}
	return append(list, "la")
}()

func (s *statement) checkCount(op Opcode) error {
	if table[op].accepts(len(s.operands)) {
		return nil
	}
	want := "none"
	if len(table[op].operands) > 0 {
		want = table[op].syntax()
	}
	if slices.ContainsFunc(s.operands, func(text string) bool { return strings.ContainsAny(strings.TrimSpace(text), " \t") }) {
		want += ", separated by commas"
	}
	return syntaxError("expected "+want, "%s: %s", s.mnemonic, counted(len(s.operands), "operand"))
}

func counted(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// load makes li or la of any value: one word if it fits li's immediate, else li of the lower and lih of the upper half.
func (a *assembler) load(s *statement) ([]Instruction, error) {
	ins := Instruction{Op: Li}
	errReg := a.operand(s, rd, s.operands[0], &ins)
	v, err := a.wide(s.mnemonic, s.operands[1])
	if err = errors.Join(errReg, err); err != nil {
		return nil, err
	}
	ins.Imm = v
	if fieldImm22.check(Li, int64(v)) == nil {
		return []Instruction{ins}, nil
	}
	ins.Imm = v & 0xffff
	upper := Instruction{Op: Lih, Rd: ins.Rd, Imm: int32(uint32(v) >> 16)}
	return []Instruction{ins, upper}, nil
}
