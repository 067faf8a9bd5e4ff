// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Very large networks are bounded in about the same time as large ones: from some nodes, with both ends of a long route.
func TestRootsOfLargeNetworks(t *testing.T) {
	for _, row := range []struct {
		spec       string
		from, less int // words at these nodes,
		every      int // at each so many
		all        bool
	}{
		{"random-tree:4000,3", 0, 4000, 1, true},
		{"mesh:200x200", 0, 40000, 1, true}, // its corner is hardest
		{"random-tree:20000,3", 0, 20000, 1, false},
		{"path:20001", 17, 20000, 1, false},
		{"path:20001", 1, 20001, 2, false}, // at all odd nodes
		{"path:20001", 17, 18, 1, true},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		lengths := make([]int, topo.Nodes())
		for n := row.from; n < row.less; n += row.every {
			lengths[n] = 1
		}
		list := roots(topo, lengths)
		require.LessOrEqual(t, len(list)*topo.Nodes(), 2*mostReached)
		require.True(t, slices.IsSorted(list))
		if row.all {
			require.Len(t, list, min(row.less-row.from, hardest(topo, lengths)))
			continue
		}
		for _, end := range ends(topo) {
			require.Equal(t, lengths[end] > 0, slices.Contains(list, end), end)
		}
		require.Greater(t, len(list), mostReached/topo.Nodes()/2)
	}
	topo, err := topology.Parse("path:9")
	require.NoError(t, err)
	require.Equal(t, [2]router.NodeID{8, 0}, ends(topo))
}
