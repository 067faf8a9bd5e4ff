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

// All links or chips of some networks, their cuts, and what a chip with a single port passes on, by hand.
func TestPacketGossip(t *testing.T) {
	const all, single = "all", "single"
	for _, row := range []struct {
		network, ports string
		lengths        []int // nil: a flit each
		links          bound.PacketLinks
		startup        int
		want           router.Cycle
		by             bound.Proof
	}{
		{"hypercube:3", all, nil, bound.PacketLinks{Flit: 1}, 0, 3, bound.ByLinks},                                   // 8*7 flits on 24 links
		{"complete:5", single, nil, bound.PacketLinks{Flit: 2, Setup: 3}, 7, 18, bound.ByLinks},                      // 5*4 flits on 5 chips
		{"path:4", single, nil, bound.PacketLinks{Flit: 1}, 0, 5, bound.ByPort},                                      // node 1: 3 flits to the one side, 2 to the other
		{"path:4", single, []int{4, 4, 4, 4}, bound.PacketLinks{Flit: 1, Setup: 1}, 0, 21, bound.ByPort},             // and a packet
		{"path:4", single, []int{4, 4, 4, 4}, bound.PacketLinks{Flit: 1, Setup: 1, Largest: 4}, 0, 25, bound.ByPort}, // five packets
		{"hub:5", single, nil, bound.PacketLinks{Flit: 1}, 0, 16, bound.ByPort},                                      // the hub sends 4 flits to each of 4 others
		{"hub:5", all, nil, bound.PacketLinks{Flit: 1}, 0, 4, bound.ByCut},                                           // 4 flits go to a leaf
		{"binary:2", all, nil, bound.PacketLinks{Flit: 1, Setup: 2}, 1, 9, bound.ByCut},                              // 6 flits go to a leaf
		{"path:5", all, []int{0, 0, 9, 0, 0}, bound.PacketLinks{Flit: 1}, 0, 9, bound.ByCut},                         // to each side
		{"path:3", all, []int{0, 0, 0}, bound.PacketLinks{Flit: 1, Setup: 9}, 5, 0, ""},                              // nothing to send
	} {
		t.Run(row.network+" "+row.ports, func(t *testing.T) {
			on, err := topology.Parse(row.network)
			require.NoError(t, err)
			m, err := machine.Preset("store-forward")
			require.NoError(t, err)
			require.NoError(t, m.Set("ports", row.ports))
			m.Startup = row.startup
			lengths := row.lengths
			for range on.Nodes() - len(lengths) {
				lengths = append(lengths, 1)
			}
			got := bound.PacketGossip(on, m, lengths, row.links)
			require.Equal(t, row.want, got.Cycles)
			require.Equal(t, row.by, got.Proof)
		})
	}
}

// What a chip with a single port passes on in a broadcast, by hand.
func TestPacketBroadcast(t *testing.T) {
	for _, row := range []struct {
		network string
		root    router.NodeID
		words   int
		links   bound.PacketLinks
		want    router.Cycle
	}{
		{"hub:5", 0, 3, bound.PacketLinks{Flit: 2, Setup: 1}, 4 * 7},           // the hub sends to four leaves
		{"hub:5", 2, 3, bound.PacketLinks{Flit: 1, Setup: 1}, 3 * 4},           // three others
		{"path:5", 0, 5, bound.PacketLinks{Flit: 1, Setup: 1, Largest: 2}, 8},  // each passes on 5 flits in 3 packets
		{"path:5", 2, 5, bound.PacketLinks{Flit: 1, Setup: 1, Largest: 2}, 16}, // the root sends to both sides
		{"ring:5", 2, 5, bound.PacketLinks{Flit: 1}, 5},
		{"ring:5", 2, 0, bound.PacketLinks{Flit: 1}, 0},
	} {
		on, err := topology.Parse(row.network)
		require.NoError(t, err)
		m, err := machine.Preset("store-forward")
		require.NoError(t, err)
		require.Equal(t, row.want, bound.PacketBroadcast(on, m, row.root, row.words, row.links).Cycles, "%s from %d", row.network, row.root)
		m.Ports = machine.AllPort
		require.Zero(t, bound.PacketBroadcast(on, m, row.root, row.words, row.links).Cycles)
	}
}

// Every word of an allreduce is sent 2(N-1) times, by hand; two nodes exchange theirs.
func TestPacketAllreduce(t *testing.T) {
	for _, row := range []struct {
		network, ports string
		words          int
		links          bound.PacketLinks
		want           router.Cycle
	}{
		{"path:2", "single", 4, bound.PacketLinks{Flit: 1, Setup: 1}, 5},
		{"ring:4", "all", 8, bound.PacketLinks{Flit: 2, Setup: 3}, 15},                // 48 flits on 8 links
		{"ring:4", "single", 8, bound.PacketLinks{Flit: 1, Setup: 3, Largest: 4}, 21}, // 48 flits on 4 chips, three packets
		{"ring:4", "all", 0, bound.PacketLinks{Flit: 1}, 0},
	} {
		on, err := topology.Parse(row.network)
		require.NoError(t, err)
		m, err := machine.Preset("store-forward")
		require.NoError(t, err)
		require.NoError(t, m.Set("ports", row.ports))
		require.Equal(t, row.want, bound.PacketAllreduce(on, m, row.words, row.links).Cycles, "%s %s", row.network, row.ports)
	}
}
