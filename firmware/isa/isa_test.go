// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite reference.md, doc.go's table and the golden files")

// golden compares text with a file, or writes the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s is stale: go test ./firmware/isa -update", path)
}

// randomInstruction fills every field of an opcode; one value in four is an end of its range.
func randomInstruction(random *rand.Rand, op Opcode) Instruction {
	i := Instruction{Op: op}
	for f := range table[op].fields() {
		v := int64(f.Min) + random.Int64N(int64(f.Max)-int64(f.Min)+1)
		switch random.IntN(8) {
		case 0:
			v = int64(f.Min)
		case 1:
			v = int64(f.Max)
		}
		i.store(f, int32(v))
	}
	return i
}

func TestTableIsSound(t *testing.T) {
	require.Len(t, Table(), 26)
	seen := map[string]bool{}
	for op, r := range Table() {
		require.Equal(t, Opcode(op), r.Op)
		require.NotEmpty(t, r.Mnemonic)
		require.NotEmpty(t, r.Effect)
		require.False(t, seen[r.Mnemonic], r.Mnemonic)
		seen[r.Mnemonic] = true
		used := fieldOpcode.mask()
		slots := map[slot]bool{}
		for _, f := range r.Fields {
			require.Zero(t, used&f.mask(), "%s: field %s overlaps another", r.Mnemonic, f.Name)
			require.False(t, slots[f.slot], "%s: field %s shares its member of Instruction", r.Mnemonic, f.Name)
			used |= f.mask()
			slots[f.slot] = true
		}
	}
}

func TestWords(t *testing.T) {
	// Written out by hand from the layout: opcode<<26 | rd<<22 | ra<<18 | rb<<14 | rc<<10 | imm.
	tests := []struct {
		text string
		word uint32
	}{
		{"halt", 0},
		{"li r1, -1", 1<<26 | 1<<22 | 0x3fffff},
		{"li r15, 2097151", 1<<26 | 15<<22 | 0x1fffff},
		{"lih r2, 65535", 2<<26 | 2<<22 | 0xffff},
		{"mov r3, r4", 3<<26 | 3<<22 | 4<<18},
		{"add r1, r2, r3", 4<<26 | 1<<22 | 2<<18 | 3<<14},
		{"addi r1, r2, -8192", 5<<26 | 1<<22 | 2<<18 | 0x2000},
		{"sub r1, r2, r3", 6<<26 | 1<<22 | 2<<18 | 3<<14},
		{"min r1, r2, r3", 7<<26 | 1<<22 | 2<<18 | 3<<14},
		{"max r1, r2, r3", 8<<26 | 1<<22 | 2<<18 | 3<<14},
		{"ld r1, [r2+5]", 9<<26 | 1<<22 | 2<<18 | 5},
		{"ld r1, [r2]", 9<<26 | 1<<22 | 2<<18},
		{"st [r2-1], r3", 10<<26 | 2<<18 | 3<<14 | 0x3fff},
		{"beq r1, r2, .+3", 11<<26 | 1<<18 | 2<<14 | 3},
		{"bne r1, r2, .-3", 12<<26 | 1<<18 | 2<<14 | 0x3ffd},
		{"blt r1, r2, .", 13<<26 | 1<<18 | 2<<14},
		{"bge r1, r2, .+8191", 14<<26 | 1<<18 | 2<<14 | 0x1fff},
		{"jmp .-2097152", 15<<26 | 0x200000},
		{"now r9", 16<<26 | 9<<22},
		{"wait r9", 17<<26 | 9<<18},
		{"send r1, r2, r3, r4", 18<<26 | 1<<22 | 2<<18 | 3<<14 | 4<<10},
		{"send r1, r2, r3, r4, 1023", 18<<26 | 1<<22 | 2<<18 | 3<<14 | 4<<10 | 1023},
		{"sendw order, r1, r2, r4", 19<<26 | 1<<22 | 2<<18 | 4<<10 | 1},
		{"sendw token, r1, r2, r4", 19<<26 | 1<<22 | 2<<18 | 4<<10 | 2},
		{"sendw certificate, r1, r2, r4", 19<<26 | 1<<22 | 2<<18 | 4<<10 | 3},
		{"recv r1, r2, r3", 20<<26 | 1<<22 | 2<<18 | 3<<14},
		{"recvw r1, r2", 21<<26 | 1<<22 | 2<<18},
		{"recvw r1, r2, r3", 21<<26 | 1<<22 | 2<<18 | 3<<14},
		{"probe r1, r2", 22<<26 | 1<<22 | 2<<18},
		{"probe r1, r2, r3", 22<<26 | 1<<22 | 2<<18 | 3<<14},
		{"sendv r1, r2, r3, r4, r5", 23<<26 | 1<<22 | 2<<18 | 3<<14 | 4<<10 | 5<<6},
		{"recv r1, r2, r3, r4", 20<<26 | 1<<22 | 2<<18 | 3<<14 | 4<<10},
		{"copy r1, r2, r3", 24<<26 | 1<<18 | 2<<14 | 3<<10},
		{"poll r1, r2, r3", 25<<26 | 1<<22 | 2<<18 | 3<<14},
		{"poll r1, r2, r3, r4", 25<<26 | 1<<22 | 2<<18 | 3<<14 | 4<<10},
	}
	tested := map[Opcode]bool{}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			i, err := Decode(tt.word)
			require.NoError(t, err)
			require.Equal(t, tt.text, i.String())
			p, err := Assemble("t", strings.NewReader(tt.text))
			require.NoError(t, err)
			require.Equal(t, []uint32{tt.word}, p.Code)
			tested[i.Op] = true
		})
	}
	require.Len(t, tested, opcodes)
}

func TestRoundTripsOfRandomInstructions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for op := range Opcode(opcodes) {
		for range 500 {
			i := randomInstruction(random, op)
			word, err := i.Encode()
			require.NoError(t, err, "%+v", i)
			back, err := Decode(word)
			require.NoError(t, err)
			require.Equal(t, i, back)
			p, err := Assemble("t", strings.NewReader(i.String()))
			require.NoError(t, err, i.String())
			require.Equal(t, []uint32{word}, p.Code, i.String())
		}
	}
}

// Every word is either an instruction that encodes to the same word or is refused, whichever single bit is flipped.
func TestDecodeIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for op := range Opcode(opcodes) {
		word, err := randomInstruction(random, op).Encode()
		require.NoError(t, err)
		for bit := range 32 {
			flipped := word ^ 1<<bit
			i, err := Decode(flipped)
			if err != nil {
				continue
			}
			back, err := i.Encode()
			require.NoError(t, err)
			require.Equal(t, flipped, back)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct {
		word  uint32
		text  string
		cause error
	}{
		{26 << 26, "unknown opcode 26 (expected 0..25)", ErrOpcode},
		{0xffffffff, "unknown opcode 63 (expected 0..25)", ErrOpcode},
		{1, "halt: unused bits 0x00000001 are set (expected 0)", ErrUnused},
		{15<<26 | 15<<22, "jmp: unused bits 0x03c00000 are set (expected 0)", ErrUnused},
		{2<<26 | 0x10000, "lih: unused bits 0x00010000 are set (expected 0)", ErrUnused},
		{11<<26 | 1<<22, "beq: unused bits 0x00400000 are set (expected 0)", ErrUnused},
		{19 << 26, "sendw: kind 0 is out of range (expected 1..3)", ErrRange},
		{19<<26 | 4, "sendw: kind 4 is out of range (expected 1..3)", ErrRange},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			_, err := Decode(tt.word)
			require.EqualError(t, err, tt.text)
			require.ErrorIs(t, err, tt.cause)
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	tests := []struct {
		instruction Instruction
		text        string
		cause       error
	}{
		{Instruction{Op: 26}, "unknown opcode 26 (expected 0..25)", ErrOpcode},
		{Instruction{Op: 255}, "unknown opcode 255 (expected 0..25)", ErrOpcode},
		{Instruction{Op: Add, Rb: 16}, "add: rb 16 is out of range (expected 0..15)", ErrRange},
		{Instruction{Op: Addi, Imm: 8192}, "addi: imm14 8192 is out of range (expected -8192..8191)", ErrRange},
		{Instruction{Op: Addi, Imm: -8193}, "addi: imm14 -8193 is out of range (expected -8192..8191)", ErrRange},
		{Instruction{Op: Li, Imm: 1 << 21}, "li: imm22 2097152 is out of range (expected -2097152..2097151)", ErrRange},
		{Instruction{Op: Lih, Imm: -1}, "lih: imm16 -1 is out of range (expected 0..65535)", ErrRange},
		{Instruction{Op: Send, Imm: 1024}, "send: route 1024 is out of range (expected 0..1023)", ErrRange},
		{Instruction{Op: Sendw}, "sendw: kind 0 is out of range (expected 1..3)", ErrRange},
		{Instruction{Op: Mov, Rb: 1}, "mov: a field that it does not use is not zero (expected only opcode, rd, ra)", ErrUnused},
		{Instruction{Op: Halt, Imm: 1}, "halt: a field that it does not use is not zero (expected only opcode)", ErrUnused},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			_, err := tt.instruction.Encode()
			require.EqualError(t, err, tt.text)
			require.ErrorIs(t, err, tt.cause)
			require.NotPanics(t, func() { _ = tt.instruction.String() })
		})
	}
}

func TestDecodeAllReportsEveryWord(t *testing.T) {
	_, err := DecodeAll([]uint32{1, 0, 0xffffffff})
	require.EqualError(t, err, "address 0: word 0x00000001: halt: unused bits 0x00000001 are set (expected 0)\n"+
		"address 2: word 0xffffffff: unknown opcode 63 (expected 0..25)")
	require.ErrorIs(t, err, ErrOpcode)
	require.ErrorIs(t, err, ErrUnused)
	program, err := DecodeAll([]uint32{0, 1<<26 | 3})
	require.NoError(t, err)
	require.Equal(t, []Instruction{{Op: Halt}, {Op: Li, Imm: 3}}, program)
}

func TestNamesOfInvalidValues(t *testing.T) {
	require.Equal(t, "opcode(26)", Opcode(26).String())
	require.Equal(t, "opcode(200)", Instruction{Op: 200}.String())
	require.Equal(t, "sendw data, r0, r0, r0", Instruction{Op: Sendw}.String())
	require.Equal(t, "sendw kind(4), r0, r0, r0", Instruction{Op: Sendw, Imm: 4}.String())
	require.False(t, Instruction{Op: 200}.branches())
}

func TestBranches(t *testing.T) {
	var branches []Opcode
	for op := range Opcode(opcodes) {
		if (Instruction{Op: op}).branches() {
			branches = append(branches, op)
		}
	}
	require.Equal(t, []Opcode{Beq, Bne, Blt, Bge, Jmp}, branches)
}

func TestReferenceIsCurrent(t *testing.T) {
	golden(t, "reference.md", Reference())
}

func TestPackageCommentIsCurrent(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	comment := "//\t" + strings.ReplaceAll(strings.TrimSuffix(summary(), "\n"), "\n", "\n//\t") + "\n"
	table := regexp.MustCompile(`(?m)^//\topcode.*\n(//\t.*\n)*`)
	require.Len(t, table.FindAll(source, -1), 1)
	golden(t, "doc.go", table.ReplaceAllLiteralString(string(source), comment))
}

func TestHugeNamesGetNoSuggestion(t *testing.T) {
	huge := strings.Repeat("x", 1<<20) // would take 2^40 steps
	_, err := Assemble("t.s", strings.NewReader("jmp "+huge+"\n"+huge+"y:"))
	require.EqualError(t, err, `t.s:1: jmp: "`+huge[:40]+`"… is not defined (expected a label)`)
}

func TestErrorsCanBeTaken(t *testing.T) {
	_, err := Assemble("t.s", strings.NewReader("halt\nad r1, r2, r3\n"))
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	require.Equal(t, 2, list[0].Line)
	require.Equal(t, "t.s", list[0].Name)
	var fault *Fault
	require.True(t, errors.As(err, &fault))
	require.Equal(t, `did you mean "add"?`, fault.Want)
	require.ErrorIs(t, err, ErrOpcode)
}
