// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// A translation is one to one, brings node 0 to its root, and keeps links and their generators. The links of a
// node have different generators.
func TestTranslationsKeepLinksAndGenerators(t *testing.T) {
	for _, spec := range []string{"star:2", "star:3", "star:4", "star:5", "hypercube:1", "hypercube:5", "ring:3", "ring:7", "ring:8", "torus:4x4", "torus:6x4x2", "torus:3x4", "torus:2x5x3", "mesh:2x2", "path:2", "complete:1", "complete:2", "complete:6", "twisted-torus:3x6", "twisted-torus:6x3", "twisted-torus:4x4,3", "twisted-torus:2x5,2"} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		require.True(t, topo.Translates(), spec)
		for i, family := range topo.Families() {
			name := fmt.Sprintf("%s, family %d", spec, i)
			requireTranslations(t, name, topo, &family)
		}
		requireTranslations(t, spec, topo, topo)
	}
}

func requireTranslations(t *testing.T, name string, topo *Topology, by interface {
	Translate(root, v router.NodeID) router.NodeID
	Generator(n router.NodeID, p router.Port) int
}) {
	nodes := router.NodeID(topo.Nodes())
	for root := range nodes {
		require.Equal(t, root, by.Translate(root, 0), name)
		seen := make([]bool, nodes)
		for v := range nodes {
			moved := by.Translate(root, v)
			require.False(t, seen[moved], name)
			seen[moved] = true
			generators := map[int]bool{}
			for p := range router.Port(topo.Ports(v)) {
				g, to := by.Generator(v, p), topo.Neighbor(v, p)
				if to == router.None {
					require.Equal(t, -1, g, name)
					continue
				}
				require.False(t, generators[g], "%s node %d", name, v)
				generators[g] = true
				port, isLink := topo.PortTo(moved, by.Translate(root, to))
				require.True(t, isLink, "%s from %d: link %d>%d", name, root, v, to)
				require.Equal(t, g, by.Generator(moved, port), "%s from %d: link %d>%d", name, root, v, to)
			}
		}
	}
}

// A translation after another one is a translation of the same family.
func TestFamiliesAreGroups(t *testing.T) {
	for spec, count := range map[string]int{"ring:8": 2, "ring:7": 1, "torus:4x4": 11, "torus:6x3": 4, "torus:2x4": 4, "torus:3x2": 2, "torus:3x5": 1, "hypercube:4": 1, "hypercube:20": 1, "star:3": 1, "complete:4": 1, "mesh:2x3": 0, "torus:4x4x4x4": 64, "twisted-torus:4x4,2": 4, "twisted-torus:5x6,1": 2, "twisted-torus:5x7,1": 1} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		families := topo.Families()
		require.Len(t, families, count, spec)
		if topo.Nodes() > 32 {
			continue
		}
		for _, x := range families {
			for a := range router.NodeID(topo.Nodes()) {
				for b := range router.NodeID(topo.Nodes()) {
					both := x.Translate(a, b)
					for v := range router.NodeID(topo.Nodes()) {
						require.Equal(t, x.Translate(both, v), x.Translate(a, x.Translate(b, v)), spec)
					}
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
	require.Equal(t, router.None, (&Translations{}).Translate(0, 0))
	require.Equal(t, -1, (&Translations{}).Generator(0, 0))
}
