// SPDX-License-Identifier: Apache-2.0

package heap_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/heap"
)

type number int

func (a number) Before(b number) bool { return a < b }

// A heap gives back what a sorted list would.
func TestElementsLeaveInOrder(t *testing.T) {
	for seed := range uint64(100) {
		g := rand.New(rand.NewPCG(seed, 2))
		var sorted []number
		for range g.IntN(20) {
			sorted = append(sorted, number(g.IntN(50)))
		}
		h := heap.Heap[number](slices.Clone(sorted))
		h.Init()
		for range 100 {
			switch x := number(g.IntN(50)); {
			case len(sorted) == 0 || g.IntN(3) == 0:
				h.Push(x)
				sorted = append(sorted, x)
			case g.IntN(2) == 0:
				slices.Sort(sorted)
				h[0], sorted[0] = x, x
				h.FixFirst()
			default:
				slices.Sort(sorted)
				require.Equal(t, sorted[0], h.Pop(), "seed %d", seed)
				sorted = sorted[1:]
			}
			require.Len(t, h, len(sorted))
			if len(sorted) > 0 {
				require.Equal(t, slices.Min(sorted), h[0], "seed %d", seed)
			}
		}
	}
}

// BenchmarkPushPop keeps 1000 elements.
func BenchmarkPushPop(b *testing.B) {
	g := rand.New(rand.NewPCG(1, 2))
	var h heap.Heap[number]
	for range 1000 {
		h.Push(number(g.IntN(1 << 20)))
	}
	for b.Loop() {
		h.Push(h.Pop() + number(g.IntN(1000)))
	}
}
