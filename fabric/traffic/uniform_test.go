// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
)

// saturated is a network under uniform traffic: packets of 8 flits, rate of
// them per node and cycle.
func saturated(tb testing.TB, spec string, vcs int, rate float64) *fabric.Network {
	n := network(tb, spec, vcs)
	uniform, err := NewUniform(n.Topology.Nodes(), 8, rate, 1)
	require.NoError(tb, err)
	n.Attach(uniform)
	return n
}

func run(b *testing.B, spec string, vcs int, rate float64) {
	n := saturated(b, spec, vcs, rate)
	for range 10000 {
		n.Step()
	}
	start := n.Delivered()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		n.Step()
	}
	nodes := float64(n.Topology.Nodes())
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(n.Delivered()-start)/float64(b.N)/nodes, "flits/node/cycle")
	b.ReportMetric(n.Bank().BytesPerChip(), "bytes/router")
}

// The yardstick that other simulators are measured with.
func BenchmarkSaturated8x8(b *testing.B) { run(b, "mesh:8x8", 1, 0.02) }

// The same with twice the load, more than the network accepts.
func BenchmarkContended8x8(b *testing.B) { run(b, "mesh:8x8", 1, 0.04) }

// Two virtual channels at the loads of the yardstick.
func BenchmarkTwoChannels8x8(b *testing.B)          { run(b, "mesh:8x8", 2, 0.02) }
func BenchmarkTwoChannelsContended8x8(b *testing.B) { run(b, "mesh:8x8", 2, 0.04) }

// 16 times the nodes; the bisection of a node's traffic is a quarter.
func BenchmarkSaturated32x32(b *testing.B) { run(b, "mesh:32x32", 1, 0.005) }

// Datelines need two virtual channels.
func BenchmarkSaturatedTorus8x8(b *testing.B) { run(b, "torus:8x8", 2, 0.04) }
