// SPDX-License-Identifier: Apache-2.0

package deadlock_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/router"
)

// row is a network with settings of its machine, and the channels of its shortest
// cycle (0: none).
type row struct {
	topology string
	settings [][2]string
	cycle    int
}

var rows = []row{
	{"ring:5", nil, 0},
	{"ring:6", set("vcs", "1"), 6},
	{"torus:4x4", nil, 0},
	{"torus:4x4", set("vcs", "4"), 0},
	{"torus:3x6", set("vcs", "1"), 6},
	{"torus:5x3x2", nil, 0},
	{"torus:4x4", set("routing", "table"), 0},
	{"torus:4x4", set("routing", "source"), 0},
	{"torus:4x4", set("routing", "source", "vcs", "1"), 4},
	{"twisted-torus:4x8", nil, 0},
	{"twisted-torus:6x4,3", set("vcs", "4"), 0},
	{"twisted-torus:4x4,1", nil, 0},
	{"twisted-torus:3x6", set("routing", "source"), 0},
	{"twisted-torus:3x6", set("vcs", "1"), 6},
	{"mesh:4x4", nil, 0},
	{"mesh:4x4", set("vcs", "3", "ports", "single"), 0},
	{"hypercube:4", nil, 0},
	{"path:9", nil, 0},
	{"star:4", nil, 6},
	{"random-tree:30,5", nil, 0},
	{"hub:9", set("vcs", "2"), 0},
	{"debruijn:4", nil, 5},
	{"debruijn:4", set("routing", "updown"), 0},
	{"star:4", set("routing", "updown"), 0},
	{"random:30,4,9", set("routing", "updown", "vcs", "2"), 0},
	{"random:50,3,2", set("routing", "updown", "ports", "single"), 0},
	{"twisted-torus:3x6", set("routing", "updown", "vcs", "1"), 0},
	{"mesh:4x4", set("routing", "updown"), 0},
	{"torus:4x5", set("routing", "updown"), 0},
	{"ring:6", set("routing", "updown"), 0},
	{"hypercube:4", set("routing", "updown", "vcs", "2"), 0},
	{"torus:4x4", set("switching", "store-forward", "ports", "all", "buffer", "0", "routing", "updown"), 0},
	{"debruijn:4", set("switching", "cut-through", "ports", "all", "buffer", "0", "routing", "updown"), 0},
	{"debruijn:4", set("switching", "cut-through", "ports", "single", "buffer", "16", "routing", "updown", "nic.channels", "1"), 2},
	{"complete:7", nil, 0},
	{"mesh:4x4", set("routing", "yx"), 0},
	{"torus:3x5", set("routing", "yx"), 0},
	{"torus:6x2", set("routing", "yx", "vcs", "1"), 6},
	{"mesh:4x3", set("routing", "o1turn"), 0},
	{"torus:4x4", set("routing", "o1turn", "vcs", "8"), 0},
	{"mesh:3x2x2", set("routing", "o1turn", "ports", "single"), 0},
	{"mesh:3x4", set("routing", "valiant"), 0},
	{"ring:7", set("routing", "valiant"), 0},
	{"torus:4x3", set("routing", "valiant"), 0},
	{"mesh:4x4", set("routing", "adaptive"), 0},
	{"mesh:3x3x2", set("routing", "adaptive", "vcs", "3"), 0},
	{"torus:4x5", set("routing", "adaptive"), 0},
	{"torus:4x4", set("routing", "adaptive", "vcs", "5", "hop", "2"), 0},
	{"ring:6", set("routing", "adaptive", "nic.channels", "1"), 0},
	{"hypercube:4", set("routing", "adaptive", "ports", "single"), 0},
	{"mesh:5x4", set("routing", "west-first"), 0},
	{"mesh:4x4", set("routing", "west-first", "vcs", "2", "buffer", "1", "ports", "single"), 0},
	{"mesh:4x5", set("routing", "north-last", "hop", "2"), 0},
	{"mesh:4x4", set("routing", "negative-first", "buffer", "16"), 0},
	{"mesh:3x3x2", set("routing", "negative-first", "vcs", "2", "nic.channels", "1"), 0},
	{"hypercube:4", set("routing", "negative-first"), 0},
	{"path:5", set("routing", "negative-first"), 0},
	{"mesh:5x4", set("routing", "odd-even"), 0},
	{"mesh:4x6", set("routing", "odd-even", "vcs", "3", "claim", "1"), 0},
	{"mesh:2x7", set("routing", "odd-even"), 0},
	{"mesh:4x4", set("vcs", "3", "vc.choice", "free"), 0},
	{"torus:4x3", set("vcs", "4", "vc.choice", "free"), 0},
	{"torus:3x5", set("routing", "yx", "vcs", "6", "vc.choice", "free", "ports", "single"), 0},
	{"mesh:4x3", set("routing", "o1turn", "vcs", "4", "vc.choice", "free"), 0},
	{"ring:7", set("routing", "valiant", "vcs", "8", "vc.choice", "free", "buffer", "1"), 0},
	{"mesh:3x4", set("routing", "valiant", "vcs", "4", "vc.choice", "free", "claim", "1"), 0},
	{"random:30,4,9", set("routing", "updown", "vcs", "2", "vc.choice", "free"), 0},
	{"twisted-torus:3x6", set("routing", "source", "vcs", "4", "vc.choice", "free"), 0},
	{"ring:6", set("vcs", "1", "vc.choice", "free"), 6},
	{"random:60,3,5", set("vcs", "2", "vc.choice", "free"), 5},
	{"mesh:4x4", set("switching", "store-forward", "ports", "single", "buffer", "16"), 2},
	{"mesh:3x3", set("switching", "cut-through", "ports", "all", "buffer", "0"), 0},
	{"ring:6", set("switching", "cut-through", "ports", "all", "buffer", "0"), 6},
}

// set pairs keys of a machine with their values.
func set(words ...string) [][2]string {
	var pairs [][2]string
	for i := 0; i < len(words); i += 2 {
		pairs = append(pairs, [2]string{words[i], words[i+1]})
	}
	return pairs
}

// network builds the network of a row.
func (r *row) network(t *testing.T, more ...string) *fabric.Network {
	t.Helper()
	top, err := topology.Parse(r.topology)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, s := range append(set(more...), r.settings...) {
		require.NoError(t, m.Set(s[0], s[1]))
	}
	m, err = m.FitPackets(packet)
	require.NoError(t, err)
	n, err := fabric.New(top, m)
	require.NoError(t, err)
	return n
}

// packet is the flits of a message of the random traffic.
const packet = 16

// The graph of each network has as many channels and dependencies as its twin, and its cycle is
// one of the twin's shortest cycles.
func TestGraphIsItsTwin(t *testing.T) {
	for _, r := range rows {
		t.Run(r.topology, func(t *testing.T) {
			n := r.network(t)
			v, err := deadlock.Check(context.Background(), n)
			require.NoError(t, err)
			twin := walkAll(n)
			require.Equal(t, len(twin.channels), v.Channels, "%v", r.settings)
			require.Equal(t, len(twin.edges), v.Dependencies, "%v", r.settings)
			require.Len(t, v.Cycle, r.cycle, "%v", r.settings)
			require.Equal(t, r.cycle, twin.girth(), "%v", r.settings)
			for i, c := range v.Cycle {
				require.Equal(t, c.To, n.Topology.Neighbor(c.Node, c.Port))
				require.True(t, twin.edges[[2]deadlock.Channel{c, v.Cycle[(i+1)%len(v.Cycle)]}], "%v waits for no %v", c, i+1)
			}
		})
	}
}

// endless is traffic that does not end by itself.
type endless struct{ fabric.Component }

// Finished implements fabric.Finisher.
func (endless) Finished() bool { return false }

// Under random traffic that saturates the network, the model deadlocks on a network with a cycle, and
// on no other.
func TestVerdictIsTheModels(t *testing.T) {
	for _, r := range rows {
		t.Run(r.topology, func(t *testing.T) {
			n := r.network(t, "watchdog", "500")
			source, err := traffic.NewUniform(n.Topology.Nodes(), packet, 0.9, 1)
			require.NoError(t, err)
			n.Attach(endless{source})
			err = n.Run(context.Background(), 6000)
			var locked *router.Deadlock
			if r.cycle > 0 {
				require.ErrorAs(t, err, &locked, "%v", r.settings)
				return
			}
			require.True(t, errors.Is(err, fabric.ErrLimit), "%v: %v", r.settings, err)
		})
	}
}

func TestCheckMessages(t *testing.T) {
	ring := row{"ring:4", set("vcs", "1", "routing", "source"), 0}
	n := ring.network(t)
	round := func(turns int) func(func(fabric.Message) bool) {
		return func(yield func(fabric.Message) bool) {
			for from := range turns {
				at := router.NodeID(from)
				if !yield(fabric.Message{Source: at, Destination: (at + 2) % 4, Length: 1, Route: []router.Port{0, 0}}) {
					return
				}
			}
		}
	}
	v, err := deadlock.CheckMessages(context.Background(), n, round(3))
	require.NoError(t, err)
	require.Equal(t, &deadlock.Verdict{Channels: 4, Dependencies: 3}, v)
	v, err = deadlock.CheckMessages(context.Background(), n, round(4))
	require.NoError(t, err)
	require.Len(t, v.Cycle, 4)
	require.Equal(t, "0>1 vc 0", v.Cycle[0].String())
}

func TestBufferlessIsRefused(t *testing.T) {
	r := row{"mesh:3x3", set("switching", "bufferless"), 0}
	_, err := deadlock.Check(context.Background(), r.network(t))
	require.EqualError(t, err, "switching bufferless: no flit waits (expected a machine with buffers)")
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := row{"mesh:3x3", nil, 0}
	_, err := deadlock.Check(ctx, r.network(t))
	require.ErrorIs(t, err, context.Canceled)
}
