// SPDX-License-Identifier: Apache-2.0

package pe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/pe"
)

// BenchmarkInstructions runs loops of programs: numbers in registers, the sum of two blocks of memory
// as in transfers.s, and messages of one word between two PEs.
func BenchmarkInstructions(b *testing.B) {
	const turns = 1 << 20
	for _, row := range []struct {
		name         string
		texts        []string
		instructions int // of a turn, in all PEs
	}{
		{"registers", []string{"lih r1, 16\nx: add r3, r3, r1\n mov r2, r3\n addi r1, r1, -1\n bne r1, r0, x", "halt"}, 4},
		{"memory", []string{"lih r1, 16\nx: ld r3, [r0+1]\n ld r4, [r0+2]\n add r3, r3, r4\n st [r0+2], r3\n addi r1, r1, -1\n bne r1, r0, x", "halt"}, 6},
		{"messages", []string{
			"lih r1, 16\n li r2, 1\nx: send r2, r0, r2, r0\n addi r1, r1, -1\n bne r1, r0, x",
			"lih r1, 16\nx: recv r3, r0, r0\n addi r1, r1, -1\n bne r1, r0, x",
		}, 6},
	} {
		b.Run(row.name, func(b *testing.B) {
			for range b.N {
				n, a := network(b, wormhole(b), row.texts...)
				require.NoError(b, n.Run(b.Context(), 4*turns))
				require.NoError(b, a.Err())
			}
			b.ReportMetric(float64(b.N)*float64(row.instructions)*turns/1e6/b.Elapsed().Seconds(), "M-instructions/s")
		})
	}
}

// A PE reads the shared part of its memory, and gets a copy of its own when it writes there.
func TestSharedMemory(t *testing.T) {
	for _, row := range []struct {
		name, text string
		copied     bool
		want       []uint32
	}{
		{"read", "ld r1, [r0+1]\n st [r0+3], r1", false, []uint32{1, 2, 3, 2}},
		{"written", "li r1, 9\n st [r0], r1", true, []uint32{9, 2, 3, 4}},
		{"copied across", "li r1, 1\n li r2, 2\n copy r2, r1, r2", true, []uint32{1, 2, 2, 3}},
		{"copied behind", "li r1, 2\n li r2, 3\n li r3, 1\n copy r2, r1, r3", false, []uint32{1, 2, 3, 3}},
		{"sent", "li r1, 1\n li r2, 4\n send r1, r0, r2, r0", true, []uint32{1, 2, 3, 4}},
	} {
		t.Run(row.name, func(t *testing.T) {
			n, _ := network(t, wormhole(t), "halt", "halt")
			shared := []uint32{1, 2}
			a, err := pe.New(pe.Load{
				Programs: []*pe.Program{decode(t, 0, row.text), decode(t, 1, "halt")}, Runs: []int32{0, 1},
				Shared: [][]uint32{shared, nil}, Memory: [][]uint32{{3, 4}, {5}},
			})
			require.NoError(t, err)
			n.Attach(a)
			require.NoError(t, n.Run(t.Context(), 1000))
			require.NoError(t, a.Err())
			require.Equal(t, row.want, a.Memory(0))
			require.Equal(t, []uint32{1, 2}, shared)
			front, _ := a.Parts(0)
			require.Equal(t, row.copied, front == nil)
			require.Equal(t, []uint32{5}, a.Memory(1))
		})
	}
}
