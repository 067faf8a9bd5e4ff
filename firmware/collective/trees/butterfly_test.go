// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/plan"
	"meshwright/router"
)

// Every form of the butterfly gives every node the sum of all, also where pieces have no words.
func TestFlightsSumUp(t *testing.T) {
	for _, nodes := range []int{1, 2, 5, 6, 8, 11, 12} {
		order, blocks := make([]router.NodeID, nodes), make([][]uint32, nodes)
		for words := range 8 {
			for n := range order {
				order[n], blocks[n] = router.NodeID(nodes-1-n), make([]uint32, words)
				for i := range words {
					blocks[n][i] = 1 << n
				}
			}
			for _, f := range flights(nodes) {
				l := f.list(order, words)
				for n, block := range plan.CarryOut(l, blocks, 1) {
					for _, word := range block {
						require.EqualValues(t, 1<<nodes-1, word, "%d nodes, %+v, node %d", nodes, f, n)
					}
				}
			}
		}
	}
	require.Contains(t, flights(12), flight{groups: []int{3, 4}, split: 1, nodes: 12})
	require.Contains(t, flights(11), flight{groups: []int{5, 2}, split: 2, nodes: 10})
	require.Len(t, flights(1000), 1)
}
