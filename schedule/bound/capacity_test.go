// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func TestCapacityByHand(t *testing.T) {
	topo, err := topology.Parse("complete:3")
	require.NoError(t, err)
	m, _ := machine.Preset("wormhole")
	m.Startup, m.Channels = 10, 1
	for _, row := range []struct {
		name      string
		room      *capacity
		messages  map[router.Cycle]router.Cycle
		fitsFirst router.Cycle
	}{
		// A channel rests for 10 cycles between two messages. The root has 4 words from cycle 0 on, the second node has one from cycle 11 on.
		{"broadcast", newCapacity(topo, m, 0, 4, false), map[router.Cycle]router.Cycle{8: -1, 18: 0, 19: 1, 22: 1, 23: 2}, 23},
		// Two nodes send from cycle 0 on; one of them ends a cycle before the other. At the root 8 flits fit into 19 cycles.
		{"reduce", newCapacity(topo, m, 0, 4, true), map[router.Cycle]router.Cycle{14: 1, 15: 1, 16: 2, 21: 3}, 19},
	} {
		for cycles, most := range row.messages {
			require.Equal(t, most, row.room.messages(cycles), "%s, %d cycles", row.name, cycles)
		}
		require.True(t, row.room.fits(row.fitsFirst), row.name)
		require.False(t, row.room.fits(row.fitsFirst-1), row.name)
	}
}
