// SPDX-License-Identifier: Apache-2.0

package scattergather_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

// TestOptimalOnTrees: with one port, furthest-first scatter and nearest-first
// gather meet their bounds on every tree, whatever startup, hop and flit.
func TestOptimalOnTrees(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		topo, err := topology.Parse(collectivetest.RandomTree(t, random, 2+random.IntN(40)))
		require.NoError(t, err)
		m := collectivetest.RandomMachine(random)
		m.Switching, m.VCs, m.Ports, m.Channels, m.Duplex = machine.Bufferless, 0, machine.SinglePort, 1, machine.Full
		j := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(random.IntN(topo.Nodes())), Lengths: collectivetest.RandomLengths(random, topo.Nodes())}
		for _, kind := range []string{"scatter", "gather"} {
			r := collectivetest.Run(t, kind, collectivetest.OnTrees[kind], j)
			require.Equal(t, r.Plan.UncombinedBound(), r.Cycles, "seed %d %s %s", seed, kind, collectivetest.Describe(j))
		}
	}
}

// TestChannelsNeverWaitForOneAnother: with a channel a link every channel of
// the root is busy until it is done, so that the bound of its part is met.
func TestChannelsNeverWaitForOneAnother(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 4))
		topo, err := topology.Parse(collectivetest.RandomTree(t, random, 2+random.IntN(40)))
		require.NoError(t, err)
		j := collective.Job{Topology: topo, Root: router.NodeID(random.IntN(topo.Nodes())), Lengths: collectivetest.RandomLengths(random, topo.Nodes())}
		for _, name := range []string{"wormhole", "bufferless"} {
			j.Machine, err = machine.Preset(name)
			require.NoError(t, err)
			j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
			for _, kind := range []string{"scatter", "gather"} {
				r := collectivetest.Run(t, kind, collectivetest.OnTrees[kind], j)
				require.Equal(t, r.Plan.UncombinedBound(), r.Cycles, "seed %d %s %s", seed, kind, collectivetest.Describe(j))
			}
		}
	}
}

func TestOrders(t *testing.T) {
	j := collectivetest.Job(t, "path:6", "bufferless", 0, 0, 0, 0, 2, 4, 3)
	for _, row := range []struct {
		name  string
		order []router.NodeID
		want  string
	}{
		{"missing", []router.NodeID{4, 5}, "order: node 3 is missing (expected every node with a message once)"},
		{"twice", []router.NodeID{4, 4, 5}, "order: node 4 stands twice (expected every node with a message once)"},
		{"null", []router.NodeID{4, 1, 3, 5}, "order: node 1 has no message (expected every node with a message once)"},
		{"root", []router.NodeID{0}, "order: node 0 is the root (expected every node with a message once)"},
		{"unknown", []router.NodeID{6}, "order: 6 is not a node (expected 0 to 5)"},
		{"empty", []router.NodeID{}, "order: node 3 is missing (expected every node with a message once)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j.Order = row.order
			_, err := collective.Generate(t.Context(), "scatter", "", j)
			require.EqualError(t, err, row.want)
		})
	}
	for range 20 {
		order := []router.NodeID{3, 4, 5}
		rand.Shuffle(3, func(a, b int) { order[a], order[b] = order[b], order[a] })
		j.Order = order
		r := collectivetest.Run(t, "scatter", "fdf", j)
		for i, sent := range r.Log {
			require.Equal(t, order[i], sent.Destination)
			require.Equal(t, uint32(order[i]), sent.Tag)
		}
	}
}

func TestInputErrors(t *testing.T) {
	good := collectivetest.Job(t, "path:4", "bufferless", 0, 0, 1, 2, 3)
	for _, row := range []struct {
		name, kind, algorithm string
		change                func(*collective.Job)
		want                  string
	}{
		{"root", "scatter", "", func(j *collective.Job) { j.Root = 4 }, "root 4 is not a node (expected 0 to 3)"},
		{"lengths", "gather", "", func(j *collective.Job) { j.Lengths = j.Lengths[1:] }, "3 lengths for 4 nodes (expected one for each node)"},
		{"negative", "gather", "", func(j *collective.Job) { j.Lengths = []int{0, 1, -1, 0} }, "length -1 of node 2 (expected at least 0, all together at most 2^28)"},
		{"payloads", "gather", "", func(j *collective.Job) { j.Payload = make([][]uint32, 3) }, "3 payloads for 4 nodes (expected one for each node)"},
		{"payload", "gather", "", func(j *collective.Job) { j.Payload = [][]uint32{nil, {1}, {1}, {1, 2, 3}} }, "payload of node 2 has 1 words, its length is 2 (expected as many as its length)"},
		{"order", "gossip", "", func(j *collective.Job) { j.Order = []router.NodeID{1} }, "order 1 for gossip auto (expected none: no gossip has it)"},
		{"collective", "scater", "", nil, `unknown collective "scater" (did you mean scatter?)`},
		{"collective of MPI", "altoall", "", nil, `unknown collective "altoall" (did you mean alltoall?)`},
		{"no collective", "barrier", "", nil, `unknown collective "barrier" (expected scatter, gather, gossip, broadcast, reduce, allreduce, reduce-scatter or exchange)`},
		{"algorithm", "gather", "shoulder-tip", nil, `unknown gather algorithm "shoulder-tip" (did you mean shoulder-tap?)`},
		{"topology", "gather", "shoulder-tap", func(j *collective.Job) { *j = collectivetest.Job(t, "ring:4", "bufferless", 0, 0, 1, 1, 1) }, "gather shoulder-tap does not run on ring:4 (expected a topology of: paths)"},
		{"timing", "gather", "shoulder-tap", func(j *collective.Job) { j.Machine.Hop = 2 }, "shoulder-tap on a bufferless machine with startup 0, hop 2, flit 1, nic.duplex full (expected startup 0, hop 1, flit 1 and nic.duplex full, or nearest-first)"},
		{"order width", "gather", "shoulder-tap", func(j *collective.Job) { j.Machine.Width, j.Lengths = 8, []int{0, 300, 1, 1} }, "shoulder-tap: order 300 does not fit width 8 (expected a larger width, or nearest-first)"},
		{"half duplex", "gossip", "approach2", func(j *collective.Job) { j.Machine.Duplex = machine.Half }, "gossip on a bufferless machine with nic.duplex half: PEs send and receive at once (expected nic.duplex full, or a wormhole machine)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := good
			if row.change != nil {
				row.change(&j)
			}
			_, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
			require.EqualError(t, err, row.want)
		})
	}
	tree := collectivetest.RandomTree(t, rand.New(rand.NewPCG(1, 1)), 5)
	_, err := collective.Generate(t.Context(), "gossip", "approach2", collectivetest.Job(t, tree, "wormhole", 0, 1, 1, 1, 1, 1))
	require.ErrorContains(t, err, "gossip approach2 does not run on tree:")
}
