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

// rightwards returns a book of path:3, and the route from node 0 to node 1.
func rightwards(t *testing.T) (*booking.Book, []router.Port) {
	topo, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	right := []router.Port{0}
	for topo.Neighbor(0, right[0]) != 1 {
		right[0]++
	}
	return booking.NewBook(topo, m), right
}

// A message that is not handed over in its cycle reserves nothing.
func TestReserveAt(t *testing.T) {
	b, right := rightwards(t)
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

// On the beat messages are handed over in its multiples alone.
func TestOnBeat(t *testing.T) {
	b, right := rightwards(t)
	b.OnBeat(6)
	for _, want := range []router.Cycle{0, 6, 12} {
		handed, whole := b.Reserve(0, right, 4, max(0, want-5))
		require.EqualValues(t, []router.Cycle{want, want + 4}, []router.Cycle{handed, whole})
	}
	handed, _ := b.Reserve(0, right, 7, 13) // for more than a beat
	require.EqualValues(t, 18, handed)
	require.EqualValues(t, 30, b.Earliest(0, right, 1, 13))
}
