// SPDX-License-Identifier: Apache-2.0

package trees_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
