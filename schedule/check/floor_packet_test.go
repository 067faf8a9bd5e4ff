// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// The floor of a packet machine is met by one message, and by several that
// leave one source with the furthest first; no run is below it.
func TestFloorOnPacketMachines(t *testing.T) {
	for _, row := range []struct {
		switching, setup string
		rows             []schedule.Row
		want             router.Cycle // ticks
	}{
		{"store-forward", "3/2", []schedule.Row{{Message: 1, Source: 0, Destination: 3, Flits: 4}}, 3 * (3 + 8)},
		{"cut-through", "3/2", []schedule.Row{{Message: 1, Source: 0, Destination: 3, Flits: 4}}, 3*(3+2) + 3*2},
		{"store-forward", "2", []schedule.Row{{Message: 1, Source: 0, Destination: 3, Flits: 1}, {Message: 2, Source: 0, Destination: 1, Flits: 5}}, 3 + 7},
		{"store-forward", "0", []schedule.Row{{Message: 1, Source: 1, Destination: 0, Flits: 2}, {Message: 2, Source: 3, Destination: 0, Flits: 2}}, 6},
	} {
		floor, cycles := floorAndTime(t, "path:4", row.switching, row.setup, row.rows)
		require.Equal(t, row.want, floor)
		require.Equal(t, row.want, cycles)
	}
	all := []schedule.Row{{Message: 1, Source: 1, Destination: 0, Flits: 2}, {Message: 2, Source: 1, Destination: 3, Flits: 2}, {Message: 3, Source: 1, Destination: 2, Flits: 1}}
	floor, cycles := floorAndTime(t, "path:4", "store-forward", "1", all, regimes[1]...)
	require.EqualValues(t, 3+3, floor, "two links away while the others use the other link, and it for a while")
	require.EqualValues(t, 3+3, cycles)
	random := rand.New(rand.NewPCG(3, 9))
	for trial := range 200 {
		var rows []schedule.Row
		for i := range 1 + random.IntN(8) {
			from, to := router.NodeID(random.IntN(9)), router.NodeID(random.IntN(8))
			if to >= from {
				to++
			}
			rows = append(rows, schedule.Row{Message: int32(i + 1), Source: from, Destination: to, Flits: 1 + random.IntN(5)})
		}
		switching := []string{"store-forward", "cut-through"}[random.IntN(2)]
		floor, cycles := floorAndTime(t, "mesh:3x3", switching, []string{"0", "1", "5/2"}[random.IntN(3)], rows, regimes[trial%2]...)
		require.LessOrEqual(t, floor, cycles)
	}
}

// regimes are the settings of the two kinds of packet machines.
var regimes = [][]string{nil, {"ports", "all", "nic.channels", "links"}}

func floorAndTime(t *testing.T, spec, switching, setup string, rows []schedule.Row, settings ...string) (floor, cycles router.Cycle) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	require.NoError(t, m.Set("switching", switching))
	require.NoError(t, m.Set("setup", setup))
	require.NoError(t, m.Set("buffer", "64"))
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	s := &schedule.Schedule{Rows: rows}
	r, err := schedule.Execute(t.Context(), s, topo, m)
	require.NoError(t, err)
	require.NoError(t, r.Failure)
	return check.FloorOf(s, topo, r.Network.Machine), r.Cycles
}
