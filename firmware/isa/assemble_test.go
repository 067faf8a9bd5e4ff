// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestAssembleText(t *testing.T) {
	tests := []struct{ name, source, words string }{
		{"empty", "", ""},
		{"only comments", "; a\n  # b\n\n", ""},
		{"carriage returns", "halt\r\nnow r1\r\n", "halt\nnow r1"},
		{"no end of line", "halt", "halt"},
		{"comment sticks", "halt;x\nnow r1#y: z", "halt\nnow r1"},
		{"labels share a line", "a: b: jmp a\nc : jmp b", "jmp .\njmp .-1"},
		{"label at the end", "jmp end\nend:", "jmp .+1"},
		{"forward over a wide li", "jmp end\nli r1, 0x12345678\nend:", "jmp .+3\nli r1, 22136\nlih r1, 4660"},
		{"equ may stand below its use", "li r1, n\n.equ n, 0x7fffffff", "li r1, 65535\nlih r1, 32767"},
		{"equ of equs", ".equ a, 3\n.equ b, a+a - 0x10\nli r1, b", "li r1, -10"},
		{"sums", ".equ a, 3\naddi r1, r2, -a+1", "addi r1, r2, -2"},
		{"plus sign", "addi r1, r2, +7", "addi r1, r2, 7"},
		{"spaces in memory operands", "ld r1, [ r2 - 4 + 1 ]\nst [r3 + 2],r4", "ld r1, [r2-3]\nst [r3+2], r4"},
		{"relative", ".equ two, 2\njmp . + two\njmp .-1+3\njmp .", "jmp .+2\njmp .+2\njmp ."},
		{"case of names and hex digits differs", ".equ A, 1\n.equ a, 0XaB\nli r1, A\nli r2, a", "li r1, 1\nli r2, 171"},
		{"leading zero is decimal", "li r1, 010", "li r1, 10"},
		{"mnemonics may be names", "halt: jmp halt\n.equ add, 4\nli r1, add", "jmp .\nli r1, 4"},
		{"la is li", "la r1, 5", "li r1, 5"},
		{"li at its ends", "li r1, 2097151\nli r1, -2097152", "li r1, 2097151\nli r1, -2097152"},
		{"li beyond its ends", "li r1, 2097152\nli r1, -2097153", "li r1, 0\nlih r1, 32\nli r1, 65535\nlih r1, 65503"},
		{"li at the ends of 32 bits", "li r1, -0x80000000\nli r2, 0xffffffff", "li r1, 0\nlih r1, 32768\nli r2, -1"},
		{"route 0 is none", "send r1, r2, r3, r4, 0", "send r1, r2, r3, r4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Assemble("t.s", strings.NewReader(tt.source))
			require.NoError(t, err)
			require.Len(t, p.Source, len(p.Code))
			program, err := DecodeAll(p.Code)
			require.NoError(t, err)
			var lines []string
			for _, i := range program {
				lines = append(lines, i.String())
			}
			require.Equal(t, tt.words, strings.Join(lines, "\n"))
		})
	}
}

// What li and lih leave in the register, by their definition, is the value that was asked for.
func TestWideLoads(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 2000 {
		want := random.Uint32() >> (n % 32)
		text := fmt.Sprint(want)
		if n%2 == 0 {
			text = fmt.Sprint(int32(want))
		}
		p, err := Assemble("t", strings.NewReader("li r1, "+text))
		require.NoError(t, err)
		program, err := DecodeAll(p.Code)
		require.NoError(t, err)
		got := uint32(program[0].Imm)
		if len(program) == 2 {
			require.Equal(t, Lih, program[1].Op)
			got = got&0xffff | uint32(program[1].Imm)<<16
		}
		require.Equal(t, want, got, text)
	}
}

func TestAssembleErrors(t *testing.T) {
	tests := []struct{ source, text string }{
		{"ad r1, r2, r3", `unknown instruction "ad" (did you mean "add"?)`},
		{"MOV r1, r2", `unknown instruction "MOV" (did you mean "mov"?)`},
		{"frobnicate", `unknown instruction "frobnicate" (expected one of halt, li, lih, mov, add, addi, sub, min, max, ld, st, beq, bne, blt, bge, jmp, now, wait, send, sendw, recv, recvw, probe, sendv, copy, poll, la)`},
		{"halt r1", `halt: 1 operand (expected none)`},
		{"halt // x", `// (comments begin with ; or #)`},
		{"// x", `// (comments begin with ; or #)`},
		{"add r1, r2", `add: 2 operands (expected rd, ra, rb)`},
		{"now", `now: no operand (expected rd)`},
		{"send r1, r2, r3", `send: 3 operands (expected rd, ra, rb, rc[, route])`},
		{"send r1, r2, r3, r4, 5, 6", `send: 6 operands (expected rd, ra, rb, rc[, route])`},
		{"li r1", `li: 1 operand (expected rd, value)`},
		{"li r1 3", `li: 1 operand (expected rd, value, separated by commas)`},
		{"mov r16, r1", `mov: rd "r16" is not a register (expected r0..r15)`},
		{"mov r1, r01", `mov: ra "r01" is not a register (expected r0..r15)`},
		{"mov r1, R2", `mov: ra "R2" is not a register (expected r0..r15)`},
		{"mov r1,", `mov: ra "" is not a register (expected r0..r15)`},
		{"addi r1, r2, 8192", `addi: imm14 8192 is out of range (expected -8192..8191)`},
		{"addi r1, r2, -8193", `addi: imm14 -8193 is out of range (expected -8192..8191)`},
		{"lih r1, -1", `lih: imm16 -1 is out of range (expected 0..65535)`},
		{"lih r1, 65536", `lih: imm16 65536 is out of range (expected 0..65535)`},
		{"send r1, r2, r3, r4, 1024", `send: route 1024 is out of range (expected 0..1023)`},
		{"li r1, 4294967296", `li: "4294967296" is too large (expected at most 32 bits)`},
		{"li r1, 0xffffffff+1", `li: value 4294967296 is out of range (expected -2147483648..4294967295)`},
		{"la r1, -2147483649", `la: value -2147483649 is out of range (expected -2147483648..4294967295)`},
		{"li r1, 1x", `li: "1x" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, 0x", `li: "0x" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, --1", `li: "--1" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, 1+", `li: "1+" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1,", `li: "" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, 1_000", `li: "1_000" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, " + strings.Repeat("1 ", 50), `li: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "… is not a value (expected a number, decimal or 0x…, or a name)`},
		{"li r1, LENGHT\n.equ LENGTH, 2", `li: "LENGHT" is not defined (did you mean "LENGTH"?)`},
		{"li r1, foo", `li: "foo" is not defined (expected a number or the name of an .equ)`},
		{"loop: li r1, loop", `li: "loop" is a label (expected a number or the name of an .equ)`},
		{"jmp lop\nloop:", `jmp: "lop" is not defined (did you mean "loop"?)`},
		{"jmp away", `jmp: "away" is not defined (expected a label)`},
		{"jmp n\n.equ n, 1", `jmp: "n" is an .equ value (expected a label)`},
		{"jmp 12", `jmp: "12" is not a branch target (expected a label, .+n or .-n)`},
		{"jmp .x", `jmp: ".x" is not a branch target (expected a label, .+n or .-n)`},
		{"beq r1, r2, .+8192", `beq: imm14 8192 is out of range (expected -8192..8191)`},
		{"beq r1, r2, far\n" + strings.Repeat("halt\n", 8191) + "far:", `beq: imm14 8192 is out of range (expected -8192..8191)`},
		{"ld r1, r2", `ld: "r2" is not a memory operand (expected [ra+imm14])`},
		{"ld r1, [r2", `ld: "[r2" is not a memory operand (expected [ra+imm14])`},
		{"ld r1, []", `ld: ra "" is not a register (expected r0..r15)`},
		{"ld r1, [5]", `ld: ra "5" is not a register (expected r0..r15)`},
		{"ld r1, [r2+8192]", `ld: imm14 8192 is out of range (expected -8192..8191)`},
		{"ld r1, [r2+-1]", `ld: "+-1" is not a value (expected a number, decimal or 0x…, or a name)`},
		{"sendw tokn, r1, r2, r3", `sendw: unknown kind "tokn" (did you mean "token"?)`},
		{"sendw 2, r1, r2, r3", `sendw: unknown kind "2" (expected order, token, certificate)`},
		{"9a: halt", `"9a" is not a name (expected a letter or _, then letters, digits or _)`},
		{": halt", `"" is not a name (expected a letter or _, then letters, digits or _)`},
		{"a b: halt", `"a b" is not a name (expected a letter or _, then letters, digits or _)`},
		{"r7: halt", `"r7" is a register (expected another name)`},
		{".eqv a, 1", `unknown directive ".eqv" (did you mean ".equ"?)`},
		{".word 1", `unknown directive ".word" (expected .equ name, value or .include "FILE.s")`},
		{".includ \"a.s\"", `unknown directive ".includ" (did you mean ".include"?)`},
		{".include \"a.s\"", `.include: a.s in a text that is no file (expected a program that is read from a file)`},
		{".equ a", `.equ: 1 operand (expected name, value)`},
		{".equ a, a", `.equ: "a" is not defined (expected a number or the name of an .equ)`},
		{".equ a, 0xffffffff + 1", `.equ: value 4294967296 is out of range (expected -2147483648..4294967295)`},
		{".equ r1, 1", `"r1" is a register (expected another name)`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			p, err := Assemble("t.s", strings.NewReader(tt.source))
			require.EqualError(t, err, "t.s:1: "+tt.text)
			require.Nil(t, p)
		})
	}
}

func TestBranchReachesItsLimit(t *testing.T) {
	p, err := Assemble("t.s", strings.NewReader("beq r1, r2, far\n"+strings.Repeat("halt\n", 8190)+"far:\n"))
	require.NoError(t, err)
	require.Equal(t, uint32(11<<26|1<<18|2<<14|0x1fff), p.Code[0])
}

func TestAllErrorsAtOnceInTheOrderOfLines(t *testing.T) {
	_, err := Assemble("t.s", strings.NewReader(`add x1, r2, y3
a: jmp nowhere
a: halt
.equ a, 5
.equ b, 1x
li r1, b
`))
	require.EqualError(t, err, strings.TrimSpace(`
t.s:1: add: rd "x1" is not a register (expected r0..r15)
t.s:1: add: rb "y3" is not a register (expected r0..r15)
t.s:2: jmp: "nowhere" is not defined (expected a label)
t.s:3: "a" is defined twice (expected a new name; the first is on line 2)
t.s:4: "a" is defined twice (expected a new name; the first is on line 2)
t.s:5: .equ: "1x" is not a value (expected a number, decimal or 0x…, or a name)
`))
}

// Suggestions stop after a hundred errors, so that a long list is made in time proportional to its length.
func TestManyErrors(t *testing.T) {
	var b strings.Builder
	for n := range 20000 {
		fmt.Fprintf(&b, "label%d: jmp labl%d\n", n, n)
	}
	_, err := Assemble("t.s", strings.NewReader(b.String()))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 20000)
	require.EqualError(t, list[99], `t.s:100: jmp: "labl99" is not defined (did you mean "label99"?)`)
	require.EqualError(t, list[100], `t.s:101: jmp: "labl100" is not defined (expected a label)`)
}

func TestReaderErrorIsKept(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := Assemble("t.s", iotest.ErrReader(broken))
	require.EqualError(t, err, "t.s: disk on fire (expected a file that can be read)")
	require.ErrorIs(t, err, broken)
}

func TestProgramLookups(t *testing.T) {
	p, err := Assemble("t.s", strings.NewReader("\nhalt\nx: li r1, 0x12345678\ny:"))
	require.NoError(t, err)
	require.Equal(t, []Label{{"x", 1, 3, ""}, {"y", 3, 4, ""}}, p.Labels)
	at, ok := p.Lookup("y")
	require.True(t, ok)
	require.Equal(t, Address(3), at)
	_, ok = p.Lookup("z")
	require.False(t, ok)
	require.Equal(t, []Line{{2, "halt", ""}, {3, "x: li r1, 0x12345678", ""}, {3, "x: li r1, 0x12345678", ""}}, p.Source)
	require.Equal(t, "t.s:3", p.Position(2))
	require.Equal(t, "t.s+3", p.Position(3))
	require.Equal(t, "t.s-1", p.Position(-1))
}

func TestDisassembleOfRandomPrograms(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		code := make([]uint32, random.IntN(60))
		for a := range code {
			i := randomInstruction(random, Opcode(random.IntN(opcodes)))
			if i.branches() && random.IntN(4) > 0 {
				i.Imm = int32(random.IntN(len(code)+1) - a)
			}
			word, err := i.Encode()
			require.NoError(t, err)
			code[a] = word
		}
		requireReassembles(t, code)
	}
}

func requireReassembles(t *testing.T, code []uint32) {
	t.Helper()
	text, err := Disassemble(code)
	require.NoError(t, err)
	p, err := Assemble("disassembly", strings.NewReader(text))
	require.NoError(t, err, text)
	require.Equal(t, append([]uint32(nil), code...), p.Code, text)
	again, err := Disassemble(p.Code)
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func TestDisassembleErrors(t *testing.T) {
	_, err := Disassemble([]uint32{0, 26 << 26})
	require.EqualError(t, err, "address 1: word 0x68000000: unknown opcode 26 (expected 0..25)")
}

func TestGoldenListingAndDisassembly(t *testing.T) {
	source, err := os.ReadFile("testdata/scatter.s")
	require.NoError(t, err)
	p, err := Assemble("scatter.s", bytes.NewReader(source))
	require.NoError(t, err)
	var listing strings.Builder
	require.NoError(t, Listing(&listing, p))
	golden(t, "testdata/scatter.lst", listing.String())
	text, err := Disassemble(p.Code)
	require.NoError(t, err)
	golden(t, "testdata/scatter.dis", text)
	requireReassembles(t, p.Code)
}

func TestListingOfHandMadePrograms(t *testing.T) {
	p := &Program{Code: []uint32{0, 0}, Source: []Line{{1, "a\tb\vc\x1b[31m\xff|é", ""}}, Labels: []Label{{"z", 9, 4, ""}, {"y", 1, 2, ""}, {"x", -1, 1, ""}}}
	var b strings.Builder
	require.NoError(t, Listing(&b, p))
	require.Equal(t, `address  word      line  source
0        00000000  1     a    b\vc\x1b[31m\xff|é
1                  2     y:
1        00000000  0     `+`
`, b.String())
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestListingReportsWriteErrors(t *testing.T) {
	require.EqualError(t, Listing(brokenWriter{}, &Program{Code: []uint32{0}}), "disk full")
}
