// SPDX-License-Identifier: Apache-2.0

package pe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/pe"
)

// Two words of 128 bits, and two that are 0, in each PE.
var wideMemory = []uint32{1, 2, 3, 4, 0xffffffff, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}

// Registers have as many bits as words: arithmetic goes element by element, comparisons for equality look at all elements,
// and numbers that the PE makes itself have element 0 only.
func TestWideWords(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []uint32 // word 2 of PE 0 in the end
	}{
		{"load and store", "ld r1, [r0+1]\n st [r0+2], r1", []uint32{0xffffffff, 6, 7, 8}},
		{"mov", "ld r1, [r0+1]\n mov r2, r1\n st [r0+2], r2", []uint32{0xffffffff, 6, 7, 8}},
		{"add", "ld r1, [r0]\n ld r2, [r0+1]\n add r1, r1, r2\n st [r0+2], r1", []uint32{0, 8, 10, 12}},
		{"sub", "ld r1, [r0]\n ld r2, [r0+1]\n sub r1, r2, r1\n st [r0+2], r1", []uint32{0xfffffffe, 4, 4, 4}},
		{"min", "ld r1, [r0]\n ld r2, [r0+1]\n min r1, r2, r1\n st [r0+2], r1", []uint32{0xffffffff, 2, 3, 4}},
		{"max", "ld r1, [r0]\n ld r2, [r0+1]\n max r1, r2, r1\n st [r0+2], r1", []uint32{1, 6, 7, 8}},
		{"addi counts in element 0", "ld r1, [r0]\n addi r1, r1, -1\n st [r0+2], r1", []uint32{0, 2, 3, 4}},
		{"li", "ld r1, [r0]\n li r1, 9\n st [r0+2], r1", []uint32{9, 0, 0, 0}},
		{"lih keeps the other bits", "ld r1, [r0]\n lih r1, 1\n st [r0+2], r1", []uint32{0x10001, 2, 3, 4}},
		{"now", "ld r1, [r0]\n now r1\n st [r0+2], r1", []uint32{0, 0, 0, 0}},
		{"equal", "ld r1, [r0]\n mov r2, r1\n beq r1, r2, x\n halt\nx: st [r0+2], r1", []uint32{1, 2, 3, 4}},
		{"equal in element 0 only", "ld r1, [r0]\n li r2, 1\n bne r1, r2, x\n halt\nx: st [r0+2], r1", []uint32{1, 2, 3, 4}},
		{"less looks at element 0", "ld r1, [r0]\n li r2, 2\n blt r1, r2, x\n halt\nx: st [r0+2], r1", []uint32{1, 2, 3, 4}},
		{"copy", "li r1, 2\n li r2, 1\n copy r1, r2, r2", []uint32{0xffffffff, 6, 7, 8}},
		{"a count of words", "ld r1, [r0]\n li r2, -1\n recv r1, r2, r0\n st [r0+2], r1", []uint32{2, 0, 0, 0}},
		{"a message", "li r1, 1\n li r2, 2\n recv r3, r1, r2", []uint32{1, 2, 3, 4}},
		{"a control word", "ld r1, [r0]\n recvw r1, r2\n st [r0+2], r1\n li r1, 1\n recv r1, r1, r0", []uint32{0xffffffff, 6, 7, 8}},
	} {
		for _, parts := range []int{0, 1} { // words of the shared part of the memory
			if parts > 0 && row.name == "a count of words" {
				continue // its message would go there
			}
			n, _ := network(t, wormhole(t, "width", "128", "routing", "dor"), "halt", "halt")
			sender := "li r1, 2\n ld r2, [r0+1]\n sendw order, r0, r2, r0\n send r0, r0, r1, r0"
			load := pe.Load{
				Programs: []*pe.Program{decode(t, 0, row.text), decode(t, 1, sender)}, Runs: []int32{0, 1},
				Memory: [][]uint32{append([]uint32(nil), wideMemory...), append([]uint32(nil), wideMemory...)},
			}
			if parts > 0 {
				load.Memory[0], load.Shared = load.Memory[0][4:], [][]uint32{{1}, nil}
			}
			a, err := pe.New(load)
			require.NoError(t, err)
			n.Attach(a)
			require.NoError(t, n.Run(t.Context(), 1000), row.name)
			require.NoError(t, a.Err(), row.name)
			if parts == 0 {
				require.Equal(t, row.want, a.Memory(0)[8:12], row.name)
			}
			require.Len(t, a.Memory(0), 16)
		}
	}
}

// The shared part has a number a word. A PE that writes there gets a copy with all elements.
func TestSharedMemoryOfWideWords(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []uint32
	}{
		{"read", "ld r1, [r0+1]\n st [r0+2], r1", []uint32{1, 0, 2, 0, 2, 0}},
		{"written", "ld r1, [r0+2]\n st [r0], r1", []uint32{3, 4, 2, 0, 3, 4}},
		{"copied across", "li r1, 1\n li r2, 2\n copy r1, r2, r1", []uint32{1, 0, 3, 4, 3, 4}},
	} {
		n, _ := network(t, wormhole(t, "width", "64"), "halt", "halt")
		a, err := pe.New(pe.Load{
			Programs: []*pe.Program{decode(t, 0, row.text), decode(t, 1, "halt")}, Runs: []int32{0, 1},
			Shared: [][]uint32{{1, 2}, nil}, Memory: [][]uint32{{3, 4}, nil},
		})
		require.NoError(t, err)
		n.Attach(a)
		require.NoError(t, n.Run(t.Context(), 1000))
		require.NoError(t, a.Err())
		require.Equal(t, row.want, a.Memory(0), row.name)
	}
}

func TestWideMemoryEnds(t *testing.T) {
	n, a := network(t, wormhole(t, "width", "128"), "ld r1, [r0+2]", "halt")
	require.NoError(t, n.Run(t.Context(), 1000))
	require.EqualError(t, a.Err(), `p0.s:1: PE 0 at address 0 in cycle 0: memory words 2 to 2 do not exist: the PE has 2: "ld r1, [r0+2]"`)
}
