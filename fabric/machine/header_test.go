// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

func TestWidthMustHoldTheHeader(t *testing.T) {
	for _, row := range []struct {
		spec, routing string
		tag           uint32
		hops          int
		bits          int
	}{
		{"path:2", "dor", 0, 1, 1 + 1 + 1 + 2},
		{"mesh:4x4", "dor", 0, 6, 4 + 4 + 1 + 2},
		{"mesh:4x4", "dor", 5, 6, 4 + 4 + 3 + 2},
		{"mesh:5x4", "valiant", 16, 9, 5 + 5 + 5 + 2 + 5},
		{"mesh:4x4", "source", 1, 2, 4 + 4 + 1 + 2 + 3*3},
		{"path:3", "source", 1, 2, 2 + 2 + 1 + 2 + 3*2},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Routing, m.VCs = machine.Routing(row.routing), 2
		m.Width = row.bits - 1
		require.NoError(t, m.FitsHeader(topo, row.tag, row.hops), "on wires of its own it always fits")
		m.Header = machine.HeadFlit
		require.ErrorContains(t, m.FitsHeader(topo, row.tag, row.hops), "too small for the header")
		m.Width = row.bits
		require.NoError(t, m.FitsHeader(topo, row.tag, row.hops))
	}
	topo, err := topology.Parse("mesh:5x4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Width, m.Header = 8, machine.HeadFlit
	_, err = m.Resolve(topo)
	require.EqualError(t, err, "width 8: too small for the header of a message on mesh:5x4 (expected 13 bits or more, and further ones for tags above 1, or header wires)")
}

func TestMessagesWithAHeaderFlitAreAFlitLonger(t *testing.T) {
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	require.Equal(t, 7, m.WithHeader(7))
	require.Zero(t, m.LargestPacket())
	m.Header = machine.HeadFlit
	require.Equal(t, 8, m.WithHeader(7))
	fit, err := m.FitPackets(7)
	require.NoError(t, err)
	require.Equal(t, []int{7, 8, 16}, []int{fit.Packet, fit.LargestPacket(), fit.Buffer})
	m.Buffer = 7
	_, err = m.FitPackets(7)
	require.EqualError(t, err, "buffer 7: the largest packet has 8 flits (expected room for a packet, or 0)")
}
