// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// teller sends one message and keeps what Send said.
type teller struct {
	message fabric.Message
	twice   bool
	said    []error
}

func (c *teller) Evaluate(s fabric.Signals) {
	if len(c.said) > 0 {
		return
	}
	s.CanSend(c.message.Source, c.message.Destination, c.message.Route)
	_, err := s.Send(c.message)
	c.said = append(c.said, err)
	if c.twice {
		_, err = s.Send(c.message)
		c.said = append(c.said, err)
	}
}

func (c *teller) Update(fabric.Signals) {}

func wired(t *testing.T, spec, preset string, settings ...string) *fabric.Network {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

func TestWrongMessagesEndTheRun(t *testing.T) {
	for _, row := range []struct {
		message fabric.Message
		routing string
		want    string
	}{
		{fabric.Message{Destination: 9, Length: 1}, "dor", "message from 0 to 9 in cycle 0: the destination is not one of the 4 nodes"},
		{fabric.Message{Destination: -1, Length: 1}, "dor", "message from 0 to -1 in cycle 0: the destination is not one of the 4 nodes"},
		{fabric.Message{Source: 4, Length: 1}, "dor", "message from 4 to 0 in cycle 0: the source is not one of the 4 nodes"},
		{fabric.Message{Source: -7, Length: 1}, "dor", "message from -7 to 0 in cycle 0: the source is not one of the 4 nodes"},
		{fabric.Message{Source: 2, Destination: 2, Length: 1}, "dor", "message from 2 to 2 in cycle 0: a node sends to itself"},
		{fabric.Message{Destination: 1}, "dor", "message from 0 to 1 in cycle 0: 0 flits, and a message has at least one"},
		{fabric.Message{Destination: 1, Length: -3}, "dor", "message from 0 to 1 in cycle 0: -3 flits, and a message has at least one"},
		{fabric.Message{Destination: 1, Length: 1 << 40}, "dor", "message from 0 to 1 in cycle 0: 1099511627776 flits, and a message has at most 2147483647"},
		{fabric.Message{Destination: 1, Words: []uint32{}}, "dor", "message from 0 to 1 in cycle 0: 0 flits, and a message has at least one"},
		{fabric.Message{Destination: 1, Length: 1, Kind: 9}, "dor", "message from 0 to 1 in cycle 0: unknown kind 9"},
		{fabric.Message{Destination: 1, Length: 1, Route: []router.Port{0}}, "dor", "message from 0 to 1 in cycle 0: a route of its own, and the machine has routing dor"},
		{fabric.Message{Destination: 1, Length: 1, Route: []router.Port{}}, "source", "message from 0 to 1 in cycle 0: its route ends at node 0"},
		{fabric.Message{Destination: 2, Length: 1, Route: []router.Port{0}}, "source", "message from 0 to 2 in cycle 0: its route ends at node 1"},
		{fabric.Message{Destination: 1, Length: 1, Route: []router.Port{1}}, "source", "message from 0 to 1 in cycle 0: hop 0 of its route leaves node 0 by port 1, which has no link"},
		{fabric.Message{Destination: 1, Length: 1, Route: []router.Port{0, 99}}, "source", "message from 0 to 1 in cycle 0: hop 1 of its route leaves node 1 by port 99, which has no link"},
		{fabric.Message{Destination: 1, Length: 1, Route: []router.Port{-1}}, "source", "message from 0 to 1 in cycle 0: hop 0 of its route leaves node 0 by port -1, which has no link"},
	} {
		for _, channels := range []string{"1", "links"} {
			n := wired(t, "path:4", "wormhole", "routing", row.routing, "nic.channels", channels)
			c := &teller{message: row.message}
			n.Attach(c)
			n.Attach(nil)
			err := n.Run(t.Context(), 100)
			require.EqualError(t, err, row.want)
			var bad *fabric.BadMessage
			require.ErrorAs(t, err, &bad)
			require.Equal(t, []error{err}, c.said)
		}
	}
}

func TestBusyChannelsSaySo(t *testing.T) {
	n := wired(t, "path:4", "wormhole", "nic.channels", "1")
	c := &teller{message: fabric.Message{Destination: 3, Length: 2}, twice: true}
	n.Attach(c)
	require.NoError(t, n.Run(t.Context(), 100))
	require.NoError(t, c.said[0])
	require.True(t, errors.Is(c.said[1], fabric.ErrBusy))
}

func TestWrongNetworks(t *testing.T) {
	good, err := topology.Parse("path:4")
	require.NoError(t, err)
	other, err := topology.Parse("path:5")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Routing = machine.Table
	for _, row := range []struct {
		t    *topology.Topology
		m    machine.Machine
		tree *topology.SpanningTree
		want string
	}{
		{nil, m, nil, "no topology (expected one that topology.Parse has made)"},
		{&topology.Topology{}, m, nil, "a topology without nodes (expected one that topology.Parse has made)"},
		{&topology.Topology{Kind: topology.Mesh, Dims: []int{2, 2}, Wrap: []bool{false, false}}, m, nil, "a topology without nodes (expected one that topology.Parse has made)"},
		{good, machine.Machine{}, nil, "no machine (expected one that machine.Preset, machine.Open or machine.Parse has made)"},
		{good, m, &topology.SpanningTree{}, "a tree of 0 parents and 0 depths on path:4 (expected a tree over the network's nodes)"},
		{good, m, topology.BreadthFirst(other, 0), "a tree of 5 parents and 5 depths on path:4 (expected a tree over the network's nodes)"},
	} {
		options := []fabric.Option{nil}
		if row.tree != nil {
			options = append(options, fabric.AlongTree(row.tree))
		}
		_, err := fabric.New(row.t, row.m, options...)
		require.EqualError(t, err, row.want)
	}
}

func TestLargeGraphsHaveNoTables(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	large, err := topology.Parse("debruijn:13")
	require.NoError(t, err)
	_, err = fabric.New(large, m)
	require.EqualError(t, err, "debruijn:13 has 8192 nodes: too many for next-hop tables (expected at most 4096 nodes; a mesh, torus or tree; or a scatter or gather by auto)")
	m.Routing = machine.Table
	_, err = fabric.New(large, m, fabric.AlongTree(topology.BreadthFirst(large, 0)))
	require.NoError(t, err)
	most, err := topology.Parse("debruijn:12")
	require.NoError(t, err)
	_, err = fabric.New(most, m)
	require.NoError(t, err)
}

func TestNodesThatDoNotExist(t *testing.T) {
	n := wired(t, "mesh:2x2", "wormhole")
	for _, v := range []router.NodeID{-1, 4, 1 << 30} {
		require.Equal(t, router.NoPort, n.Next(v, 0))
		require.Equal(t, router.NoPort, n.Next(0, v))
		require.Nil(t, n.Route(v, 0))
		require.Nil(t, n.Route(0, v))
		require.Zero(t, n.Distance(0, v))
		require.False(t, fabric.CrossesRim(n.Topology, v, 0))
	}
	require.False(t, fabric.CrossesRim(n.Topology, 0, 9))
}

func (c *teller) Finished() bool { return len(c.said) > 0 }
