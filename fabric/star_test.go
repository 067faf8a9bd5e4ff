// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// The machine's own routes on star graphs are shortest paths, on networks of any size: the routes of
// S_8 are computed, as its tables would be too large.
func TestRoutesOfStarGraphsAreShortest(t *testing.T) {
	for _, row := range []struct {
		spec string
		step router.NodeID // between the nodes that are tried
	}{{"star:2", 1}, {"star:4", 1}, {"star:5", 7}, {"star:8", 4999}} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		net, err := New(topo, m)
		require.NoError(t, err)
		require.Equal(t, machine.Table, net.Machine.Routing)
		for to := router.NodeID(0); int(to) < topo.Nodes(); to += row.step {
			depth := topology.BreadthFirst(topo, to).Depth
			for from := router.NodeID(0); int(from) < topo.Nodes(); from += row.step {
				route := net.Route(from, to)
				require.Len(t, route, int(depth[from]), "%s %d>%d", topo, from, to)
				require.Equal(t, topo.Star().Route(from, to), append([]router.Port{}, route...))
			}
		}
	}
}
