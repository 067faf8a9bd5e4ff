// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// In all phases together every block comes to its destination, whatever the radices and the order.
func TestBlocksArriveInPhases(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	for nodes := 2; nodes <= 17; nodes++ {
		order := make([]router.NodeID, nodes)
		for i, v := range random.Perm(nodes) {
			order[i] = router.NodeID(v)
		}
		for _, radices := range allRadices(nodes) {
			for kind := range phaseKinds {
				p := inOrder(kind, radices, order)
				for from := range router.NodeID(nodes) {
					for to := range router.NodeID(nodes) {
						at := from
						for phase := range radices {
							at = p.next(phase, from, at, to)
						}
						require.Equal(t, to, at, "%d nodes, kind %d, radices %v, from %d", nodes, kind, radices, from)
					}
				}
			}
		}
	}
}

// A node sends as many messages in a phase as its radix says, or fewer.
func TestMessagesOfPhases(t *testing.T) {
	for _, row := range []struct {
		nodes   int
		radices []int
		most    int
	}{{8, []int{2, 2, 2}, 3}, {12, []int{3, 4}, 5}, {12, []int{4, 3}, 5}, {9, []int{9}, 8}} {
		order := make([]router.NodeID, row.nodes)
		for i := range order {
			order[i] = router.NodeID(i)
		}
		for kind := range phaseKinds {
			p := inOrder(kind, row.radices, order)
			most := 0
			for at := range router.NodeID(row.nodes) {
				to := map[string]bool{}
				for from := range router.NodeID(row.nodes) {
					for destination := range router.NodeID(row.nodes) {
						now := from
						for phase := range row.radices {
							next := p.next(phase, from, now, destination)
							if now == at && next != at {
								to[fmt.Sprint(phase, next)] = true
							}
							now = next
						}
					}
				}
				most = max(most, len(to))
			}
			require.Equal(t, row.most, most, "%v kind %d", row, kind)
		}
	}
}
