// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
)

// Every algorithm carries words of any width, in the same time: lengths are flits.
func TestWideWordsTakeTheSameTime(t *testing.T) {
	ran := map[string]bool{}
	for _, spec := range soak.Some(3, []string{"ring:5", "mesh:3x3", "binary:2"}) {
		for _, preset := range []string{"wormhole", "bufferless", "store-forward"} {
			for _, a := range collective.Table() {
				if a.Name == "auto" || a.Name == "timetable" && preset != "wormhole" {
					continue
				}
				name := a.Collective + " " + a.Name + " on " + spec + ", " + preset
				narrow := runAt(t, a, spec, preset, "32")
				if narrow == nil {
					continue
				}
				require.True(t, narrow.Delivered, "%s: %v", name, narrow.Failure)
				for _, width := range []string{"64", "512"} {
					wide := runAt(t, a, spec, preset, width)
					require.True(t, wide.Delivered, "%s of %s bits: %v", name, width, wide.Failure)
					require.Equal(t, narrow.Cycles, wide.Cycles, "%s of %s bits", name, width)
					require.Equal(t, narrow.Plan.LowerBound(), wide.Plan.LowerBound(), name)
					require.Equal(t, narrow.Plan.Programs, wide.Plan.Programs, name)
				}
				ran[a.Collective] = true
			}
		}
	}
	require.Len(t, ran, len(plan.Kinds()))
}

// runAt runs an algorithm; nil if it refuses the job.
func runAt(t *testing.T, a collective.Algorithm, spec, preset, width string) *collective.Result {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = 3
	}
	j := collectivetest.Job(t, spec, preset, 0, lengths...)
	require.NoError(t, j.Machine.Set("width", width))
	j.Effort = collectivetest.Effort()
	p, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
	if err != nil {
		return nil
	}
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err)
	return r
}
