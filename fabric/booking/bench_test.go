// SPDX-License-Identifier: Apache-2.0

package booking_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// BenchmarkReserve books an all-to-all message by message, where ports are shared (half) and where they are not (links).
func BenchmarkReserve(b *testing.B) {
	for _, row := range []struct{ name, ports, channels, duplex string }{{"half", "single", "1", "half"}, {"links", "all", "links", "full"}} {
		topo, err := topology.Parse("hypercube:7")
		require.NoError(b, err)
		m, err := machine.Preset("wormhole")
		require.NoError(b, err)
		for key, value := range map[string]string{"ports": row.ports, "nic.channels": row.channels, "nic.duplex": row.duplex, "startup": "3", "hop": "2", "buffer": "4"} {
			require.NoError(b, m.Set(key, value))
		}
		m, err = m.Resolve(topo)
		require.NoError(b, err)
		net, err := fabric.NewRoutes(topo, m)
		require.NoError(b, err)
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				book := booking.NewBook(topo, m)
				for step := router.NodeID(1); step < 128; step++ {
					for u := range router.NodeID(128) {
						book.Reserve(u, net.AppendRoute(nil, u, u^step), 16, 0)
					}
				}
			}
		})
	}
}
