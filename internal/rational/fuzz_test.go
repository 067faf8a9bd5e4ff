// SPDX-License-Identifier: Apache-2.0

package rational

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// What Parse accepts is the number that math/big reads, in bounds, and is
// written back as Parse reads it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "2", "1.5", "3/2", "1000000000", "0.000000001", "-1", "1e3", "1/0", "00.10", "", "999999999999/3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		require.Zero(t, want.Cmp(r.Rat()), text)
		require.LessOrEqual(t, r.Num(), int64(Max))
		require.LessOrEqual(t, r.Den(), int64(Max))
		back, err := Parse(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}
