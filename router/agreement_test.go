// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/router"
)

func network(t testing.TB, spec string, settings ...string) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// recorder keeps the offers of the last cycle, sorted.
type recorder struct{ offers []router.Offer }

func (r *recorder) Evaluate(fabric.Signals) {}
func (r *recorder) Update(s fabric.Signals) {
	r.offers = slices.SortedFunc(s.Offers(), func(a, b router.Offer) int {
		if a.Node != b.Node {
			return int(a.Node - b.Node)
		}
		return int(a.Port - b.Port)
	})
}

func TestShortAndGeneralEvaluationAgree(t *testing.T) {
	for _, row := range []struct {
		name, topology, buffer, channels string
		rate                             float64
	}{
		{"mesh, one flit of buffer", "mesh:4x4", "1", "1", 0.03},
		{"mesh, deep buffers", "mesh:4x4", "8", "links", 0.05},
		{"long path", "path:17", "2", "1", 0.01},
		{"hypercube", "hypercube:4", "3", "links", 0.06},
		{"three dimensions", "mesh:3x2x3", "4", "1", 0.05},
		{"more than a word of everything", "mesh:9x9", "4", "1", 0.02},
		{"tree", "tree:../examples/trees/binary.csv", "2", "links", 0.03},
	} {
		t.Run(row.name, func(t *testing.T) {
			var nets [2]*fabric.Network
			var seen [2]*recorder
			for i := range nets {
				nets[i] = network(t, row.topology, "buffer", row.buffer, "nic.channels", row.channels)
				nets[i].KeepBlocked()
				uniform, err := traffic.NewUniform(nets[i].Topology.Nodes(), 5, row.rate, 7)
				require.NoError(t, err)
				nets[i].Attach(uniform)
				seen[i] = &recorder{}
				nets[i].Attach(seen[i])
			}
			nets[1].Bank().UseReference()
			for cycle := range 3000 {
				nets[0].Step()
				nets[1].Step()
				require.Equal(t, seen[0].offers, seen[1].offers, "cycle %d", cycle)
			}
			require.Positive(t, nets[0].Delivered())
			for v := range router.NodeID(nets[0].Topology.Nodes()) {
				for p := range router.Port(nets[0].Topology.Ports(v)) {
					require.Equal(t, nets[1].Bank().BlockedCycles(v, p), nets[0].Bank().BlockedCycles(v, p), "node %d port %d", v, p)
					require.Equal(t, nets[1].Bank().Carried(v, p), nets[0].Bank().Carried(v, p), "node %d port %d", v, p)
				}
			}
		})
	}
}

// With three virtual channels the outputs of some ports lie in two words of a
// set. Such a port still sends at most one flit in a cycle.
func TestAPortSendsOneFlitPerCycle(t *testing.T) {
	n := network(t, "mesh:8x8", "vcs", "3", "nic.channels", "1")
	n.KeepBlocked()
	uniform, err := traffic.NewUniform(64, 5, 0.1, 7)
	require.NoError(t, err)
	n.Attach(uniform)
	seen := &recorder{}
	n.Attach(seen)
	for cycle := range 2000 {
		n.Step()
		for i := 1; i < len(seen.offers); i++ {
			a, b := seen.offers[i-1], seen.offers[i]
			require.False(t, a.Node == b.Node && a.Port == b.Port, "cycle %d: %+v %+v", cycle, a, b)
		}
	}
	require.Positive(t, n.Delivered())
}
