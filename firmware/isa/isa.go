// SPDX-License-Identifier: Apache-2.0

package isa

import "fmt"

// Opcode is the number in bits 31:26 of an instruction word.
type Opcode uint8

// The opcodes. Word 0 is Halt, so a PE that runs into blank ROM stops.
const (
	Halt Opcode = iota
	Li
	Lih
	Mov
	Add
	Addi
	Sub
	Min
	Max
	Ld
	St
	Beq
	Bne
	Blt
	Bge
	Jmp
	Now
	Wait
	Send
	Sendw
	Recv
	Recvw
	Probe
	Sendv
	Copy
	Poll

	// opcodes is the number of opcodes: they are 0..opcodes-1.
	opcodes = iota
)

// String returns the mnemonic.
func (o Opcode) String() string {
	if int(o) >= len(table) {
		return fmt.Sprintf("opcode(%d)", uint8(o))
	}
	return table[o].mnemonic
}

// Reg is the number of a register, 0..Registers-1.
type Reg uint8

// Registers is the number of registers of a PE.
const Registers = 16

// String returns the register's name: r0..r15.
func (r Reg) String() string { return fmt.Sprintf("r%d", uint8(r)) }

// Address is a word address in the program ROM.
type Address int

// AnySource in recv's register ra asks for a message from any node.
const AnySource int32 = -1

// Instruction is a decoded word. Fields that its opcode does not use are zero.
type Instruction struct {
	Op                 Opcode
	Rd, Ra, Rb, Rc, Re Reg
	// Imm is the immediate, sign extended where it is signed: lih's is 0..65535, sendw's is a router.Kind, send's is a route (0: the
	// machine's routing; k: entry k-1 of the PE's route table), a branch's is the distance from its own address to its target.
	Imm int32
}
