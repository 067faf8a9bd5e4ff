// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/rtl"
)

// A scatter on a mesh of 32x32 chips, run, recorded and written with all its vectors, as `meshwright export` does it:
// docs/speed.md has its time.
func BenchmarkExport32x32(b *testing.B) {
	topo, err := topology.Parse("mesh:32x32")
	require.NoError(b, err)
	job := collective.Job{Topology: topo, Machine: settled(b, "wormhole", nil), Lengths: make([]int, topo.Nodes())}
	for n := 1; n < topo.Nodes(); n++ {
		job.Lengths[n] = 8
	}
	for i := range b.N {
		plan, err := collective.Generate(b.Context(), "scatter", "edge-disjoint", job)
		require.NoError(b, err)
		var recorder *rtl.Recorder
		_, err = collective.Execute(b.Context(), plan, func(n *fabric.Network) error {
			recorder = rtl.NewRecorder(n)
			return nil
		})
		require.NoError(b, err)
		_, err = recorder.Export(filepath.Join(b.TempDir(), fmt.Sprint(i)))
		require.NoError(b, err)
	}
}
