// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/schedule/bound"
)

// searching are algorithms that search for long.
var searching = []string{"auto", "timetable", "greedy", "tree-search", "refined", "rounds", "symmetric", "multi-leader", "translations"}

// On machines with slower links no run beats the bound, which knows them, and some meet it.
func TestNoRunOverSlowLinksBeatsTheBound(t *testing.T) {
	runs, met := map[string]int{}, 0
	for seed := range soak.Number[uint64](80, 1000) {
		random := rand.New(rand.NewPCG(seed, 0x736c6f77))
		j := collectivetest.RandomJob(t, random)
		if j.Machine.Switching != machine.Wormhole || j.Topology.Nodes() > 12 {
			continue
		}
		collectivetest.RandomLinks(t, random, j.Topology, &j.Machine)
		for _, a := range collective.Table() {
			if slices.Contains(searching, a.Name) || random.IntN(4) > 0 {
				continue
			}
			p, err := collective.Generate(t.Context(), a.Collective, a.Name, fitted(t, a, j))
			if err != nil { // TestRandomJobsAreDelivered judges which are refused
				continue
			}
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			require.NoError(t, r.Failure, "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
			require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
			runs[a.Collective]++
			if r.Cycles == p.LowerBound() && p.Bound().Proof == bound.ByCut {
				met++
			}
		}
	}
	t.Log(runs, met)
	require.Len(t, runs, 8)
	require.Greater(t, met, 2)
}
