// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
)

// Every tree that can be named carries scatter and gather, on machines with and
// without buffers, with one port and with all.
func TestEveryTreeCarriesScatterAndGather(t *testing.T) {
	for _, spec := range []string{"mesh:3x4", "torus:4x3", "hypercube:3", "ring:5"} {
		for _, preset := range []string{"bufferless", "wormhole"} {
			for _, name := range plan.TreeNames() {
				for _, what := range []string{"scatter", "gather"} {
					t.Run(what+" "+name+" "+spec+" "+preset, func(t *testing.T) {
						j := collectivetest.Job(t, spec, preset, 1)
						for n := range j.Topology.Nodes() {
							j.Lengths = append(j.Lengths, n*5%7)
						}
						j.Tree = name
						plan, err := collective.Generate(t.Context(), what, collectivetest.OnTrees[what], j)
						require.NoError(t, err)
						r, err := collective.Execute(t.Context(), plan)
						require.NoError(t, err)
						require.NoError(t, r.Failure)
						require.GreaterOrEqual(t, r.Cycles, plan.LowerBound())
					})
				}
			}
		}
	}
}

func TestTreesThatAreNotThere(t *testing.T) {
	j := collectivetest.Job(t, "path:3", "bufferless", 0, 0, 1, 1)
	j.Tree = "bredth-first"
	_, err := collective.Generate(t.Context(), "gather", "nearest-first", j)
	require.EqualError(t, err, `unknown tree "bredth-first" (did you mean breadth-first?)`)
}
