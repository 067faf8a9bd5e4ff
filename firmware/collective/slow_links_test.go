// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
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

// Around known faults no run beats the bound either, and dead links never lower it: each plan around them is one of the sound network.
func TestNoRunAroundFaultsBeatsTheBound(t *testing.T) {
	runs, raised := map[string]int{}, 0
	for seed := range soak.Number[uint64](60, 1000) {
		random := rand.New(rand.NewPCG(seed, 0x64656164))
		specs := []string{"mesh:3x3", "torus:3x2", "ring:6", "hypercube:3", "mesh:2x4", "complete:5", "mesh:2x2x2"}
		j := collectivetest.Job(t, specs[random.IntN(len(specs))], "wormhole", 0)
		j.Lengths, j.Effort = collectivetest.RandomLengths(random, j.Topology.Nodes()), collectivetest.Effort()
		j.Machine.Hop, j.Machine.Flit, j.Machine.Buffer, j.Machine.Startup = 1+random.IntN(4), 1+random.IntN(2), 1+random.IntN(8), random.IntN(9)
		if random.IntN(4) > 0 { // most plans around faults want it
			j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
		}
		collectivetest.RandomLinks(t, random, j.Topology, &j.Machine)
		around := j
		links := random.IntN(3) > 0
		around.Machine.Faults = randomDead(random, j.Topology, links)
		for _, kind := range plan.Kinds() {
			rows := slices.DeleteFunc(collective.Table(), func(a collective.Algorithm) bool {
				return a.Collective != kind.Name || slices.Contains(searching, a.Name)
			})
			left, err := collective.Bound(t.Context(), kind.Name, fitted(t, rows[0], around))
			if err != nil { // the network falls apart, or no algorithm takes the job
				continue
			}
			if links {
				sound, err := collective.Bound(t.Context(), kind.Name, fitted(t, rows[0], j))
				require.NoError(t, err)
				require.GreaterOrEqual(t, left.Cycles, sound.Cycles, "seed %d %s %v: %s", seed, kind.Name, around.Machine.Faults.Faults, collectivetest.Describe(j))
				if left.Cycles > sound.Cycles {
					raised++
				}
			}
			for _, a := range rows {
				p, err := collective.Generate(t.Context(), a.Collective, a.Name, fitted(t, a, around))
				if err != nil { // it does not plan around faults, or not on such machines
					continue
				}
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err)
				require.NoError(t, r.Failure, "seed %d %s %s %s", seed, a.Collective, a.Name, collectivetest.Describe(j))
				require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), "seed %d %s %s %v: %s", seed, a.Collective, a.Name, around.Machine.Faults.Faults, collectivetest.Describe(j))
				require.Equal(t, left.Cycles, p.LowerBound(), "seed %d %s %s", seed, a.Collective, a.Name)
				runs[a.Collective]++
			}
		}
	}
	t.Log(runs, raised)
	require.Len(t, runs, 8)
	require.Greater(t, raised, 10)
}

// randomDead is a known list of one to three dead links, in one direction or both, or of a dead node.
func randomDead(random *rand.Rand, topo *topology.Topology, links bool) *fault.List {
	list := &fault.List{Known: true, Seed: 1}
	if !links {
		n := router.NodeID(random.IntN(topo.Nodes()))
		list.Faults = []fault.Fault{{Kind: fault.Node, From: n, To: n, End: fault.Never}}
		return list
	}
	all := topo.Links()
	for range min(len(all), 1+random.IntN(3)) {
		l := all[random.IntN(len(all))]
		list.Faults = append(list.Faults, fault.Fault{Kind: fault.Link, From: l.From, To: l.To, End: fault.Never})
		if random.IntN(2) == 0 {
			list.Faults = append(list.Faults, fault.Fault{Kind: fault.Link, From: l.To, To: l.From, End: fault.Never})
		}
	}
	return list
}
