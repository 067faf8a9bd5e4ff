// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// On narrow words the inputs leave room for their sums.
func TestSumsFitIntoTheWidth(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(ringAllreduce(5)))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	l, sizes := f.List(6)
	for width := 4; width < 32; width++ {
		w, err := f.Words(l, sizes, 6, width, 3)
		require.NoError(t, err)
		for rank := range w.End {
			for i := range 5 * 6 {
				require.Less(t, w.Start[rank][i], uint32(1)<<(width-3))
				require.Less(t, w.End[rank][i], uint32(1)<<width)
			}
		}
	}
	_, err = f.Words(l, sizes, 6, 3, 3)
	require.EqualError(t, err, "--width: 3 (expected at least 4: sums of 5 inputs)")
}

// A word that is to come differs in all bits from what it becomes.
func TestWordsToCome(t *testing.T) {
	a, err := Parse("a.xml", strings.NewReader(ringAllgather(4)))
	require.NoError(t, err)
	f, err := a.Flow(0)
	require.NoError(t, err)
	l, sizes := f.List(3)
	w, err := f.Words(l, sizes, 3, 8, 1)
	require.NoError(t, err)
	for rank := range w.End {
		require.Equal(t, w.Start[rank][:3], w.End[rank][:3])
		for i := 3; i < 15; i++ {
			require.Equal(t, uint32(255), w.Start[rank][i]^w.End[rank][i])
		}
		for r := range 4 {
			require.Equal(t, w.Start[r][:3], w.End[rank][3+3*r:6+3*r])
		}
	}
}
