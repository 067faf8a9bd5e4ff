// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/internal/soak"
)

var every = flag.Int("every", 0, "compare rings of every so many numbers of nodes up to 4096 with the bounds (1: all, some minutes)")

// Round a ring the best is within 1.25 of the bound for gossips in steps, and
// within 2.2 of that for any gossip; on square tori within 1.6 and 1.85.
func TestBestIsNearTheBounds(t *testing.T) {
	ratios := []float64{0.01, 0.3, 1, 3, 10, 30, 100, 300, 1000, 10000}
	var specs []string
	for n := 9; n <= 4096; n += max(1, *every) {
		if specs = append(specs, fmt.Sprintf("ring:%d", n)); *every == 0 {
			n += n / 2
		}
	}
	for _, n := range soak.Some(2, []int{3, 4, 5, 8, 9, 27, 16}) {
		specs = append(specs, fmt.Sprintf("torus:%dx%d", n, n))
	}
	worst := map[bool][2]string{}
	most := map[bool][2]float64{}
	var chooser stages.Chooser
	for _, spec := range specs {
		topo, g := gridOf(t, spec)
		ring := len(g) == 1
		words := 4 << 10 // distances hardly count
		if !ring {
			words = 1 << 10
		}
		for _, r := range soak.Some(7, ratios) {
			m := wormhole(t, int(r*float64(words)))
			c, err := chooser.Choose(topo, m, words)
			require.NoError(t, err)
			w, b := most[ring], worst[ring]
			if c.StepRatio() > 1.35 {
				t.Logf("%s r=%g %.3f %.3f %v", spec, r, c.StepRatio(), c.Ratio(), c.Best)
			}
			for i, ratio := range []float64{c.StepRatio(), c.Ratio()} {
				if ratio > w[i] {
					w[i], b[i] = ratio, fmt.Sprintf("%s r=%g %.3f %v", spec, r, ratio, c.Best)
				}
			}
			most[ring], worst[ring] = w, b
		}
	}
	t.Log(worst)
	require.Less(t, most[true][0], 1.25)
	require.Less(t, most[true][1], 2.2)
	require.Less(t, most[false][0], 1.6)
	require.Less(t, most[false][1], 1.85)
}
