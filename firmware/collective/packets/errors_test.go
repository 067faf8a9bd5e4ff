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

func TestPacketErrors(t *testing.T) {
	for _, row := range []struct {
		name, kind, algorithm string
		change                func(*collective.Job)
		want                  string
	}{
		{"machine", "scatter", "", func(j *collective.Job) {
			j.Machine = collectivetest.Job(t, "path:4", "wormhole", 0).Machine
			j.Split = "best"
		},
			"packets on a machine of switching wormhole, which does not switch packets (expected switching store-forward or cut-through, or no packets)"},
		{"both", "scatter", "", func(j *collective.Job) { j.Packets, j.Split = make([][]int, 4), "best" }, `packets are given, and split "best" (expected one of the two)`},
		{"split", "scatter", "", func(j *collective.Job) { j.Split = "worst" }, `unknown split "worst" (expected best)`},
		{"nodes", "gather", "", func(j *collective.Job) { j.Packets = [][]int{{1}} }, "packets of 1 nodes for 4 nodes (expected one for each node)"},
		{"sum", "gather", "", func(j *collective.Job) { j.Packets = [][]int{3: {1, 1}} }, "node 3: packets of 2 flits for a message of 3 flits (expected as many as the message's length)"},
		{"none", "gather", "", func(j *collective.Job) { j.Packets = [][]int{3: {}} }, "node 3: packets of 0 flits for a message of 3 flits (expected as many as the message's length)"},
		{"zero", "gather", "", func(j *collective.Job) { j.Packets = [][]int{3: {3, 0}} }, "node 3: a packet of 0 flits of a message of 3 flits (expected at least 1, all together the message's length)"},
		{"packet", "gather", "nearest-first", func(j *collective.Job) { j.Machine.Packet = 2 }, "packet 2: the largest packet has 3 flits (expected at least as many, or 0)"},
		{"order", "scatter", "", func(j *collective.Job) {
			j.Packets, j.Order = [][]int{1: nil, 2: nil, 3: {1, 1, 1}}, []router.NodeID{3, 1, 3, 2}
		},
			"order: node 3 stands 2 times and has 3 packets (expected every node with a message once, or as often as it has packets)"},
		{"missing", "gather", "", func(j *collective.Job) { j.Order = []router.NodeID{3, 1} },
			"order: node 2 is missing (expected every node with a message once, or as often as it has packets)"},
		{"root", "gather", "", func(j *collective.Job) { j.Order = []router.NodeID{0, 1} },
			"order: node 0 is the root (expected every node with a message once, or as often as it has packets)"},
		{"stranger", "gather", "", func(j *collective.Job) { j.Order = []router.NodeID{4} }, "order: 4 is not a node (expected 0 to 3)"},
		{"order of certificates", "gather", "certification-ii", func(j *collective.Job) { j.Order = []router.NodeID{3} },
			"order 3 for gather certification-ii (expected none, or algorithm nearest-first)"},
		{"tree", "gossip", "", func(j *collective.Job) { j.Tree = "balanced" }, "tree balanced for gossip auto (expected none: no gossip has it)"},
		{"cover", "gather", "", func(j *collective.Job) { j.Cover = "torus-pair" }, "cover torus-pair for gather auto (expected none: edge-disjoint has it, with switching bufferless or wormhole)"},
		{"trees", "gather", "", func(j *collective.Job) { j.Trees = 2 },
			"trees 2 for gather auto (expected none: edge-disjoint has it, with switching bufferless or wormhole)"},
		{"gossip", "gossip", "", func(j *collective.Job) { j.Split = "best" }, "packets for gossip (expected none: only scatter and gather split messages into packets)"},
		{"shoulder-tap", "gather", "shoulder-tap", nil, "gather shoulder-tap does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"certification", "gather", "certification", nil, "gather certification does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"wormhole", "scatter", "search", func(j *collective.Job) { j.Machine = collectivetest.Job(t, "path:4", "wormhole", 0).Machine },
			"scatter search does not run on a wormhole machine (expected switching store-forward)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := collectivetest.PacketJob(t, "path:4", "3/2", 0, 1, 2, 3)
			if row.change != nil {
				row.change(&j)
			}
			if j.Packets != nil && len(j.Packets) < 4 && row.name != "nodes" {
				t.Fatal("packets of too few nodes")
			}
			_, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
			require.EqualError(t, err, row.want)
		})
	}
}

// TestDefaultsOnPacketMachines: every collective has an algorithm there.
func TestDefaultsOnPacketMachines(t *testing.T) {
	for _, switching := range []string{"store-forward", "cut-through"} {
		for _, kind := range []string{"scatter", "gather", "gossip"} {
			j := collectivetest.PacketJob(t, "path:4", "3/2", 0, 1, 2, 3)
			require.NoError(t, j.Machine.Set("switching", switching))
			require.NotEmpty(t, collectivetest.Run(t, kind, "", j).Plan.Chosen.Weighed)
		}
	}
}

func TestACrowdedBufferIsAFailure(t *testing.T) {
	failure := collective.Crowded{Node: 3, Port: 1, Flits: 5, Packet: 4}
	require.EqualError(t, &failure, "5 flits in the buffer of node 3, port 1: more than the largest packet, which has 4 flits")
}

// TestPacketGossip: on any grid, and no packet ever waits in a chip.
func TestPacketGossip(t *testing.T) {
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 32))
		specs := []string{"path:2", "path:5", "ring:3", "ring:6", "mesh:3x4", "torus:3x3", "torus:2x4", "hypercube:3", "mesh:1x3"}
		topo, err := topology.Parse(specs[random.IntN(len(specs))])
		require.NoError(t, err)
		j := collectivetest.PacketJob(t, topo.String(), collectivetest.Setups[random.IntN(len(collectivetest.Setups))], collectivetest.RandomLengths(random, topo.Nodes())...)
		j.Machine.Startup, j.Machine.Flit = random.IntN(3), 1+random.IntN(2)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("switching", "cut-through"))
		}
		r := collectivetest.Run(t, "gossip", "highdimgos", j)
		require.Zero(t, r.MaxBufferFlits)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound(), "seed %d: %s", seed, collectivetest.Describe(j))
		collectivetest.RequireLog(t, r)
	}
}
