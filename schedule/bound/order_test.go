// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Proposition 1 holds for every order of up to seven messages on random trees,
// and the best order is the bound of Scatter.
func TestAnyOrderIsWithinItsBounds(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 31))
		topo := randomTree(t, random, 8+random.IntN(6))
		depth := topology.BreadthFirst(topo, 0).Depth
		lengths := make([]int, topo.Nodes())
		var nodes []router.NodeID
		for _, n := range random.Perm(topo.Nodes() - 1)[:1+random.IntN(7)] {
			lengths[n+1] = 1 + random.IntN(9)
			nodes = append(nodes, router.NodeID(n+1))
		}
		least, most := bound.AnyOrder(depth, lengths)
		best := router.Cycle(1 << 40)
		permute(nodes, 0, func() {
			dispatch, time := router.Cycle(0), router.Cycle(0)
			for _, n := range nodes {
				dispatch += router.Cycle(lengths[n])
				time = max(time, dispatch+router.Cycle(depth[n]))
			}
			require.LessOrEqual(t, least, time)
			require.LessOrEqual(t, time, most)
			best = min(best, time)
		})
		require.Equal(t, best, bound.Scatter(topo, preset(t, "bufferless"), 0, lengths).Cycles, "seed %d", seed)
	}
}

func ExampleAnyOrder() {
	fmt.Println(bound.AnyOrder([]int32{0, 1, 2, 3, 4, 5}, []int{0, 0, 0, 0, 4, 3}))
	// Output:
	// 7 12
}
