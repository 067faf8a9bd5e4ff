// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/memory"
	"meshwright/rtl/sim"
)

func TestNetworksTooLargeForASimulatorNameTheLargestMesh(t *testing.T) {
	for _, row := range []struct {
		limit memory.Bytes
		size  sim.Size
		fits  bool
		want  string
	}{
		{8 * memory.GB, sim.Size{Ports: 5 * 32 * 32}, true, ""},
		{8 * memory.GB, sim.Size{Ports: 5 * 100 * 100}, false, "a network no larger than mesh:32x32"},
		{300 * memory.MB, sim.Size{Ports: 5 * 10 * 10}, false, "a network no larger than mesh:6x6"},
		{300 * memory.MB, sim.Size{Ports: 5 * 6 * 6}, true, ""},
		{300 * memory.MB, sim.Size{Ports: 5 * 6 * 6, PEs: 6 * 6}, false, "a network no larger than mesh:5x5"},
		{memory.MB, sim.Size{Ports: 5}, false, ""},
	} {
		err := sim.Fits(memory.With(t.Context(), row.limit), sim.Icarus, "this mesh", row.size)
		if row.fits {
			require.NoError(t, err)
			continue
		}
		var large *memory.TooLarge
		require.ErrorAs(t, err, &large)
		require.Equal(t, row.want, large.Instead)
		require.Equal(t, "icarus for this mesh", large.What)
	}
	err := sim.Fits(memory.With(t.Context(), 2*memory.GB), sim.Verilator, "this mesh", sim.Size{Ports: 5 * 4 * 4, Coverage: true})
	var large *memory.TooLarge
	require.ErrorAs(t, err, &large)
	require.Equal(t, "a network no larger than mesh:3x3", large.Instead)
	require.NoError(t, sim.Fits(t.Context(), sim.Verilator, "no limit", sim.Size{Ports: 1 << 40}))
}
