// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLevelsAgreeWithPlainNumbers(t *testing.T) {
	for _, depth := range []int{1, 2, 4, 7, 1024} {
		rng := rand.New(rand.NewPCG(3, uint64(depth)))
		l := newLevels(70, depth)
		var want [128]int
		for range 5000 {
			w := rng.IntN(2)
			var gain, loss uint64
			var c change
			for k := range 64 {
				i, bit := w<<6+k, uint64(1)<<k
				switch before := want[i]; {
				case before < depth && rng.IntN(3) > 0:
					gain |= bit
					want[i]++
					if before == 0 {
						c.refilled |= bit
					}
					if want[i] == depth {
						c.filled |= bit
					}
				case before > 0 && rng.IntN(2) > 0:
					loss |= bit
					want[i]--
					if before == depth {
						c.relieved |= bit
					}
					if want[i] == 0 {
						c.emptied |= bit
					}
				}
			}
			require.Equal(t, c, l.count(w, gain, loss), "depth %d", depth)
		}
		for i := range want {
			require.Equal(t, want[i], l.at(int32(i)))
		}
	}
}
