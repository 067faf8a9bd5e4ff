// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// A piece is in the levels up to the links from the nearest node that has it.
func TestWorthByHand(t *testing.T) {
	n := &network{nodes: 8, furthest: 7, route: make([][]router.Port, 64)} // path:8
	for u := range 8 {
		for v := range 8 {
			n.route[8*u+v] = make([]router.Port, max(u-v, v-u))
		}
	}
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
