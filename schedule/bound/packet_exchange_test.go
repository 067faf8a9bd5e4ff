// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// All links of some networks, their cuts and their chips, by hand. On star:4 paper 003 has a schedule of 21 steps.
func TestPacketExchange(t *testing.T) {
	for _, row := range []struct {
		network string
		single  bool
		words   int
		links   bound.PacketLinks
		startup int
		want    router.Cycle
		by      bound.Proof
	}{
		{"star:4", false, 1, bound.PacketLinks{Flit: 1}, 0, 21, bound.ByLinks},                          // 24*62 flit hops on 72 links
		{"star:4", false, 1, bound.PacketLinks{Setup: 2, Flit: 1}, 5, 28, bound.ByLinks},                // and a packet
		{"star:4", false, 2, bound.PacketLinks{Setup: 2, Flit: 1, Largest: 4}, 0, 64, bound.ByLinks},    // 42 flits, 11 packets
		{"ring:4", false, 1, bound.PacketLinks{Flit: 1}, 0, 2, bound.ByLinks},                           // 4*4 on 8
		{"ring:4", true, 1, bound.PacketLinks{Flit: 1}, 0, 4, bound.ByLinks},                            // 4*4 on 4 chips
		{"path:6", false, 1, bound.PacketLinks{Flit: 2}, 0, 18, bound.ByCut},                            // 9 flits over the middle
		{"torus:3x6", false, 1, bound.PacketLinks{Flit: 1}, 0, 14, bound.ByLinks},                       // along the longer axis: 18*9*3 on 36
		{"hub:5", false, 3, bound.PacketLinks{Setup: 1, Flit: 1, Largest: 1}, 0, 24, bound.ByLinks},     // 12 flits on each link
		{"random:6,3,1", false, 0, bound.PacketLinks{Setup: 3, Flit: 1}, 9, 0, ""},                      // nothing to send
		{"mesh:2x2", false, 1 << 20, bound.PacketLinks{Setup: 7, Flit: 1}, 0, 1<<21 + 7, bound.ByLinks}, // 16 on 8
	} {
		t.Run(row.network, func(t *testing.T) {
			on, err := topology.Parse(row.network)
			require.NoError(t, err)
			m, err := machine.Preset("store-forward")
			require.NoError(t, err)
			m.Startup, m.Ports = row.startup, machine.AllPort
			if row.single {
				m.Ports = machine.SinglePort
			}
			lengths := make([]int, on.Nodes())
			for n := range lengths {
				lengths[n] = row.words
			}
			got := bound.PacketExchange(on, m, lengths, row.links)
			require.Equal(t, row.want, got.Cycles)
			require.Equal(t, row.by, got.Proof)
		})
	}
}
