// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"iter"
	"strings"

	"meshwright/router"
)

// Field is a run of bits of the instruction word, and the values it may hold; negative ones are in two's complement.
type Field struct {
	Name      string
	High, Low uint8
	Min, Max  int32
	slot      slot
}

// slot says which member of Instruction holds a field.
type slot uint8

const (
	inRd slot = iota
	inRa
	inRb
	inRc
	inRe
	inImm
)

var (
	fieldOpcode = Field{Name: "opcode", High: 31, Low: 26, Min: 0, Max: opcodes - 1}
	fieldRd     = Field{"rd", 25, 22, 0, Registers - 1, inRd}
	fieldRa     = Field{"ra", 21, 18, 0, Registers - 1, inRa}
	fieldRb     = Field{"rb", 17, 14, 0, Registers - 1, inRb}
	fieldRc     = Field{"rc", 13, 10, 0, Registers - 1, inRc}
	fieldRe     = Field{"re", 9, 6, 0, Registers - 1, inRe}
	fieldRoute  = Field{"route", 9, 0, 0, 1<<10 - 1, inImm}
	fieldKind   = Field{"kind", 9, 0, int32(router.Order), int32(router.Certificate), inImm}
	fieldImm14  = Field{"imm14", 13, 0, -1 << 13, 1<<13 - 1, inImm}
	fieldImm16  = Field{"imm16", 15, 0, 0, 1<<16 - 1, inImm}
	fieldImm22  = Field{"imm22", 21, 0, -1 << 21, 1<<21 - 1, inImm}
)

// form is how an operand is written.
type form uint8

const (
	asRegister form = iota // r7
	asNumber               // 12, 0xff, NAME, NAME+1
	asMemory               // [r7+12]
	asTarget               // a label, .+12
	asKind                 // order, token, certificate
)

// operand is one place between the commas. An optional one may be left out, is then 0, and comes last.
type operand struct {
	syntax   string
	form     form
	fields   []Field
	optional bool
}

var (
	rd       = operand{"rd", asRegister, []Field{fieldRd}, false}
	ra       = operand{"ra", asRegister, []Field{fieldRa}, false}
	rb       = operand{"rb", asRegister, []Field{fieldRb}, false}
	rc       = operand{"rc", asRegister, []Field{fieldRc}, false}
	re       = operand{"re", asRegister, []Field{fieldRe}, false}
	tag      = operand{"rb", asRegister, []Field{fieldRb}, true}
	wanted   = operand{"rc", asRegister, []Field{fieldRc}, true}
	imm14    = operand{"imm14", asNumber, []Field{fieldImm14}, false}
	imm16    = operand{"imm16", asNumber, []Field{fieldImm16}, false}
	value32  = operand{"value", asNumber, []Field{fieldImm22}, false} // one that does not fit the field becomes li and lih
	memory   = operand{"[ra+imm14]", asMemory, []Field{fieldRa, fieldImm14}, false}
	target14 = operand{"label", asTarget, []Field{fieldImm14}, false}
	target22 = operand{"label", asTarget, []Field{fieldImm22}, false}
	kind     = operand{"kind", asKind, []Field{fieldKind}, false}
	route    = operand{"route", asNumber, []Field{fieldRoute}, true}
)

// row is all there is to know of an opcode: assembler, disassembler, encoder and reference are derived from it.
type row struct {
	mnemonic string
	operands []operand
	effect   string
}

var table = [opcodes]row{
	Halt:  {"halt", nil, "stop"},
	Li:    {"li", []operand{rd, value32}, "rd = value"},
	Lih:   {"lih", []operand{rd, imm16}, "bits 31:16 of rd = imm16; bits 15:0 stay"},
	Mov:   {"mov", []operand{rd, ra}, "rd = ra"},
	Add:   {"add", []operand{rd, ra, rb}, "rd = ra + rb"},
	Addi:  {"addi", []operand{rd, ra, imm14}, "rd = ra + imm14"},
	Sub:   {"sub", []operand{rd, ra, rb}, "rd = ra - rb"},
	Min:   {"min", []operand{rd, ra, rb}, "rd = the smaller of ra, rb"},
	Max:   {"max", []operand{rd, ra, rb}, "rd = the larger of ra, rb"},
	Ld:    {"ld", []operand{rd, memory}, "rd = memory[ra+imm14]"},
	St:    {"st", []operand{memory, rb}, "memory[ra+imm14] = rb"},
	Beq:   {"beq", []operand{ra, rb, target14}, "if ra == rb go to label"},
	Bne:   {"bne", []operand{ra, rb, target14}, "if ra != rb go to label"},
	Blt:   {"blt", []operand{ra, rb, target14}, "if ra < rb go to label"},
	Bge:   {"bge", []operand{ra, rb, target14}, "if ra >= rb go to label"},
	Jmp:   {"jmp", []operand{target22}, "go to label"},
	Now:   {"now", []operand{rd}, "rd = this cycle, low 32 bits"},
	Wait:  {"wait", []operand{ra}, "stall until cycle >= ra"},
	Send:  {"send", []operand{rd, ra, rb, rc, route}, "send the rb words at address ra to node rd as message rc"},
	Sendw: {"sendw", []operand{kind, rd, ra, rc}, "send the control word ra to node rd as message rc"},
	Recv:  {"recv", []operand{rd, ra, rb, wanted}, "wait for a whole message from node ra (-1: from any, ra = its source), with rc the one whose tag is rc; store it at address rb; rd = its words"},
	Recvw: {"recvw", []operand{rd, ra, tag}, "wait for a control word; rd = its value, ra = its source, rb = its tag"},
	Probe: {"probe", []operand{rd, ra, tag}, "wait for a whole message from any node, leave it in the inbox; rd = its words, ra = its source, rb = its tag"},
	Copy:  {"copy", []operand{ra, rb, rc}, "memory[ra .. ra+rc-1] = memory[rb .. rb+rc-1], as it was before"},
	Sendv: {"sendv", []operand{rd, ra, rb, rc, re}, "send, as send does, along the route whose number is in re"},
	Poll:  {"poll", []operand{rd, ra, rb, wanted}, "take a message as recv does if it is whole in the inbox in this cycle; otherwise rd = 0"},
}

// Row describes one instruction to the outside: the RTL's decoder and the documentation are generated from it.
type Row struct {
	Op       Opcode
	Mnemonic string
	Operands string // as written in assembler text: "rd, [ra+imm14]"
	Effect   string
	Fields   []Field // after the opcode, in the order of the operands; all other bits are zero
}

// Table returns the instruction set in the order of the opcodes.
func Table() []Row {
	rows := make([]Row, len(table))
	for op := range table {
		r := &table[op]
		rows[op] = Row{Opcode(op), r.mnemonic, r.syntax(), r.effect, nil}
		for f := range r.fields() {
			rows[op].Fields = append(rows[op].Fields, f)
		}
	}
	return rows
}

// Pseudo returns the mnemonics that have no opcode of their own, each with the opcode that it stands for.
func Pseudo() []Row {
	row := Table()[Li]
	row.Mnemonic, row.Effect = "la", "the same as li"
	return []Row{row}
}

func (r *row) fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, o := range r.operands {
			for _, f := range o.fields {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// syntax returns the operands as the reference and the error messages show them: "rd, ra, rb, rc[, route]".
func (r *row) syntax() string {
	var b strings.Builder
	for i, o := range r.operands {
		switch {
		case o.optional:
			b.WriteString("[, " + o.syntax + "]")
		case i > 0:
			b.WriteString(", " + o.syntax)
		default:
			b.WriteString(o.syntax)
		}
	}
	return b.String()
}

// accepts says whether n operands are neither too few nor too many.
func (r *row) accepts(n int) bool {
	least := len(r.operands)
	for least > 0 && r.operands[least-1].optional {
		least--
	}
	return least <= n && n <= len(r.operands)
}
