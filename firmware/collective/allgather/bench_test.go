// SPDX-License-Identifier: Apache-2.0

package allgather_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
)

// BenchmarkTorgos runs TORGOS on 4096 PEs with blocks of 16 flits, 2^28 words in
// all PEs together, through the model, and compares every word.
func BenchmarkTorgos(b *testing.B) {
	for range b.N {
		topo, err := topology.Parse("torus:64x64")
		require.NoError(b, err)
		m, err := machine.Preset("wormhole")
		require.NoError(b, err)
		m.Startup = 100
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = 16
		}
		p, err := collective.Generate(b.Context(), "gossip", "torgos", plan.Job{Topology: topo, Machine: m, Lengths: lengths, A: 4, B: 3})
		require.NoError(b, err)
		r, err := collective.Execute(b.Context(), p)
		require.NoError(b, err)
		require.True(b, r.Delivered)
		b.ReportMetric(float64(r.Cycles), "cycles")
		b.ReportMetric(float64(p.Flits)/1e6, "Mflits")
	}
}
