// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Routes lead up to nodes that a breadth-first search finds earlier, and then down. Between neighbours they are the link.
func TestUpDownWaysTurnOnce(t *testing.T) {
	for _, spec := range []string{"debruijn:4", "random:40,3,7", "random:64,5,1", "star:4", "twisted-torus:4x6,1", "hub:7", "complete:6", "random-tree:20,4", "mesh:5x4", "torus:4x5", "ring:7", "path:5", "hypercube:4", "mesh:3x2x3"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		require.NoError(t, m.Set("routing", "updown"))
		net, err := New(topo, m)
		require.NoError(t, err)
		place := make([]int, topo.Nodes())
		for i, n := range topology.BreadthFirst(topo, topo.Root).Order {
			place[n] = i
		}
		for from := range router.NodeID(topo.Nodes()) {
			for to := range router.NodeID(topo.Nodes()) {
				at, fell, turns := from, false, 0
				for _, p := range net.Route(from, to) {
					next := topo.Neighbor(at, p)
					falls := place[next] > place[at]
					if fell && !falls {
						turns++
					}
					at, fell = next, falls
				}
				require.Equal(t, to, at, "%s %d>%d", spec, from, to)
				require.Zero(t, turns, "%s %d>%d goes up again", spec, from, to)
				if _, joined := topo.PortTo(from, to); joined {
					require.Len(t, net.Route(from, to), 1, "%s %d>%d", spec, from, to)
				}
			}
		}
	}
}
