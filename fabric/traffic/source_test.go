// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// saturated is the yardstick: an 8x8 mesh just past saturation.
func saturated(tb testing.TB, seed uint64) *fabric.Network {
	t, err := topology.Parse("mesh:8x8")
	require.NoError(tb, err)
	m, err := machine.Preset("wormhole")
	require.NoError(tb, err)
	m.Channels = 1
	n, err := fabric.New(t, m)
	require.NoError(tb, err)
	n.Attach(NewUniform(64, 8, 0.02, seed))
	return n
}

func BenchmarkSaturated8x8(b *testing.B) {
	n := saturated(b, 1)
	for range 10000 {
		n.Step()
	}
	start := n.Delivered()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		n.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
	b.ReportMetric(float64(n.Delivered()-start)/float64(b.N)/64, "flits/node/cycle")
	b.ReportMetric(n.Bank().BytesPerChip(), "bytes/router")
}
