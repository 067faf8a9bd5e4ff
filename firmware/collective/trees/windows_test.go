// SPDX-License-Identifier: Apache-2.0

package trees_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

// Where hops take much longer than flits, the sum is everywhere almost as soon as the furthest vector
// could be: half a ring, and a few flits that follow one another.
func TestWindowsTakeTheFewestHops(t *testing.T) {
	for _, n := range []int{2, 3, 4, 7, 8, 9, 16, 26, 27, 28, 63, 64} {
		t.Run(fmt.Sprint("ring:", n), func(t *testing.T) {
			j := collectivetest.Equal(t, fmt.Sprint("ring:", n), "wormhole", 0, 1)
			j.Machine.Hop, j.Machine.Buffer = 64, 66
			r := collectivetest.Run(t, "allreduce", "windows", j)
			require.GreaterOrEqual(t, r.Cycles, router.Cycle(64*(n/2)))
			require.LessOrEqual(t, r.Cycles, router.Cycle(64*(n/2)+n/2+2))
		})
	}
}

// Windows of pieces take no longer than the published algorithms on a torus with long lines, and not much longer on short lines,
// whatever the length of the vector; long vectors take about as long as the bound says.
func TestWindowsOfPieces(t *testing.T) {
	for spec, most := range map[string]float64{"ring:16": 1.1, "torus:8x8": 1, "torus:4x4": 1.3, "hypercube:4": 1} {
		for _, length := range []int{1, 50, 400, 20000} {
			t.Run(fmt.Sprint(spec, ", ", length), func(t *testing.T) {
				j := collectivetest.Equal(t, spec, "wormhole", 0, length)
				require.NoError(t, j.Machine.Set("ports", "all"))
				require.NoError(t, j.Machine.Set("nic.channels", "links"))
				j.Machine.Hop, j.Machine.Buffer = 40, 42
				r := collectivetest.Run(t, "allreduce", "windows", j)
				for _, other := range []string{"swing", "bucket"} {
					p, err := collective.Generate(t.Context(), "allreduce", other, j)
					require.NoError(t, err)
					require.True(t, p.Predicted.Exact)
					require.LessOrEqual(t, float64(r.Cycles), most*float64(p.Predicted.Least), other)
				}
				if length == 20000 {
					require.Less(t, float64(r.Cycles), 1.1*float64(r.Plan.LowerBound()))
				}
			})
		}
	}
}
