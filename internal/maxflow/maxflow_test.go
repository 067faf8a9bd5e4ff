// SPDX-License-Identifier: Apache-2.0

package maxflow

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutOf returns the least capacity of a cut, among all.
func cutOf(nodes int, capacity [][]int64) int64 {
	least := int64(Unlimited)
	for side := range 1 << nodes {
		if side&1 == 0 || side>>(nodes-1)&1 == 1 {
			continue
		}
		sum := int64(0)
		for a := range nodes {
			for b := range nodes {
				if side>>a&1 == 1 && side>>b&1 == 0 {
					sum += capacity[a][b]
				}
			}
		}
		least = min(least, sum)
	}
	return least
}

func TestFlowIsTheLeastCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		nodes := 2 + rng.IntN(6)
		f := New(nodes, nodes*nodes)
		capacity := make([][]int64, nodes)
		arcs := map[[2]int]int32{}
		for a := range nodes {
			capacity[a] = make([]int64, nodes)
			for b := range nodes {
				if a != b && rng.IntN(3) > 0 {
					capacity[a][b] = int64(rng.IntN(8))
					arcs[[2]int{a, b}] = f.Arc(int32(a), int32(b), capacity[a][b])
				}
			}
		}
		sink := int32(nodes - 1)
		want := cutOf(nodes, capacity)
		require.Equal(t, want, f.Send(0, sink, Unlimited))
		crossing := int64(0)
		for ends := range arcs {
			if !f.Reaches(int32(ends[0])) && f.Reaches(int32(ends[1])) {
				crossing += capacity[ends[0]][ends[1]]
			}
		}
		require.Equal(t, want, crossing)
		f.Reset()
		for ends, e := range arcs {
			require.Equal(t, capacity[ends[0]][ends[1]], f.Left(e))
			require.Zero(t, f.Flow(e))
		}
		require.Equal(t, want/2, f.Send(0, sink, want/2))
		require.Equal(t, want-want/2, f.Send(0, sink, Unlimited))
	}
}

func TestSendAlongAPathIsTakenAsFarAsItGoes(t *testing.T) {
	f := New(3, 3)
	a, b, c := f.Arc(0, 1, 5), f.Arc(1, 2, 3), f.Arc(0, 2, 1)
	require.Equal(t, int64(3), f.SendAlong([]int32{a, b}, 9))
	require.Equal(t, int64(3), f.Flow(a))
	require.Equal(t, int64(1), f.Send(0, 2, 9))
	require.Equal(t, int64(1), f.Flow(c))
	require.Zero(t, f.Left(b))
	f.Reset()
	require.Equal(t, int64(5), f.Left(a))
}
