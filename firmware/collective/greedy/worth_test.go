// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
)

// A piece is in the levels up to the links from the nearest node that has it.
func TestWorthByHand(t *testing.T) {
	path, err := topology.Parse("path:8")
	require.NoError(t, err)
	wormhole, err := machine.Preset("wormhole")
	require.NoError(t, err)
	pairs, err := plan.NewPairs(&plan.Task{Job: plan.Job{Topology: path, Machine: wormhole}})
	require.NoError(t, err)
	n := &network{Pairs: pairs, nodes: 8}
	w := newWorth(n, 2, 1)
	w.has(7, 1, n.nodes)
	for v, nearest := range []int32{7, 6, 5, 4, 3, 2, 1, 0} {
		require.Equal(t, nearest, w.nearest[8+v])
		require.Equal(t, int32(math.MaxInt32), w.nearest[v], "nobody has piece 0")
		for k := range w.beyond {
			require.Equal(t, nearest >= 1<<k, w.beyond[k][v].Has(1), "level %d of node %d", k, v)
		}
	}
	w.has(2, 1, n.nodes)
	require.Equal(t, []int32{2, 1, 0, 1, 2, 2, 1, 0}, w.nearest[8:])
	require.False(t, w.beyond[2][0].Has(1))
}
