// SPDX-License-Identifier: Apache-2.0

package countdown

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountdownsAgreeWithPlainNumbers(t *testing.T) {
	const n = 130
	rng := rand.New(rand.NewPCG(1, 2))
	s := New(n)
	var kept, left [n]uint32
	for range 5000 {
		mask := [3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64() & 3}
		for w := range mask {
			for i := range int32(n) {
				if i>>6 == int32(w) && left[i] == 0 {
					left[i] = 1 + rng.Uint32N(40)
					kept[i] = left[i]
					s.Load(i, left[i])
				}
			}
			due := s[w].Due()
			reported := s.Step(w, mask[w])
			require.Equal(t, due&mask[w], reported)
			for i := range int32(n) {
				if i>>6 != int32(w) || mask[w]>>(i&63)&1 == 0 {
					continue
				}
				left[i]--
				if reported>>(i&63)&1 != 0 {
					kept[i] = Rest(kept[i])
					require.Equal(t, left[i], kept[i])
				} else {
					require.Positive(t, left[i], "the last step is reported")
					require.Equal(t, left[i], s.Left(i, kept[i]))
				}
			}
		}
	}
}
