// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// A translation is one to one, brings node 0 to its root, and keeps links and their generators. The links of a
// node have different generators.
func TestTranslationsKeepLinksAndGenerators(t *testing.T) {
	for _, spec := range []string{"star:2", "star:3", "star:4", "star:5", "hypercube:1", "hypercube:5", "ring:3", "ring:7", "torus:3x4", "torus:2x5x3", "mesh:2x2", "path:2", "complete:1", "complete:2", "complete:6", "twisted-torus:3x6", "twisted-torus:6x3", "twisted-torus:4x4,3", "twisted-torus:2x5,2"} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		require.True(t, topo.Translates(), spec)
		nodes := router.NodeID(topo.Nodes())
		for root := range nodes {
			require.Equal(t, root, topo.Translate(root, 0))
			seen := make([]bool, nodes)
			for v := range nodes {
				moved := topo.Translate(root, v)
				require.False(t, seen[moved])
				seen[moved] = true
				generators := map[int]bool{}
				for p := range router.Port(topo.Ports(v)) {
					g, to := topo.Generator(v, p), topo.Neighbor(v, p)
					if to == router.None {
						require.Equal(t, -1, g)
						continue
					}
					require.False(t, generators[g], "%s node %d", spec, v)
					generators[g] = true
					port, isLink := topo.PortTo(moved, topo.Translate(root, to))
					require.True(t, isLink, "%s from %d: link %d>%d", spec, root, v, to)
					require.Equal(t, g, topo.Generator(moved, port), "%s from %d: link %d>%d", spec, root, v, to)
				}
			}
		}
	}
}

func TestNetworksWithoutTranslations(t *testing.T) {
	for _, spec := range []string{"path:3", "mesh:2x3", "binary:2", "debruijn:3", "random:6,3", "hub:2"} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		require.False(t, topo.Translates(), spec)
		require.Equal(t, router.None, topo.Translate(0, 1))
		require.Equal(t, -1, topo.Generator(0, 0))
	}
	topo, err := Parse("star:3")
	require.NoError(t, err)
	require.Equal(t, router.None, topo.Translate(0, 6))
	require.Equal(t, router.None, topo.Translate(-1, 0))
	require.Equal(t, -1, topo.Generator(0, 2))
	require.False(t, (&Topology{}).Translates())
}
