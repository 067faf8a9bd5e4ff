// SPDX-License-Identifier: Apache-2.0

package rational

import (
	"math/big"
	"strings"
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
		want := decimal(t, text)
		require.Zero(t, want.Cmp(r.Rat()), text)
		require.LessOrEqual(t, r.Num(), int64(Max))
		require.LessOrEqual(t, r.Den(), int64(Max))
		back, err := Parse(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}

// decimal reads a quotient or a decimal fraction in base 10, where leading
// zeros mean nothing.
func decimal(t *testing.T, text string) *big.Rat {
	above, below, quotient := strings.Cut(text, "/")
	if !quotient {
		whole, part, _ := strings.Cut(text, ".")
		above, below = whole+part, "1"+strings.Repeat("0", len(part))
	}
	a, ok := new(big.Int).SetString(above, 10)
	require.True(t, ok, text)
	b, ok := new(big.Int).SetString(below, 10)
	require.True(t, ok, text)
	return new(big.Rat).SetFrac(a, b)
}
