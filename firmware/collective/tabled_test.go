// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/router"
)

// On grids with tables of routes up and down, and on all networks with any table, every algorithm that takes a random job delivers it, in the time that it
// predicts and not below the bound.
func TestRandomJobsWithTables(t *testing.T) {
	ran := map[string]int{}
	grids := []string{"ring:5", "path:4", "mesh:3x3", "mesh:4x2", "torus:3x3", "torus:4x3", "hypercube:3"}
	others := []string{"star:3", "twisted-torus:3x3,1", "debruijn:3", "random:7,3,1", "random-tree:8,3", "complete:5"}
	for seed := range soak.Number[uint64](4, 60) {
		random := rand.New(rand.NewPCG(seed, 77))
		specs := grids
		if seed%2 > 0 {
			specs = slices.Concat(others, grids)
		}
		topo, err := topology.Parse(specs[random.IntN(len(specs))])
		require.NoError(t, err)
		m := collectivetest.RandomMachine(random)
		if m.Routing = machine.Table; seed%2 > 0 {
			m.Ways = collectivetest.OwnTable(t, topo, random)
		} else {
			m.Routing = machine.UpDown
		}
		j := collective.Job{
			Topology: topo, Machine: m, Root: router.NodeID(random.IntN(topo.Nodes())),
			Lengths: collectivetest.RandomLengths(random, topo.Nodes()), Seed: seed, Effort: 0.05,
		}
		for _, a := range collective.Table() {
			if a.Name == "auto" || a.Name == "timetable" && seed%8 != 7 { // a search takes its time
				continue
			}
			name := fmt.Sprintf("seed %d: %s %s on %s", seed, a.Collective, a.Name, topo)
			p, err := collective.Generate(t.Context(), a.Collective, a.Name, fitted(t, a, j))
			if err != nil { // other tests look at refusals
				continue
			}
			require.Same(t, topo, p.Topology, name)
			collectivetest.RequireDelivery(t, p, name)
			ran[a.Collective]++
		}
	}
	t.Log(ran)
	require.Len(t, ran, 8)
}
