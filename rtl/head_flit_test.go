// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// courier sends random messages one after the other, so that they never meet.
type courier struct {
	rng   *rand.Rand
	nodes int
}

func (c *courier) Evaluate(s fabric.Signals) {
	if s.Now()%40 != 0 {
		return
	}
	from := router.NodeID(c.rng.IntN(c.nodes))
	to := (from + 1 + router.NodeID(c.rng.IntN(c.nodes-1))) % router.NodeID(c.nodes)
	words := make([]uint32, 1+c.rng.IntN(4))
	for i := range words {
		words[i] = c.rng.Uint32()
	}
	s.Send(fabric.Message{Source: from, Destination: to, Tag: c.rng.Uint32N(8), Words: words})
}
func (c *courier) Update(fabric.Signals) {}

// Chips with buffers route heads in the same way, under a load that fills the buffers.
func TestHeadFlitsWithBuffersAgree(t *testing.T) {
	for k, row := range soak.Some(5, []struct{ topology, settings string }{
		{"mesh:3x2", "nic.channels 1 buffer 4"},
		{"torus:4x3", "vcs 2 buffer 2"},
		{"mesh:3x4", "routing yx hop 2 nic.channels links buffer 3"},
		{"mesh:2x2", "routing source buffer 5"},
		{"torus:4x3", "vcs 4 vc.choice free buffer 2"},
		{"mesh:3x2x2", "width 64"},
		{"mesh:3x3", "routing valiant vcs 2"},
		{"mesh:2x2", "routing adaptive vcs 2"},
		{"mesh:3x3", "routing o1turn vcs 2"},
		{"mesh:4x3", "routing odd-even buffer 2"},
		{"mesh:3x3", "routing west-first vcs 2 hop 2 claim 1"},
		{"torus:4x4", "width 16 vcs 2 ports single buffer 1 hop 2 nic.duplex half"}, // no room for a course
		{"path:5", "routing table flit 2 buffer.code parity"},
	}) {
		t.Run(row.topology+" "+row.settings, func(t *testing.T) {
			t.Parallel()
			topo, err := topology.Parse(row.topology)
			require.NoError(t, err)
			n := load(t, topo, settled(t, "wormhole", append(strings.Fields(row.settings), "header", "flit")),
				&chaos{rng: rand.New(rand.NewPCG(uint64(k), 6)), rate: 0.1, most: 6, end: 150})
			r := rtl.NewRecorder(n)
			for range 250 {
				n.Step()
			}
			agree(t, uint64(k), n, r, sim.Icarus)
		})
	}
}

// Chips without buffers route heads, by courses worked out ahead or on arrival, and the other flits of a message follow.
func TestHeadFlitsWithoutBuffersAgree(t *testing.T) {
	for _, row := range soak.Some(2, []struct{ topology, settings string }{
		{"mesh:3x4", "routing yx hop 2"},
		{"torus:5x4", "ports all nic.channels links"},
		{"mesh:2x2x2", "routing table"},
		{"torus:4x4", "width 16 ports all"}, // no room for a course
		{"path:5", "routing source flit 2 nic.duplex half"},
	}) {
		t.Run(row.topology, func(t *testing.T) {
			t.Parallel()
			topo, err := topology.Parse(row.topology)
			require.NoError(t, err)
			n, err := fabric.New(topo, settled(t, "bufferless", append(strings.Fields(row.settings), "header", "flit")))
			require.NoError(t, err)
			r := rtl.NewRecorder(n)
			n.Attach(&courier{rng: rand.New(rand.NewPCG(1, 5)), nodes: topo.Nodes()})
			for range 600 {
				n.Step()
			}
			agree(t, 1, n, r, sim.Icarus)
		})
	}
}
