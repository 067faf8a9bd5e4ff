// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

func TestOrderedReachesEveryNode(t *testing.T) {
	each(t, networks, true, func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
		s := topology.BreadthFirst(topo, root)
		tree, err := Ordered(topo, m, s, constant(words))
		require.NoError(t, err)
		l := tree.Broadcast(words, 1)
		broadcasts(t, l, root, words)
		require.Equal(t, tree.Cycles(m, toEach(words)), predict(t, topo, m, l))
		require.NoError(t, transfer.Timetable(topo, m, l))
		require.LessOrEqual(t, tree.Cycles(m, toEach(words)), predict(t, topo, m, l))
		tree, err = OrderedJoining(topo, m, s, constant(words))
		require.NoError(t, err)
		reduces(t, tree.Reduce(words, 1), root, words)
	})
}

// The runs that are given away are the best ones, by brute force.
func TestRunsAreTheBest(t *testing.T) {
	for _, c := range costs {
		for _, k := range []*clock{newClock(wormhole(t, c.startup, c.flit, c.hop)), newClock(wormhole(t, c.startup, c.flit, c.hop)).backwards()} {
			for _, words := range []int{1, 7, 50} {
				given := runs(k, 200, constant(words))
				best, got := make([]router.Cycle, 201), make([]router.Cycle, 201)
				for n := 2; n <= 200; n++ {
					at := func(times []router.Cycle, q int) router.Cycle {
						return max(k.turn(words)+times[n-q], k.UntilWhole(1, words)+times[q])
					}
					best[n] = math.MaxInt64
					for q := 1; q < n; q++ {
						best[n] = min(best[n], at(best, q))
					}
					got[n] = at(got, given[n])
					require.Equal(t, best[n], got[n], "%d nodes, %d words, %v", n, words, c)
				}
			}
		}
	}
}
