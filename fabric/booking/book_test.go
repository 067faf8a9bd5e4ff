// SPDX-License-Identifier: Apache-2.0

package booking_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// A message that is not handed over in its cycle reserves nothing.
func TestReserveAt(t *testing.T) {
	topo, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	b, right := booking.NewBook(topo, m), []router.Port{0}
	for topo.Neighbor(0, right[0]) != 1 {
		right[0]++
	}
	handed, whole, ok := b.ReserveAt(0, right, 4, 3)
	require.True(t, ok)
	require.EqualValues(t, []router.Cycle{3, 7}, []router.Cycle{handed, whole})
	for range 2 {
		handed, _, ok = b.ReserveAt(0, right, 4, 5)
		require.False(t, ok)
		require.EqualValues(t, 7, handed)
	}
	handed, whole = b.Reserve(0, right, 4, 5)
	require.EqualValues(t, []router.Cycle{7, 11}, []router.Cycle{handed, whole})
}
