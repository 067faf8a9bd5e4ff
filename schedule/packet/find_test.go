// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"math/rand/v2"
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

// The search for the optimum gives up after its visits, and says so.
func TestTheSearchForTheOptimumGivesUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 77))
	gaveUp := 0
	for range 50 {
		parent, lengths := Sample{Nodes: 12, Span: 3, Messages: 5, Flits: 5}.draw(random)
		tree, err := NewTree(parent)
		require.NoError(t, err)
		start, err := FurthestFirst(tree, lengths, ratio(t, 3, 2))
		require.NoError(t, err)
		plan, err := optimum(context.Background(), tree, lengths, ratio(t, 3, 2), 1, 1, start)
		require.NoError(t, err)
		if !plan.Optimal {
			require.LessOrEqual(t, plan.Visited, 64, "only what a single branching looks at")
			gaveUp++
		}
	}
	require.Positive(t, gaveUp)
}
