// SPDX-License-Identifier: Apache-2.0

package pe_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/router"
)

// chatter waits some cycles, sends to two nodes, and takes what two nodes have sent, three times.
const chatter = `
	li r10, 3
next: now r1
	ld r2, [r0+6]
	add r1, r1, r2
	wait r1
	li r3, 4
	send r12, r0, r3, r0
	send r11, r0, r3, r10
	sendw token, r11, r3, r0
	li r4, 2
	recv r5, r13, r4
	li r6, -1
	recv r5, r6, r0, r10
	ld r5, [r0+1]
	add r5, r5, r6
	st [r0+1], r5
	recvw r7, r8
	addi r10, r10, -1
	bne r10, r0, next
	halt`

// crowd returns a torus whose PEs all run a program: r11 and r12 are nodes to send to, r13 is one that sends.
func crowd(t *testing.T, m machine.Machine, text string) (*fabric.Network, *pe.Array) {
	t.Helper()
	topo, err := topology.Parse("torus:32x16")
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	nodes, rng := topo.Nodes(), rand.New(rand.NewPCG(1, 2))
	load := pe.Load{Programs: []*pe.Program{decode(t, 0, text)}, Runs: make([]int32, nodes)}
	for range nodes {
		memory := make([]uint32, 8*n.Machine.Elements())
		for i := range memory {
			memory[i] = rng.Uint32N(300)
		}
		load.Memory = append(load.Memory, memory)
	}
	a, err := pe.New(load)
	require.NoError(t, err)
	for node := range nodes {
		for r, to := range map[isa.Reg]int{11: node + 33, 12: node + 1, 13: node + nodes - 1} {
			a.SetRegister(router.NodeID(node), r, uint32(to%nodes))
		}
	}
	n.Attach(a)
	n.KeepLog()
	return n, a
}

// TestTurns runs PEs that act in the same cycles with one worker and with several.
func TestTurns(t *testing.T) {
	for name, m := range map[string]machine.Machine{
		"one channel": wormhole(t, "nic.channels", "1"), "links": wormhole(t, "nic.channels", "links", "startup", "5"),
		"narrow": wormhole(t, "width", "8"), "wide": wormhole(t, "width", "64"),
	} {
		t.Run(name, func(t *testing.T) {
			n, a := crowd(t, m, chatter)
			require.NoError(t, n.Run(t.Context(), 1e5))
			require.NoError(t, a.Err())
			require.Len(t, n.Log(), 3*3*512)
			require.True(t, slices.IsSortedFunc(n.Log(), func(x, y fabric.Sent) int {
				return cmp.Or(cmp.Compare(x.Cycle, y.Cycle), cmp.Compare(x.Source, y.Source))
			}), "in a cycle the PEs send in rising order")
			for _, workers := range []int{2, 5} {
				other, b := crowd(t, m, chatter)
				dismiss := other.Employ(workers)
				require.NoError(t, other.Run(t.Context(), 1e5))
				dismiss()
				require.Equal(t, n.Log(), other.Log())
				require.Equal(t, n.LinkUse(), other.LinkUse())
				require.Equal(t, a.LastHalt(), b.LastHalt())
				for node := range router.NodeID(512) {
					require.Equal(t, a.Memory(node), b.Memory(node))
					require.Equal(t, a.Register(node, 6), b.Register(node, 6))
				}
			}
		})
	}
}

// Of all PEs that fail in a cycle the lowest counts, whoever runs first.
func TestTheLowestFaultCounts(t *testing.T) {
	const text = "li r1, 511\n bne r12, r1, good\n send r12, r0, r0, r0\n ld r1, [r0+9]\ngood: li r1, 300\n blt r12, r1, end\n ld r1, [r0+8]\nend: halt"
	for _, workers := range []int{1, 2, 5} {
		n, a := crowd(t, wormhole(t), text)
		dismiss := n.Employ(workers)
		require.NoError(t, n.Run(t.Context(), 100))
		dismiss()
		require.ErrorContains(t, a.Err(), "PE 299 at address 6")
	}
}
