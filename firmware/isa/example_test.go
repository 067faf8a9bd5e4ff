// SPDX-License-Identifier: Apache-2.0

package isa_test

import (
	"fmt"
	"os"
	"strings"

	"meshwright/firmware/isa"
	"meshwright/router"
)

const countdown = `
.equ START, 3
	li   r1, START
	li   r2, 0
loop:	addi r1, r1, -1   ; one less
	bne  r1, r2, loop
	halt
`

func ExampleAssemble() {
	p, err := isa.Assemble("countdown.s", strings.NewReader(countdown))
	if err != nil {
		fmt.Println(err)
		return
	}
	for address, word := range p.Code {
		fmt.Printf("%s  %08x\n", p.Position(isa.Address(address)), word)
	}
	// Output:
	// countdown.s:3  04400003
	// countdown.s:4  04800000
	// countdown.s:5  14443fff
	// countdown.s:6  3004bfff
	// countdown.s:7  00000000
}

func ExampleAssemble_errors() {
	_, err := isa.Assemble("bad.s", strings.NewReader("loop: ad r1, r2, r3\n\tjmp lop\n\taddi r1, r1, 9000\n"))
	fmt.Println(err)
	// Output:
	// bad.s:1: unknown instruction "ad" (did you mean "add"?)
	// bad.s:2: jmp: "lop" is not defined (did you mean "loop"?)
	// bad.s:3: addi: imm14 9000 is out of range (expected -8192..8191)
}

func ExampleDisassemble() {
	text, err := isa.Disassemble([]uint32{0x04400003, 0x04800000, 0x14443fff, 0x3004bfff, 0})
	fmt.Print(text, err)
	// Output:
	// 	li r1, 3
	// 	li r2, 0
	// L2:
	// 	addi r1, r1, -1
	// 	bne r1, r2, L2
	// 	halt
	// <nil>
}

func ExampleListing() {
	p, err := isa.Assemble("countdown.s", strings.NewReader(countdown))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := isa.Listing(os.Stdout, p); err != nil {
		fmt.Println(err)
	}
	// Output:
	// address  word      line  source
	// 0        04400003  3         li   r1, START
	// 1        04800000  4         li   r2, 0
	// 2        14443fff  5     loop:    addi r1, r1, -1   ; one less
	// 3        3004bfff  6         bne  r1, r2, loop
	// 4        00000000  7         halt
}

func ExampleDecode() {
	i, err := isa.Decode(0x3004bfff)
	fmt.Println(i, err)
	fmt.Printf("%+v\n", struct {
		Op     isa.Opcode
		Ra, Rb isa.Reg
		Imm    int32
	}{i.Op, i.Ra, i.Rb, i.Imm})
	_, err = isa.Decode(0xfc000000)
	fmt.Println(err)
	// Output:
	// bne r1, r2, .-1 <nil>
	// {Op:bne Ra:r1 Rb:r2 Imm:-1}
	// unknown opcode 63 (expected 0..25)
}

func ExampleInstruction_Encode() {
	word, err := isa.Instruction{Op: isa.Sendw, Rd: 1, Ra: 2, Rc: 3, Imm: int32(router.Token)}.Encode()
	fmt.Printf("%08x %v\n", word, err)
	// Output:
	// 4c480c02 <nil>
}
