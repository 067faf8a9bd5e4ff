// SPDX-License-Identifier: Apache-2.0

package rerouted_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
)

var (
	jobs  = flag.Int("jobs", 60, "random jobs")
	first = flag.Uint64("first", 1, "the first seed")
)

var kinds = []string{plan.Scatter, plan.Gather, plan.Gossip, plan.Broadcast, plan.Allreduce, plan.ReduceScatter, plan.Exchange}

// job is a job of a collective on a machine whose links all work by themselves.
func job(t *testing.T, spec, preset string, root, words int) collective.Job {
	t.Helper()
	j := collectivetest.Equal(t, spec, preset, root, words)
	j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
	return j
}

// dead lists what is dead from cycle 0 on: a node, or a link in both directions.
func dead(t *topology.Topology) [][]fault.Fault {
	var list [][]fault.Fault
	for n := range router.NodeID(t.Nodes()) {
		list = append(list, []fault.Fault{{Kind: fault.Node, From: n, To: n, End: fault.Never}})
	}
	for _, l := range t.Links() {
		if l.From < l.To {
			list = append(list, []fault.Fault{
				{Kind: fault.Link, From: l.From, To: l.To, End: fault.Never}, {Kind: fault.Link, From: l.To, To: l.From, End: fault.Never},
			})
		}
	}
	return list
}

func known(faults []fault.Fault) *fault.List {
	return &fault.List{Faults: faults, Known: true, Seed: 1}
}

// parts counts the parts into which faults cut a network, and says whether a node is dead: a second
// way to know whether a plan must be refused.
func parts(t *topology.Topology, faults []fault.Fault) (count int, deadNode map[router.NodeID]bool) {
	deadNode, cut := map[router.NodeID]bool{}, map[[2]router.NodeID]bool{}
	for _, f := range faults {
		if f.Kind == fault.Node {
			deadNode[f.From] = true
		} else {
			cut[[2]router.NodeID{f.From, f.To}], cut[[2]router.NodeID{f.To, f.From}] = true, true
		}
	}
	label := make([]int, t.Nodes())
	for n := range label {
		label[n] = n
		if !deadNode[router.NodeID(n)] {
			count++
		}
	}
	for _, l := range t.Links() {
		if a, b := label[l.From], label[l.To]; a != b && !deadNode[l.From] && !deadNode[l.To] && !cut[[2]router.NodeID{l.From, l.To}] {
			count--
			for n := range label {
				if label[n] == b {
					label[n] = a
				}
			}
		}
	}
	return count, deadNode
}

// requireAround plans a job around faults, runs it with them, and demands that every word is right and that no
// message was lost. It returns false if the plan was refused, as it has to be when the network falls apart.
func requireAround(t *testing.T, kind, algorithm string, j collective.Job, faults []fault.Fault) bool {
	t.Helper()
	name := fmt.Sprintf("%s %s around %v: %s", kind, algorithm, faults, collectivetest.Describe(j))
	j.Machine.Faults = known(faults)
	p, err := collective.Generate(t.Context(), kind, algorithm, j)
	pieces, isDead := parts(j.Topology, faults)
	rooted, _ := plan.KindOf(kind)
	if live := j.Topology.Nodes() - len(isDead); pieces > 1 || live < 2 || rooted.Rooted && isDead[j.Root] {
		require.Error(t, err, name)
		require.Regexp(t, "(expected a network in one part|expected at least 2 live nodes|is dead)", err.Error(), name)
		return false
	}
	require.NoError(t, err, name)
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err, name)
	require.NoError(t, r.Failure, name)
	require.True(t, r.Delivered, name)
	require.Zero(t, r.CollisionCount, name)
	require.Equal(t, fabric.Losses{}, r.Network.Losses(), name)
	require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
	collectivetest.RequirePrediction(t, r, name)
	require.Equal(t, j.Topology.Nodes(), len(p.PEs), name)
	for n := range isDead {
		require.Empty(t, p.PEs[n].Parameters, name)
		require.Empty(t, p.PEs[n].Block.Words, name)
	}
	return true
}

// All single faults of small networks, on both kinds of machines.
func TestEverySingleFault(t *testing.T) {
	for i, spec := range soak.Some(2, []string{"torus:3x3", "torus:4x4", "mesh:3x3", "ring:5", "hypercube:3", "star:3", "random:9,3"}) {
		for k, kind := range kinds {
			preset := []string{"bufferless", "wormhole"}[(i+k)%2]
			j := job(t, spec, preset, 1, 1+(i+k)%3)
			for _, faults := range dead(j.Topology) {
				requireAround(t, kind, rerouted.Name, j, faults)
			}
		}
	}
}

// Pairs of faults: all of them in a soak.
func TestPairsOfFaults(t *testing.T) {
	refused, done := 0, 0
	for _, spec := range []string{"torus:3x3", "mesh:3x3", "torus:4x4"} {
		j := job(t, spec, "bufferless", 0, 2)
		all, pair := dead(j.Topology), 0
		for a := range all {
			for b := range all[:a] {
				if pair++; !soak.On() && pair%29 != 0 {
					continue
				}
				for k, kind := range kinds {
					if !soak.On() && (pair/29+k)%2 == 0 {
						continue
					}
					if requireAround(t, kind, rerouted.Name, j, append(all[a][:len(all[a]):len(all[a])], all[b]...)) {
						done++
					} else {
						refused++
					}
				}
			}
		}
	}
	require.Greater(t, done, 100)
	require.Positive(t, refused)
}

// Random faults of random networks, with random lengths and times; auto and the algorithms of trees, too.
func TestRandomFaults(t *testing.T) {
	for seed := *first; seed < *first+uint64(*jobs); seed++ {
		random := rand.New(rand.NewPCG(seed, 0xa2))
		pick := func(n ...int) int { return n[random.IntN(len(n))] }
		spec := []string{"torus:4x3", "mesh:4x3", "torus:3x2x3", "hypercube:4", "star:4", "random:12,4", "debruijn:4", "complete:6"}[random.IntN(8)]
		j := job(t, spec, []string{"bufferless", "wormhole"}[random.IntN(2)], 0, 1)
		j.Root, j.Seed = router.NodeID(random.IntN(j.Topology.Nodes())), random.Uint64()
		j.Machine.Startup, j.Machine.Flit, j.Machine.Hop = pick(0, 0, 1, 7), pick(1, 1, 2), pick(1, 1, 2)
		j.Machine.Buffer, j.Machine.Width = 8, pick(16, 32)
		kind := kinds[int(seed)%len(kinds)]
		for n := range j.Lengths {
			j.Lengths[n] = random.IntN(5)
			if kind == plan.Allreduce || kind == plan.ReduceScatter {
				j.Lengths[n] = j.Lengths[0]
			}
		}
		algorithms := []string{rerouted.Name, ""}
		if kind == plan.Broadcast || kind == plan.Allreduce {
			algorithms = append(algorithms, "pipelined", "tree", plan.EdgeDisjoint)
		}
		all := dead(j.Topology)
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		var faults []fault.Fault
		for _, f := range all[:random.IntN(4)] {
			faults = append(faults, f...)
		}
		requireAround(t, kind, algorithms[random.IntN(len(algorithms))], j, faults)
	}
}

// Random links are slower than others, on networks with faults and without: every word arrives, and none is lost.
func TestSlowerLinks(t *testing.T) {
	done := map[string]int{}
	for seed := *first; seed < *first+uint64(*jobs); seed++ {
		random := rand.New(rand.NewPCG(seed, 0x510))
		spec := []string{"torus:4x3", "mesh:4x3", "hypercube:3", "star:4", "random:12,4", "ring:5", "complete:6"}[random.IntN(7)]
		j := job(t, spec, "wormhole", 0, random.IntN(6))
		j.Root, j.Seed = router.NodeID(random.IntN(j.Topology.Nodes())), random.Uint64()
		j.Machine.Startup, j.Machine.Flit, j.Machine.Hop, j.Machine.Buffer = 3*random.IntN(3), 1+random.IntN(2), 1+random.IntN(2), 3+random.IntN(8)
		collectivetest.RandomLinks(t, random, j.Topology, &j.Machine)
		if j.Machine.Links == nil {
			continue
		}
		all := dead(j.Topology)
		random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		var faults []fault.Fault
		for _, f := range all[:random.IntN(4)] {
			faults = append(faults, f...)
		}
		kind := kinds[int(seed)%len(kinds)]
		if requireAround(t, kind, rerouted.Name, j, faults) {
			done[kind]++
		}
	}
	require.Len(t, done, len(kinds))
}

// On slow links whole blocks win over words, which would each wait for a long hop.
func TestSlowestLinkChooses(t *testing.T) {
	cycles := func(links string) router.Cycle {
		j := job(t, "mesh:4x4", "wormhole", 0, 16)
		require.NoError(t, j.Machine.Set("links", links))
		p, err := collective.Generate(t.Context(), plan.Gossip, rerouted.Name, j)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		return r.Cycles
	}
	require.Less(t, cycles("blocks:2x2,hop=12"), router.Cycle(500), "words alone take more than 1100 cycles")
}

// The bound counts a link that is dead in one direction, and the plan does not use it.
func TestLinksDeadInOneDirection(t *testing.T) {
	j := job(t, "ring:6", "bufferless", 0, 1)
	requireAround(t, plan.Scatter, rerouted.Name, j, []fault.Fault{{Kind: fault.Link, From: 0, To: 5, End: fault.Never}})
	bound := func(faults ...fault.Fault) router.Cycle {
		j.Machine.Faults = known(faults)
		p, err := collective.Generate(t.Context(), plan.Scatter, "", j)
		require.NoError(t, err)
		return p.LowerBound()
	}
	there, back := fault.Fault{Kind: fault.Link, From: 0, To: 5, End: fault.Never}, fault.Fault{Kind: fault.Link, From: 5, To: 0, End: fault.Never}
	require.Equal(t, bound(), bound(there))
	require.Greater(t, bound(there, back), bound(there))
}

// Words that users give reach the live nodes; those for dead nodes stay.
func TestGivenWords(t *testing.T) {
	for _, kind := range kinds {
		j := job(t, "torus:3x3", "bufferless", 1, 2)
		for n := range router.NodeID(9) {
			words := 2
			if kind == plan.Exchange {
				words *= 8
			}
			var own []uint32
			for i := range words {
				own = append(own, uint32(100*int(n)+i))
			}
			j.Payload = append(j.Payload, own)
		}
		if kind == plan.Scatter || kind == plan.Gather {
			j.Lengths[1] = 0
		}
		requireAround(t, kind, rerouted.Name, j, dead(j.Topology)[4])
	}
}

// Where packets are switched, a gossip goes around a ring through all live nodes.
func TestRingsOfPackets(t *testing.T) {
	for _, spec := range []string{"torus:3x3", "complete:5"} {
		for i, ports := range []string{"all", "single"} {
			j := collectivetest.Equal(t, spec, "store-forward", 0, 2+i)
			require.NoError(t, j.Machine.Set("ports", ports))
			for _, faults := range dead(j.Topology) {
				require.True(t, requireAround(t, plan.Gossip, "ring", j, faults))
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		kind, algorithm, want string
		change                func(*collective.Job)
	}{
		{plan.Scatter, "furthest-first", "scatter furthest-first does not plan around known faults (expected rerouted)", nil},
		{plan.Broadcast, "doubling", "broadcast doubling does not plan around known faults (expected pipelined, tree, edge-disjoint or rerouted)", nil},
		{plan.Scatter, "", "scatter rerouted needs a machine on which every link works by itself (expected ports all and nic.channels links)", func(j *collective.Job) { j.Machine.Ports = machine.SinglePort }},
		{plan.Broadcast, "", "no broadcast plans around known faults on a store-forward machine (expected switching bufferless or wormhole)", func(j *collective.Job) {
			j.Machine.Switching = machine.StoreForward
		}},
		{plan.Scatter, "rerouted", "root 4 is dead (expected a live node)", func(j *collective.Job) { j.Root = 4 }},
		{plan.Exchange, "rerouted", "exchange rerouted with nic.duplex half (expected nic.duplex full)", func(j *collective.Job) { j.Machine.Duplex = machine.Half }},
	} {
		j := job(t, "torus:3x3", "bufferless", 0, 1)
		j.Machine.Faults = known(dead(j.Topology)[4])
		if row.change != nil {
			row.change(&j)
		}
		_, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
		require.EqualError(t, err, row.want, "%s %s", row.kind, row.algorithm)
	}
}
