// SPDX-License-Identifier: Apache-2.0

package router

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every port has one number; those of a chip keep their order, and those of a shard their range.
func TestPortsAreNumberedByLines(t *testing.T) {
	for _, b := range []byLines{{6, 3, 3}, {7, 3, 4}, {9, 6, 3}, {6, 6, 0}, {0, 0, 0}} {
		shard := int32(4) << b.chips
		taken := make([]bool, 2*shard)
		var chip []int32
		for g := range 2 * shard {
			n := b.of(g)
			require.Equal(t, g, b.port(n))
			require.False(t, taken[n])
			taken[n] = true
			require.Equal(t, g/shard, n/shard)
			if chip = append(chip, n); len(chip) == 4 {
				require.True(t, slices.IsSorted(chip))
				chip = chip[:0]
			}
		}
	}
	b := byLines{chips: 6, width: 3, rows: 3}
	require.Equal(t, b.of(4*(5+8*3)+2)+1, b.of(4*(5+8*4)+2), "the next chip of a column")
	require.Equal(t, b.of(4*(5+8*3)+1)+1, b.of(4*(6+8*3)+1), "the next chip of a row")
	require.Equal(t, b.of(4*(5+8*3)+2)^64, b.of(4*(5+8*3)+3), "the way back")
}
