// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneLane(t *testing.T) {
	for _, row := range []struct {
		spec, pattern string
		lanes, lane   int
		ok            bool
	}{
		{"mesh:8x8", "bitcomp", 4, 3, true},
		{"mesh:8x8", "bitcomp", 2, 1, true},
		{"mesh:8x8", "bitcomp", 1, 0, false},
		{"mesh:8x8", "transpose", 4, 0, false},
		{"ring:8", "tornado", 4, 0, false},
		{"ring:8", "tornado", 2, 1, true},
		{"mesh:8x8", "uniform", 4, 0, false},
		{"hypercube:3", "bitcomp", 8, 7, true},
	} {
		p, err := ParsePattern(row.pattern, parse(t, row.spec))
		require.NoError(t, err)
		lane, ok := OneLane(p, row.lanes)
		require.Equal(t, row.ok, ok, "%v", row)
		if ok {
			require.Equal(t, row.lane, lane, "%v", row)
		}
	}
}
