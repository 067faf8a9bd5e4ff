// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// halfBroadcast is a state of a broadcast among half-duplex neighbours with one channel each: which words a node has, and which nodes receive in this cycle.
type halfBroadcast struct{ has, receives uint32 }

// leastHalf is the least time in which all nodes have the words of node 0, by going through all states. Without startup a flit that is sent in a cycle is received in the next
// one, and can be sent on at once by a PE that does not receive any more.
func leastHalf(nodes, words int) router.Cycle {
	full := uint32(1)<<(nodes*words) - 1
	states := map[halfBroadcast]bool{{has: 1<<words - 1}: true}
	for time := router.Cycle(0); ; time++ {
		next := map[halfBroadcast]bool{}
		for s := range states {
			if s.has == full {
				return time + 1
			}
			var choose func(from int, after halfBroadcast)
			choose = func(from int, after halfBroadcast) {
				if from == nodes {
					next[after] = true
					return
				}
				choose(from+1, after)
				if s.receives>>from&1 == 1 {
					return
				}
				for to := range nodes {
					for w := range words {
						if to != from && after.receives>>to&1 == 0 && s.has>>(from*words+w)&1 == 1 && after.has>>(to*words+w)&1 == 0 {
							choose(from+1, halfBroadcast{after.has | 1<<(to*words+w), after.receives | 1<<to})
						}
					}
				}
			}
			choose(0, halfBroadcast{has: s.has})
		}
		states = next
	}
}

// The bound of half duplex with growth is held against all schedules of neighbours.
func TestHalfDuplexGrowthAgainstAllSchedules(t *testing.T) {
	met := 0
	for _, row := range []struct{ nodes, words int }{{2, 1}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {3, 4}, {4, 1}, {4, 2}, {4, 3}, {5, 1}} {
		topo, err := topology.Parse(fmt.Sprintf("complete:%d", row.nodes))
		require.NoError(t, err)
		m, _ := machine.Preset("wormhole")
		m.Channels, m.Duplex = 1, machine.Half
		bound, least := halfDuplexGrowth(topo, m, 0, row.words, false), leastHalf(row.nodes, row.words)
		require.LessOrEqual(t, bound, least, "%+v", row)
		require.Equal(t, bound, halfDuplexGrowth(topo, m, 0, row.words, true), "%+v: without startup a reduction is a broadcast reversed", row)
		if bound == least {
			met++
		}
	}
	require.Greater(t, met, 4)
}
