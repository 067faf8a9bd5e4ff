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
		ports int
		fits  bool
		want  string
	}{
		{8 * memory.GB, 5 * 32 * 32, true, ""},
		{8 * memory.GB, 5 * 100 * 100, false, "a network no larger than mesh:32x32"},
		{300 * memory.MB, 5 * 10 * 10, false, "a network no larger than mesh:6x6"},
		{memory.MB, 5, false, ""},
	} {
		err := sim.Fits(memory.With(t.Context(), row.limit), sim.Icarus, "this mesh", row.ports)
		if row.fits {
			require.NoError(t, err)
			continue
		}
		var large *memory.TooLarge
		require.ErrorAs(t, err, &large)
		require.Equal(t, row.want, large.Instead)
		require.Equal(t, "icarus for this mesh", large.What)
	}
	require.NoError(t, sim.Fits(t.Context(), sim.Verilator, "no limit", 1<<40))
}
