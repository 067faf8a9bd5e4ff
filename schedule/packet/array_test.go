// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// On a linear array no order and no split beats furthest first with every
// message in even packets, and no buffer ever holds more than the largest
// packet (Tsai, theorems 2 and 6, lemma 13).
func TestFurthestFirstIsOptimalOnALinearArray(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 61))
		tree := pathOf(t, 3+random.IntN(6))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(3))
		lengths := make([]int, tree.nodes())
		for _, n := range random.Perm(tree.nodes() - 1)[:1+random.IntN(min(4, tree.nodes()-1))] {
			lengths[n+1] = 1 + random.IntN(5)
		}
		best := Ticks(1 << 60)
		evenSplits(t, lengths, tree.nodes()-1, nil, func(dispatch []Packet, largest int) {
			o, err := Scatter(tree, dispatch, beta)
			require.NoError(t, err)
			require.LessOrEqual(t, o.Buffer, largest)
			best = min(best, o.Completion)
		})
		optimum, err := Optimum(t.Context(), tree, lengths, beta)
		require.NoError(t, err)
		require.True(t, optimum.Optimal)
		require.Equal(t, best, optimum.Ticks, "seed %d: lengths %v, setup %s", seed, lengths, beta)
	}
}

// evenSplits visits every way to split the messages of nodes up to the given
// one evenly, furthest node first, behind the packets of those beyond.
func evenSplits(t *testing.T, lengths []int, node int, before []Packet, visit func(dispatch []Packet, largest int)) {
	for node > 0 && lengths[node] == 0 {
		node--
	}
	if node == 0 {
		largest := 0
		for _, p := range before {
			largest = max(largest, p.Flits)
		}
		visit(before, largest)
		return
	}
	for r := range lengths[node] {
		split, err := EvenSplit(int64(lengths[node]), int64(r+1))
		require.NoError(t, err)
		list := append([]Packet(nil), before...)
		for _, size := range split.Sizes() {
			list = append(list, Packet{node, int(size)})
		}
		evenSplits(t, lengths, node-1, list, visit)
	}
}
