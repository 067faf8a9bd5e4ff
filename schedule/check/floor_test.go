// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// One message takes as long as its floor, whatever the machine: it goes as a whole, over one channel. No run of several
// messages is below the floor.
func TestFloorOnMachinesWithBuffers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 11))
	pick := func(values ...any) string { return fmt.Sprint(values[random.IntN(len(values))]) }
	lone, several := 0, 0
	for range 600 {
		topo, err := topology.Parse(pick("path:5", "mesh:2x2", "mesh:3x3", "torus:4x3", "hypercube:3", "binary:3"))
		require.NoError(t, err)
		m, err := machine.Preset(pick("wormhole", "wormhole", "wormhole", "store-forward"))
		require.NoError(t, err)
		settings := map[string]string{
			"startup": pick(0, 0, 1, 5), "flit": pick(1, 1, 2, 3), "ports": pick("all", "single"), "nic.channels": pick(1, "links"),
			"header": pick("wires", "flit"), "buffer": pick(1, 2, 3, 4, 8),
		}
		if m.PacketSwitched() {
			settings["switching"], settings["setup"], settings["buffer"] = pick("store-forward", "cut-through"), pick(0, 2, "3/2"), "64"
			settings["nic.channels"] = map[string]string{"all": "links", "single": "1"}[settings["ports"]]
		} else {
			settings["hop"], settings["claim"], settings["nic.duplex"], settings["vcs"] = pick(1, 1, 2, 4), pick(0, 1), pick("full", "half"), pick(2, 4)
		}
		for key, value := range settings {
			require.NoError(t, m.Set(key, value))
		}
		s := &schedule.Schedule{}
		for i := range 1 + random.IntN(6) {
			from := random.IntN(topo.Nodes())
			to := (from + 1 + random.IntN(topo.Nodes()-1)) % topo.Nodes()
			s.Rows = append(s.Rows, schedule.Row{Message: int32(i + 1), Source: router.NodeID(from), Destination: router.NodeID(to), Flits: 1 + random.IntN(12)})
		}
		r, err := schedule.Execute(t.Context(), s, topo, m)
		require.NoError(t, err)
		require.NoError(t, r.Failure)
		floor := check.FloorOf(s, topo, r.Network.Machine)
		if len(s.Rows) > 1 {
			require.LessOrEqual(t, floor, r.Cycles, "%v on %s, %s", s.Rows, topo, m.Describe())
			several++
			continue
		}
		require.Equal(t, r.Cycles, floor, "%v on %s, %s", s.Rows, topo, m.Describe())
		lone++
	}
	require.Greater(t, lone, 50)
	require.Greater(t, several, 300)
}
