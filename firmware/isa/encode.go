// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"fmt"

	"meshwright/internal/input"
)

// Encode returns the instruction's word. It fails with ErrOpcode, ErrRange, or ErrUnused if a field that the opcode does not use is not zero.
func (i Instruction) Encode() (uint32, error) {
	if int(i.Op) >= len(table) {
		return 0, unknownOpcode(uint32(i.Op))
	}
	word, rest := uint32(i.Op)<<fieldOpcode.Low, i
	for f := range table[i.Op].fields() {
		v := rest.load(f)
		if err := f.check(i.Op, int64(v)); err != nil {
			return 0, err
		}
		word |= f.insert(v)
		rest.store(f, 0)
	}
	if rest != (Instruction{Op: i.Op}) {
		return 0, &Fault{fmt.Sprintf("%v: a field that it does not use is not zero", i.Op), "expected only " + fieldNames(i.Op), ErrUnused}
	}
	return word, nil
}

// Decode returns the instruction of a word. It fails with ErrOpcode, ErrRange (an unknown kind), or ErrUnused.
func Decode(word uint32) (Instruction, error) {
	op := word >> fieldOpcode.Low
	if op >= opcodes {
		return Instruction{}, unknownOpcode(op)
	}
	i, used := Instruction{Op: Opcode(op)}, fieldOpcode.mask()
	for f := range table[op].fields() {
		v := f.extract(word)
		if err := f.check(i.Op, int64(v)); err != nil {
			return Instruction{}, err
		}
		i.store(f, v)
		used |= f.mask()
	}
	if extra := word &^ used; extra != 0 {
		return Instruction{}, &Fault{fmt.Sprintf("%v: unused bits 0x%08x are set", i.Op, extra), "expected 0", ErrUnused}
	}
	return i, nil
}

// DecodeAll decodes a program for execution: instruction k of the result is the word at address k.
// It reports every bad word, each with its address.
func DecodeAll(code []uint32) ([]Instruction, error) {
	program := make([]Instruction, len(code))
	var bad input.List
	for address, word := range code {
		var err error
		if program[address], err = Decode(word); err != nil {
			bad = append(bad, fmt.Errorf("address %d: word 0x%08x: %w", address, word, err))
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return program, nil
}

func unknownOpcode(op uint32) error {
	return &Fault{fmt.Sprintf("unknown opcode %d", op), fmt.Sprintf("expected 0..%d", fieldOpcode.Max), ErrOpcode}
}

func fieldNames(op Opcode) string {
	names := "opcode"
	for f := range table[op].fields() {
		names += ", " + f.Name
	}
	return names
}
