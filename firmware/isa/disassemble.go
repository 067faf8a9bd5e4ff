// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"fmt"
	"strings"
)

// Disassemble returns assembler text that assembles to the same words. A branch target inside the program, or right behind it, gets the
// label L and its address; one further out is written relative (.+9). It reports every word that cannot be decoded.
func Disassemble(code []uint32) (string, error) {
	program, err := DecodeAll(code)
	if err != nil {
		return "", err
	}
	targets := targets(program)
	var b strings.Builder
	for address, i := range program {
		writeLabel(&b, targets, address)
		b.WriteString("\t" + textAt(i, address, targets) + "\n")
	}
	writeLabel(&b, targets, len(program))
	return b.String(), nil
}

// targets marks the addresses 0..len(program) that are branched to.
func targets(program []Instruction) []bool {
	marks := make([]bool, len(program)+1)
	for address, i := range program {
		to := address + int(i.Imm)
		if i.branches() && to >= 0 && to < len(marks) {
			marks[to] = true
		}
	}
	return marks
}

// branches says whether Imm is the distance to a branch target: of beq, bne, blt, bge and jmp.
func (i Instruction) branches() bool {
	if int(i.Op) >= len(table) {
		return false
	}
	operands := table[i.Op].operands
	return len(operands) > 0 && operands[len(operands)-1].form == asTarget
}

func writeLabel(b *strings.Builder, targets []bool, address int) {
	if targets[address] {
		fmt.Fprintf(b, "L%d:\n", address)
	}
}

func textAt(i Instruction, address int, targets []bool) string {
	to := address + int(i.Imm)
	if to < 0 || to >= len(targets) {
		return i.String()
	}
	return i.text(func(int32) string { return fmt.Sprintf("L%d", to) })
}
