// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// Where a long message keeps a link busy, a short one goes round it if its model has a turn there.
func TestTurnModelsGoRound(t *testing.T) {
	const long = 40
	for _, row := range []struct {
		routing, topology string
		long0, long1      router.NodeID // ends of the long message
		from, to          router.NodeID // of the short one
		round             bool
	}{
		{"dor", "mesh:4x3", 1, 2, 0, 7, false},
		{"west-first", "mesh:4x3", 1, 2, 0, 7, true},
		{"west-first", "mesh:4x3", 1, 2, 0, 3, false}, // there is no other shortest route
		{"north-last", "mesh:4x3", 1, 2, 0, 7, false},
		{"north-last", "mesh:4x3", 5, 6, 4, 3, true}, // to south
		{"negative-first", "mesh:4x3", 1, 2, 0, 7, true},
		{"negative-first", "mesh:4x3", 8, 0, 4, 3, false}, // south first
		{"odd-even", "mesh:4x3", 1, 2, 0, 7, true},
		{"odd-even", "mesh:4x3", 2, 3, 1, 7, false}, // column 2
		{"odd-even", "mesh:4x3", 1, 3, 2, 7, true},  // column 2, where it begins
		{"negative-first", "mesh:3x2x2", 1, 2, 0, 8, true},
	} {
		n := network(t, row.topology, "wormhole", "routing", row.routing)
		n.KeepLog()
		s := &script{}
		s.add(0, row.long0, row.long1, long)
		s.add(1, row.from, row.to, 2)
		n.Attach(s)
		require.NoError(t, n.Run(context.Background(), 1000))
		arrival := n.Log()[1].Arrival
		if row.round {
			require.Less(t, arrival, router.Cycle(long), "%v", row)
		} else {
			require.Greater(t, arrival, router.Cycle(long), "%v", row)
		}
	}
}

// A head waits for the channel that it prefers. So it requests that channel whenever it is free, and gets it in its turn.
func TestTurnModelsWaitForWhatTheyPrefer(t *testing.T) {
	for _, row := range []struct{ routing, topology, vcs string }{
		{"west-first", "mesh:4x3", "1"}, {"north-last", "mesh:3x4", "2"}, {"odd-even", "mesh:6x3", "1"}, {"odd-even", "mesh:3x3", "3"},
		{"negative-first", "mesh:3x2x3", "2"}, {"negative-first", "hypercube:4", "1"}, {"negative-first", "path:5", "1"},
	} {
		n := network(t, row.topology, "wormhole", "routing", row.routing, "vcs", row.vcs)
		nodes := router.NodeID(n.Topology.Nodes())
		for from := range nodes {
			for to := range nodes {
				if from == to {
					continue
				}
				w := &router.Worm{Source: from, Destination: to}
				list := n.Bank().Enter(nil, w)
				require.Equal(t, list[0], list[len(list)-1], "%v %d>%d", row, from, to)
				for len(list) > 0 {
					c := list[0]
					at, p, _ := n.Bank().ChannelAt(c)
					require.Equal(t, n.Distance(at, to)-1, n.Distance(n.Topology.Neighbor(at, p), to))
					if list = n.Bank().Onward(nil, c, w, 0); len(list) > 0 {
						require.Equal(t, list[0], list[len(list)-1], "%v %d>%d", row, from, to)
					}
				}
			}
		}
	}
}
