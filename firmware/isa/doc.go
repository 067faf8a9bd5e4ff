// SPDX-License-Identifier: Apache-2.0

// Package isa is the instruction set of the processing elements: encoding, assembler, disassembler and listing.
//
// An instruction is one 32-bit word. Word 0 is halt. One table (table.go) declares the instructions; everything else, this list and
// reference.md, the manual of instructions and assembler text, included, is derived from it or checked against it.
//
//	opcode  instruction                   effect
//	0       halt                          stop
//	1       li rd, value                  rd = value
//	2       lih rd, imm16                 bits 31:16 of rd = imm16; bits 15:0 stay
//	3       mov rd, ra                    rd = ra
//	4       add rd, ra, rb                rd = ra + rb
//	5       addi rd, ra, imm14            rd = ra + imm14
//	6       sub rd, ra, rb                rd = ra - rb
//	7       min rd, ra, rb                rd = the smaller of ra, rb
//	8       max rd, ra, rb                rd = the larger of ra, rb
//	9       ld rd, [ra+imm14]             rd = memory[ra+imm14]
//	10      st [ra+imm14], rb             memory[ra+imm14] = rb
//	11      beq ra, rb, label             if ra == rb go to label
//	12      bne ra, rb, label             if ra != rb go to label
//	13      blt ra, rb, label             if ra < rb go to label
//	14      bge ra, rb, label             if ra >= rb go to label
//	15      jmp label                     go to label
//	16      now rd                        rd = this cycle, low 32 bits
//	17      wait ra                       stall until cycle >= ra
//	18      send rd, ra, rb, rc[, route]  send the rb words at address ra to node rd as message rc
//	19      sendw kind, rd, ra, rc        send the control word ra to node rd as message rc
//	20      recv rd, ra, rb[, rc]         wait for a whole message from node ra (-1: from any, ra = its source), with rc the one whose tag is rc; store it at address rb; rd = its words
//	21      recvw rd, ra[, rb]            wait for a control word; rd = its value, ra = its source, rb = its tag
//	22      probe rd, ra[, rb]            wait for a whole message from any node, leave it in the inbox; rd = its words, ra = its source, rb = its tag
//	23      sendv rd, ra, rb, rc, re      send, as send does, along the route whose number is in re
//	24      copy ra, rb, rc               memory[ra .. ra+rc-1] = memory[rb .. rb+rc-1], as it was before
//	25      poll rd, ra, rb[, rc]         take a message as recv does if it is whole in the inbox in this cycle; otherwise rd = 0
//
// recv with -1 in ra sets ra to the source; recvw and probe always do. If rd is the same register, rd's value stands.
//
// Bad words and bad text give errors, never a panic; Assemble and DecodeAll report all that is wrong at once.
package isa
