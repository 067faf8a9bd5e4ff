// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Find is exact where that ends soon, and otherwise no worse than the local
// search; its plans do not depend on how fast the computer is.
func TestFindIsExactWhereItCanBe(t *testing.T) {
	chain := func(n int) *Tree {
		parent := make([]int, n)
		for v := range parent {
			parent[v] = v - 1
		}
		tree, err := NewTree(parent)
		require.NoError(t, err)
		return tree
	}
	few, err := Find(context.Background(), chain(4), []int{0, 3, 0, 2}, ratio(t, 3, 2), Effort{Seed: 1})
	require.NoError(t, err)
	require.True(t, few.Optimal)
	best, err := Optimum(context.Background(), chain(4), []int{0, 3, 0, 2}, ratio(t, 3, 2))
	require.NoError(t, err)
	require.Equal(t, best.Ticks, few.Ticks)

	lengths := make([]int, 30)
	for v := 1; v < len(lengths); v++ {
		lengths[v] = 1 + v%7
	}
	effort := Effort{Seed: 1, Steps: 2000}
	many, err := Find(context.Background(), chain(30), lengths, ratio(t, 3, 2), effort)
	require.NoError(t, err)
	require.False(t, many.Optimal)
	improved, err := Improve(context.Background(), chain(30), lengths, ratio(t, 3, 2), effort)
	require.NoError(t, err)
	require.Equal(t, improved.Ticks, many.Ticks)

	_, err = Find(context.Background(), chain(3), []int{0, -1, 2}, ratio(t, 1, 1), effort)
	require.Error(t, err)
}

// The search for the optimum gives up after its visits.
func TestTheSearchForTheOptimumGivesUp(t *testing.T) {
	tree, err := NewTree([]int{-1, 0, 1, 2, 0, 4, 5, 6})
	require.NoError(t, err)
	plan, err := optimum(context.Background(), tree, []int{0, 0, 0, 3, 0, 0, 0, 1}, ratio(t, 3, 2), 1, 1)
	require.NoError(t, err)
	require.False(t, plan.Optimal)
	require.Positive(t, plan.Ticks)
}
