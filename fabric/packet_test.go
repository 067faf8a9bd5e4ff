// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/router"
)

func TestPacketsAreConserved(t *testing.T) {
	for _, row := range []struct {
		topology string
		settings []string
	}{
		{"mesh:4x4", []string{"packet", "4"}},
		{"torus:3x4", []string{"packet", "4", "switching", "cut-through", "flit", "2"}},
		{"path:9", []string{"packet", "5", "setup", "5/2"}},
		{"mesh:4x4", []string{"packet", "4", "ports", "all", "nic.channels", "links"}},
		{"torus:3x4", []string{"packet", "4", "switching", "cut-through", "flit", "2", "setup", "0", "ports", "all", "nic.channels", "links"}},
	} {
		n := network(t, row.topology, "store-forward", row.settings...)
		placed := &counter{}
		uniform, err := traffic.NewUniform(n.Topology.Nodes(), 4, 0.01, 3)
		require.NoError(t, err)
		n.Attach(uniform)
		n.Attach(placed)
		for range 2000 {
			n.Step()
			require.Equal(t, placed.flits, placed.ejected+n.Bank().Held())
		}
		require.Positive(t, placed.ejected)
		require.EqualValues(t, placed.ejected, n.Delivered())
		for b := range n.Bank().Occupancies() {
			require.LessOrEqual(t, b, n.Machine.Buffer)
		}
		carried := uint64(0)
		for _, u := range n.LinkUse() {
			carried += u.Flits
		}
		require.Greater(t, carried, n.Delivered())
		require.Positive(t, n.Bank().BytesPerChip())
	}
}

// Two packets of two flits go from 0 and from 2 to the middle, whose first port
// leads to 2: set-up 3, so that the one from 0 waits for 5 cycles.
func TestLinkUseOfPackets(t *testing.T) {
	n := network(t, "path:3", "store-forward", "packet", "2", "setup", "3")
	n.KeepLog()
	s := &script{}
	s.add(0, 0, 1, 2)
	s.add(0, 2, 1, 2)
	n.Attach(s)
	meter := fabric.NewMeter(n)
	require.NoError(t, n.Run(context.Background(), 1000))
	require.EqualValues(t, 10, n.Log()[0].Arrival)
	require.EqualValues(t, 5, n.Log()[1].Arrival)
	require.EqualValues(t, 10, meter.Cycles)
	for i, link := range n.Topology.Links() {
		u := n.LinkUse()[i]
		switch link.From {
		case 2:
			require.Equal(t, fabric.LinkUse{Link: i, Flits: 2, Busy: 5, Idle: 5}, u)
		case 0:
			require.Equal(t, fabric.LinkUse{Link: i, Flits: 2, Busy: 5, Blocked: 5}, u)
		default:
			require.Zero(t, u.Flits+u.Busy+u.Blocked)
		}
	}
}

func TestPacketsNeedALargest(t *testing.T) {
	path, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	_, err = fabric.New(path, m)
	require.EqualError(t, err, "packet 0, and nothing says how long the messages are (expected the flits of the largest packet)")
}

func TestMessagesBeyondTheLargestPacketEndTheRun(t *testing.T) {
	for flits, want := range map[int]string{4: "", 5: "node 2 sends 5 flits in cycle 7: the largest packet has 4"} {
		n := network(t, "path:3", "store-forward", "packet", "4")
		s := &script{}
		s.add(7, 2, 0, flits)
		n.Attach(s)
		err := n.Run(context.Background(), 1000)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
}

func TestPacketsTakeNoMemoryPerCycle(t *testing.T) {
	n := network(t, "mesh:8x8", "store-forward", "packet", "4")
	source := &cyclic{nodes: 64}
	n.Attach(source)
	for range 20000 {
		n.Step()
	}
	delivered := n.Delivered()
	require.Less(t, testing.AllocsPerRun(5000, n.Step), 0.01)
	require.Greater(t, n.Delivered(), delivered)
}

// cyclic sends packets of four flits to the next node, as many as go.
type cyclic struct{ nodes int }

func (c *cyclic) Evaluate(s fabric.Signals) {
	for v := range c.nodes {
		s.Send(fabric.Message{Source: router.NodeID(v), Destination: router.NodeID((v + 1) % c.nodes), Length: 4})
	}
}
func (c *cyclic) Update(fabric.Signals) {}
