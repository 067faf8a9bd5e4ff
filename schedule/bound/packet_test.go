// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/bound"
	"meshwright/schedule/packet"
)

func TestPacketsByHand(t *testing.T) {
	for _, row := range []struct {
		name          string
		parent        []int
		lengths       []int
		setup, flit   router.Cycle
		scatter, tree router.Cycle
	}{
		{"nothing to do", []int{-1, 0}, []int{7, 0}, 3, 1, 0, 0},
		{"one node", []int{-1}, []int{7}, 3, 1, 0, 0},
		{"one link", []int{-1, 0}, []int{0, 7}, 3, 1, 10, 10},
		{"two messages, one link each", []int{-1, 0, 0}, []int{0, 7, 2}, 3, 1, 15, 15},
		{"no setup, three links", []int{-1, 0, 1, 2}, []int{0, 0, 0, 7}, 0, 2, 18, 18},
		{"one packet is best", []int{-1, 0, 1, 2}, []int{0, 0, 0, 2}, 5, 1, 21, 21},
		{"two packets are best", []int{-1, 0, 1, 2}, []int{0, 0, 0, 8}, 2, 1, 8 + 4 + 2*6, 8 + 4 + 2*6},
		// From u = 3 a tick each at rates 1/3, 2/4, 3/5, 4/6, 5/7, 6/8, 7/9, which bring 4.342 flits; the other 11.658 at 8/10: 24.57.
		{"all go two links", []int{-1, 0, 1, 1}, []int{0, 0, 8, 8}, 2, 1, 25, 25},
		// The first two links alone: 16 + 2*sum ceil(8/x) + 2+x, 30 for x = 4 and 8, and one link of 3 after them.
		{"the same two links", []int{-1, 0, 1, 2, 2}, []int{0, 0, 0, 8, 8}, 2, 1, 30, 33},
	} {
		t.Run(row.name, func(t *testing.T) {
			tree, err := packet.NewTree(row.parent)
			require.NoError(t, err)
			distance := make([]int32, len(row.parent))
			for v := range distance {
				distance[v] = int32(tree.Depth(v))
			}
			b, err := bound.PacketScatter(distance, row.lengths, row.setup, row.flit)
			require.NoError(t, err)
			require.Equal(t, row.scatter, b)
			gather, err := bound.PacketGather(distance, row.lengths, row.setup, row.flit)
			require.NoError(t, err)
			require.Equal(t, b, gather)
			b, err = bound.PacketTree(row.parent, row.lengths, row.setup, row.flit)
			require.NoError(t, err)
			require.Equal(t, row.tree, b)
		})
	}
}

// TestPacketBoundIsMet: with equal messages to contiguous nodes of a path, one
// message among them, the bound is the optimum.
func TestPacketBoundIsMet(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 18))
		s := 1 + random.IntN(12)
		last := s + random.IntN(4)
		m := 1 + random.Int64N(1<<random.IntN(16))
		beta, err := rational.New(random.Int64N(100), 1+random.Int64N(8))
		require.NoError(t, err)
		best, err := packet.ScatterContiguous(m, int64(s), int64(last), beta)
		require.NoError(t, err)
		parent, lengths := make([]int, last+1), make([]int, last+1)
		for v := range parent {
			parent[v] = v - 1
			if v >= s {
				lengths[v] = int(m)
			}
		}
		b, err := bound.PacketTree(parent, lengths, router.Cycle(beta.Num()), router.Cycle(beta.Den()))
		require.NoError(t, err)
		ticks := best.Time.Mul(best.Time, rational.Rational.Rat(mustWhole(t, beta.Den())))
		require.True(t, ticks.IsInt())
		require.Equal(t, ticks.Num().Int64(), int64(b), "seed %d", seed)
	}
}

func mustWhole(t *testing.T, n int64) rational.Rational {
	r, err := rational.Whole(n)
	require.NoError(t, err)
	return r
}

func TestPacketInputs(t *testing.T) {
	for _, row := range []struct {
		distance    []int32
		lengths     []int
		setup, flit router.Cycle
		fault       string
	}{
		{[]int32{0}, []int{0, 1}, 0, 1, "2 lengths for 1 node (expected one length a node)"},
		{[]int32{0, 1}, []int{0, -1}, 0, 1, "node 1: distance 1, length -1 (expected 0 or more)"},
		{[]int32{0, -1}, []int{0, 1}, 0, 1, "node 1: distance -1, length 1 (expected 0 or more)"},
		{[]int32{0, 1}, []int{0, 1}, -1, 1, "setup -1, flit 1 ticks (expected setup of 0 or more and flit of 1 or more)"},
		{[]int32{0, 1}, []int{0, 1}, 0, 0, "setup 0, flit 0 ticks (expected setup of 0 or more and flit of 1 or more)"},
		{[]int32{0, 1}, []int{0, 1 << 61}, 0, 1, "2305843009213693952 flits over 1 links take too many ticks to count (expected fewer flits, or a setup with a smaller denominator)"},
	} {
		_, err := bound.PacketScatter(row.distance, row.lengths, row.setup, row.flit)
		require.EqualError(t, err, row.fault)
	}
	for _, parent := range [][]int{{-1, 2, 1}, {-1, 5, 0}, {-1, -2, 0}} {
		_, err := bound.PacketTree(parent, []int{0, 1, 1}, 0, 1)
		require.ErrorContains(t, err, "does not hang from a root (expected the parents of a tree, -1 for the root)")
	}
}

func BenchmarkPacketScatter(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 19))
	distance, lengths := make([]int32, 1<<20), make([]int, 1<<20)
	for v := range distance {
		distance[v], lengths[v] = int32(v&1023+v>>10), random.IntN(1000)
	}
	for b.Loop() {
		_, _ = bound.PacketScatter(distance, lengths, 5, 2)
	}
}

func BenchmarkPacketTreeOfPath(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 20))
	parent, lengths := make([]int, 1000), make([]int, 1000)
	for v := range parent {
		parent[v], lengths[v] = v-1, random.IntN(100)
	}
	for b.Loop() {
		_, _ = bound.PacketTree(parent, lengths, 5, 2)
	}
}
