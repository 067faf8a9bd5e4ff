// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Reference returns the manual of the instruction set in Markdown; reference.md in this folder is a copy of it.
func Reference() string {
	var b strings.Builder
	b.WriteString(machineText)
	b.WriteString("| opcode | instruction | effect | fields below the opcode in bits 31:26 |\n|---:|---|---|---|\n")
	for _, r := range Table() {
		text := strings.TrimSpace(r.Mnemonic + " " + r.Operands)
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", r.Op, text, r.Effect, layout(r.Fields))
	}
	b.WriteString(fieldText)
	for _, f := range []Field{fieldOpcode, fieldRd, fieldRa, fieldRb, fieldRc, fieldRe, fieldRoute, fieldKind, fieldImm14, fieldImm16, fieldImm22} {
		fmt.Fprintf(&b, "| %s | %d:%d | %d..%d |\n", f.Name, f.High, f.Low, f.Min, f.Max)
	}
	b.WriteString(languageText)
	return b.String()
}

func layout(fields []Field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, fmt.Sprintf("%s %d:%d", f.Name, f.High, f.Low))
	}
	return strings.Join(parts, ", ")
}

// summary returns the table of the package comment.
func summary() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "opcode\tinstruction\teffect\n")
	for _, r := range Table() {
		fmt.Fprintf(w, "%d\t%s\t%s\n", r.Op, strings.TrimSpace(r.Mnemonic+" "+r.Operands), r.Effect)
	}
	w.Flush() // to a strings.Builder, which does not fail
	return b.String()
}

const machineText = `# Instruction set of the PE

A copy of ` + "`isa.Reference()`" + `, made from the opcode table; do not edit (` + "`go test ./firmware/isa -update`" + `).

A PE has 16 registers of 32 bits, r0..r15, a program ROM of 32-bit instructions, a data memory of 32-bit words (each address is a word)
and a NIC. On machines of more than 32 bits registers and words of the data memory have as many bits as a flit, in elements of 32 bits. Arithmetic is two's complement and wraps; comparisons are signed. A branch counts from its own address.

* Computing costs no cycle. Only wait, send, sendv, sendw, recv, recvw and probe can stall.
* Word 0 is halt: a PE that runs into blank ROM stops.
* send and sendv: route 0 is the machine's routing, route k is entry k-1 of the PE's route table.
* Elements: ld, st, mov, copy and messages move all of a word. add, sub, min and max go element by element. beq and bne compare all
  elements. addi and lih keep elements 1 and up; other results have element 0 only. Everything else uses element 0.
* send of no words does nothing. A word is cut to the machine's width as it is sent.
* wait compares modulo 2^32: a cycle less than 2^31 ahead is to come, any other is past.
* recv with -1 in ra takes a message from any node and then sets ra to its source; with a node in ra it leaves ra as it is.
* poll never stalls: without such a message it only sets rd to 0. No message has 0 words.
* recv, recvw and probe with the same register twice: rd's value stands, then ra's. Without rb, or with r0 there, the tag is not kept.

`

const fieldText = `
Bits that an instruction does not use are 0; a word with others set is not an instruction.

| field | bits | values |
|---|---|---|
`

const languageText = `
## Assembler text

One instruction a line. A comment begins with ` + "`;` or `#`" + ` and ends with the line.

| text | meaning |
|---|---|
` + "| `loop:` | a label, alone or before an instruction; several may share an address |" + `
` + "| `.equ name, value` | a name for a value of 32 bits; its value may use names that stand above it |" + `
` + "| `.include \"FILE.s\"` | the lines of this file stand here; its name counts from the folder of the file that includes it |" + `
` + "| `12` `-12` `0xff` `name` `name+1-other` | a value: numbers and .equ names with + and - |" + `
` + "| `[r2]` `[r2+value]` `[r2-value]` | the word of data memory that ra and imm14 point at |" + `
` + "| `loop` `.` `.+2` `.-2` | a branch target: a label, or the distance from the branch itself |" + `
` + "| `order` `token` `certificate` | the kind of a control word: 1, 2, 3 |" + `
` + "| `li rd, value` `la rd, value` | any value of 32 bits, signed or not; becomes li and lih if it does not fit imm22 |" + `

A name is a letter or _ and then letters, digits or _; it is not a register's. Upper and lower case differ.
Labels and .equ names share one name space, with those of included files. Labels are branch targets only: no instruction takes a code address as a value.
`
