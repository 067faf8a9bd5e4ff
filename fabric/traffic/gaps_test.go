// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table gives what the formula gives, at draws close to the next gap, too.
func TestGapsAgreeWithTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	for _, rate := range []float64{1e-6, 0.001, 0.02, 0.04, 0.3, 0.999} {
		g := newGaps(rate)
		for range 20000 {
			draw := random.Float64()
			require.Equal(t, g.computed(draw), g.of(draw), "rate %g, draw %v", rate, draw)
		}
		for _, edge := range g.grows {
			for _, off := range []float64{-1e-9, -1e-13, 0, 1e-13, 1e-9} {
				if draw := edge + off; draw >= 0 && draw < 1 {
					require.Equal(t, g.computed(draw), g.of(draw), "rate %g, draw %v", rate, draw)
				}
			}
		}
	}
}
