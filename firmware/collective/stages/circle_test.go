// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/router"
)

// In every circle all blocks come to all nodes, each once, and only from nodes that have them.
func TestCirclesGatherAll(t *testing.T) {
	for nodes := 1; nodes <= 40; nodes++ {
		order, lengths := make([]router.NodeID, nodes), make([]int, nodes)
		for i := range order {
			order[i], lengths[i] = router.NodeID((7*i+3)%nodes), 1 // some twice where 7 divides the number: the order is then the nodes' own
			if nodes%7 == 0 {
				order[i] = router.NodeID(i)
			}
		}
		for _, c := range stages.Circles(order) {
			has := make([][]bool, nodes)
			for n := range has {
				has[n] = make([]bool, nodes)
				has[n][n] = true
			}
			step, before := -1, [][]bool(nil)
			l := c.List(lengths)
			for _, x := range l.Transfers {
				if x.Step != step {
					step, before = x.Step, nil
					for _, row := range has {
						before = append(before, append([]bool(nil), row...))
					}
				}
				for _, r := range x.Out {
					for w := r.From; w < r.To; w++ {
						require.True(t, before[x.From][w], "%d nodes, %v: node %d has no block %d in step %d", nodes, c.Apart, x.From, w, step)
						require.False(t, has[x.To][w], "%d nodes, %v: block %d comes to node %d again", nodes, c.Apart, w, x.To)
						has[x.To][w] = true
					}
				}
			}
			for n := range has {
				require.NotContains(t, has[n], false, "%d nodes, %v: node %d", nodes, c.Apart, n)
			}
		}
	}
}

func TestCirclesByHand(t *testing.T) {
	var apart [][]int
	for _, c := range stages.Circles(make([]router.NodeID, 6)) {
		apart = append(apart, c.Apart)
	}
	require.Equal(t, [][]int{{1, 1, 1, 1, 1}, {1, 2, 4}, {3, 2, 1}, {1, 1, 3}, {2, 2, 1}, {1, 1, 1, 4}, {2, 2, 1}}[:6], apart[:6])
}
