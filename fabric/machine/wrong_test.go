// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/code"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

func TestResolveRefusesValuesThatSetRefuses(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	for _, row := range []struct {
		change func(*machine.Machine)
		want   string
	}{
		{func(m *machine.Machine) { *m = machine.Machine{} }, "no machine (expected one that machine.Preset, machine.Open or machine.Parse has made)"},
		{func(m *machine.Machine) { m.Switching = "magic" }, `switching: "magic" (expected bufferless, wormhole, store-forward or cut-through)`},
		{func(m *machine.Machine) { m.Ports = "two" }, `ports: "two" (expected all or single)`},
		{func(m *machine.Machine) { m.Code = "hamming" }, `buffer.code: "hamming" (expected none, parity or secded)`},
		{func(m *machine.Machine) { m.Switching, m.Claim = machine.StoreForward, 1 }, `claim 1: not on a machine of switching store-forward (expected 0)`},
		{func(m *machine.Machine) { m.Claim = 2 }, `claim: "2" (expected a whole number from 0 to 1)`},
		{func(m *machine.Machine) { m.Switching, m.Store = machine.Bufferless, machine.RAM }, `buffer.store ram: not on a machine of switching bufferless (expected registers)`},
		{func(m *machine.Machine) { m.Choice = "any" }, `vc.choice: "any" (expected lane or free)`},
		{func(m *machine.Machine) { m.Switching, m.Choice = machine.Bufferless, machine.Free }, `vc.choice free: not on a machine of switching bufferless (expected lane)`},
		{func(m *machine.Machine) { m.Switching, m.Choice = machine.CutThrough, machine.Free }, `vc.choice free: not on a machine of switching cut-through (expected lane)`},
		{func(m *machine.Machine) { m.Switching, m.Code = machine.Bufferless, code.Parity }, `buffer.code parity: a bufferless chip has no buffers (expected none)`},
		{func(m *machine.Machine) { m.Duplex = "x" }, `nic.duplex: "x" (expected full or half)`},
		{func(m *machine.Machine) { m.Routing = "x" }, `routing: "x" (expected dor, yx, o1turn, valiant, adaptive, west-first, north-last, negative-first, odd-even, table, updown or source)`},
		{func(m *machine.Machine) { m.Header = "tail" }, `header: "tail" (expected wires or flit)`},
		{func(m *machine.Machine) { m.Channels = -1 }, `nic.channels: "-1" (expected 1 or links)`},
		{func(m *machine.Machine) { m.Channels = 2 }, `nic.channels: "2" (expected 1 or links)`},
		{func(m *machine.Machine) { m.Buffer = -1 }, `buffer -1 (expected at least 0)`},
		{func(m *machine.Machine) { m.Buffer = 0 }, `buffer 0 on a machine of switching wormhole (expected a whole number from 1 to 1024)`},
		{func(m *machine.Machine) { m.Packet = -1 }, `packet -1 (expected at least 0)`},
		{func(m *machine.Machine) { m.VCs = -1 }, `vcs: "-1" (expected a whole number from 1 to 16)`},
		{func(m *machine.Machine) { m.Startup = -1 }, `startup: "-1" (expected a whole number from 0 to 1073741824)`},
		{func(m *machine.Machine) { m.Flit = 0 }, `flit: "0" (expected a whole number from 1 to 64; machine.Preset, machine.Open or machine.Parse fill all fields in)`},
		{func(m *machine.Machine) { m.Width = 33 }, `width: "33" (expected a whole number from 8 to 32, or 64, 128, 256 or 512)`},
		{func(m *machine.Machine) { m.Watchdog = 0 }, `watchdog: "0" (expected a whole number from 1 to 1073741824; machine.Preset, machine.Open or machine.Parse fill all fields in)`},
	} {
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		row.change(&m)
		_, err = m.Resolve(path)
		require.EqualError(t, err, row.want)
	}
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	_, err = m.Resolve(nil)
	require.EqualError(t, err, "no topology (expected one that topology.Parse has made)")
	m.Switching, m.Ports, m.Duplex, m.Code = "", "", "", ""
	resolved, err := m.Resolve(path)
	require.NoError(t, err)
	require.Equal(t, machine.Wormhole, resolved.Switching)
	require.Equal(t, machine.AllPort, resolved.Ports)
	require.Equal(t, machine.Full, resolved.Duplex)
	require.Equal(t, code.None, resolved.Code)
	require.Equal(t, 32, resolved.StoredBits())
	resolved.Code = code.SECDED
	require.Equal(t, 39, resolved.StoredBits())
	resolved.Switching = machine.Bufferless
	require.Zero(t, resolved.StoredBits())
}

// Heads choose among several virtual channels of a link where their class has several, and the routing does not choose itself.
func TestChoiceOfChannels(t *testing.T) {
	for _, row := range []struct {
		topology, routing, choice string
		vcs                       int
		classes                   int
		chooses, reorders         bool
		lanes                     int
	}{
		{"mesh:3x3", "dor", "lane", 4, 1, false, false, 4},
		{"mesh:3x3", "dor", "free", 4, 1, true, true, 1},
		{"mesh:3x3", "dor", "free", 1, 1, false, false, 1},
		{"torus:3x3", "yx", "free", 2, 2, false, false, 1},
		{"torus:3x3", "yx", "free", 4, 2, true, true, 1},
		{"torus:3x3", "dor", "free", 1, 1, false, false, 1},
		{"torus:3x3", "updown", "free", 3, 1, true, true, 1},
		{"mesh:3x3", "o1turn", "free", 2, 2, false, false, 1},
		{"mesh:3x3", "o1turn", "free", 6, 2, true, true, 1},
		{"ring:5", "valiant", "free", 4, 4, false, false, 1},
		{"ring:5", "valiant", "free", 8, 4, true, true, 1},
		{"ring:5", "valiant", "lane", 8, 4, false, false, 2},
		{"torus:3x3", "adaptive", "free", 4, 1, false, true, 1},
		{"mesh:3x3", "odd-even", "free", 2, 1, false, true, 1},
		{"mesh:3x3", "odd-even", "lane", 2, 1, false, true, 1},
	} {
		topo, err := topology.Parse(row.topology)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Routing, m.Choice, m.VCs = machine.Routing(row.routing), machine.Choice(row.choice), row.vcs
		m, err = m.Resolve(topo)
		require.NoError(t, err)
		require.Equal(t, row.classes, m.ChannelClasses(topo), "%v", row)
		require.Equal(t, row.chooses, m.ChoosesChannels(topo), "%v", row)
		require.Equal(t, row.reorders, m.Reorders(topo), "%v", row)
		require.Equal(t, row.lanes, m.Lanes(topo), "%v", row)
	}
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Choice = machine.Free
	m = m.WithoutBuffers()
	require.Equal(t, machine.Lane, m.Choice)
}
