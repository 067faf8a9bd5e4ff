// SPDX-License-Identifier: Apache-2.0

package packets_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

// onAllPorts gives a job a machine whose chips use all links at once.
func onAllPorts(t testing.TB, j collective.Job) collective.Job {
	require.NoError(t, j.Machine.Set("ports", "all"))
	require.NoError(t, j.Machine.Set("nic.channels", "links"))
	return j
}

// Every word arrives, never before the bound; the bound of packets that mix no
// messages is met on some trees.
func TestPacketsOnAllPortsKeepTheirBounds(t *testing.T) {
	met, saved := 0, router.Cycle(0)
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 41))
		j := collectivetest.RandomPacketJob(t, random)
		if random.IntN(3) == 0 {
			topo, err := topology.Parse([]string{"ring:5", "torus:3x3", "mesh:3x2", "debruijn:3", "hypercube:3", "hub:6"}[random.IntN(6)])
			require.NoError(t, err)
			j = collectivetest.PacketJob(t, topo.String(), collectivetest.Setups[random.IntN(len(collectivetest.Setups))], collectivetest.RandomLengths(random, topo.Nodes())...)
			j.Lengths[0] = 0
		}
		j.Machine.Startup, j.Machine.Flit = random.IntN(3)*random.IntN(2), 1+random.IntN(2)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("switching", "cut-through"))
		}
		for kind, algorithm := range collectivetest.OnTrees {
			one := collectivetest.Run(t, kind, algorithm, j)
			all := collectivetest.Run(t, kind, algorithm, onAllPorts(t, j))
			require.LessOrEqual(t, all.Plan.LowerBound(), all.Plan.UncombinedBound())
			require.GreaterOrEqual(t, all.Cycles, all.Plan.UncombinedBound(), "seed %d: %s %s", seed, kind, collectivetest.Describe(j))
			if all.Cycles == all.Plan.UncombinedBound() {
				met++
			}
			saved += one.Cycles - all.Cycles
		}
	}
	t.Logf("bound met by %d of 1200, %d ticks saved", met, saved)
	require.Greater(t, met, 100)
	require.Positive(t, saved)
}

// Both directions of a line at once: no packet waits in a chip.
func TestPacketGossipOnAllPorts(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 33))
		specs := []string{"path:2", "path:5", "ring:2", "ring:3", "ring:6", "mesh:3x4", "torus:3x3", "torus:2x4", "hypercube:3", "mesh:1x3"}
		topo, err := topology.Parse(specs[random.IntN(len(specs))])
		require.NoError(t, err)
		j := collectivetest.PacketJob(t, topo.String(), collectivetest.Setups[random.IntN(len(collectivetest.Setups))], collectivetest.RandomLengths(random, topo.Nodes())...)
		j.Machine.Startup, j.Machine.Flit = random.IntN(3), 1+random.IntN(2)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("switching", "cut-through"))
		}
		r := collectivetest.Run(t, "gossip", "highdimgos", onAllPorts(t, j))
		require.Zero(t, r.MaxBufferFlits)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound(), "seed %d: %s", seed, collectivetest.Describe(j))
		collectivetest.RequireLog(t, r)
	}
}

// A hub sends a packet to each of its leaves at once, and takes one from each.
func TestAllLeavesOfAHubAtOnce(t *testing.T) {
	for kind, algorithm := range collectivetest.OnTrees {
		j := collectivetest.PacketJob(t, "hub:6", "2", 0, 5, 5, 5, 5, 5)
		require.EqualValues(t, 5*7, collectivetest.Run(t, kind, algorithm, j).Cycles)
		r := collectivetest.Run(t, kind, algorithm, onAllPorts(t, j))
		require.EqualValues(t, 7, r.Cycles)
		require.EqualValues(t, 7, r.Plan.LowerBound())
	}
}

func TestAlgorithmsForASinglePortSaySo(t *testing.T) {
	j := onAllPorts(t, collectivetest.PacketJob(t, "path:4", "3/2", 0, 1, 2, 3))
	for _, row := range []struct{ kind, algorithm string }{{"scatter", "search"}, {"gather", "search"}, {"gather", "certification-ii"}} {
		_, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
		require.EqualError(t, err, row.kind+" "+row.algorithm+" does not run on a store-forward machine with all ports (expected ports single)")
	}
	for _, kind := range []string{"scatter", "gather", "gossip"} {
		require.NotEmpty(t, collectivetest.Run(t, kind, "", j).Plan.Chosen.Weighed)
	}
}
