// SPDX-License-Identifier: Apache-2.0

package certification_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/check"
	"meshwright/study"
)

var certifications = []string{"certification", "certification-tight", "certification-parallel"}

// parseTree makes a topology of parents.
func parseTree(t testing.TB, parent []int) *topology.Topology {
	t.Helper()
	var b strings.Builder
	b.WriteString("node,parent\n")
	for n, p := range parent {
		if p < 0 {
			fmt.Fprintf(&b, "%d,\n", n)
		} else {
			fmt.Fprintf(&b, "%d,%d\n", n, p)
		}
	}
	topo, err := topology.Parse(collectivetest.WriteSpec(t, "tree", b.String()))
	require.NoError(t, err)
	return topo
}

// certJob is a gather to the root of a tree; parallel takes all ports and links.
func certJob(t testing.TB, algorithm string, parent, lengths []int) collective.Job {
	topo := parseTree(t, parent)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	if algorithm == "certification-parallel" {
		m.Ports, m.Channels = machine.AllPort, machine.Links
	}
	return collective.Job{Topology: topo, Machine: m, Root: topo.Root, Lengths: lengths}
}

// certLengths has, now and then, no flits at all, or only few messages.
func certLengths(random *rand.Rand, n int) []int {
	lengths := collectivetest.RandomLengths(random, n)
	keep := random.IntN(4)
	for v := range lengths {
		if keep == 0 || keep == 1 && random.IntN(5) > 0 {
			lengths[v] = 0
		}
	}
	return lengths
}

// TestCertificationKeepsItsClosedForm compares every message's arrival with the
// twin, wants a stream without a gap, and asks the static checker.
func TestCertificationKeepsItsClosedForm(t *testing.T) {
	for seed := range uint64(250) {
		random := rand.New(rand.NewPCG(seed, 11))
		n := 2 + random.IntN(1+random.IntN(70))
		parent, lengths := randomParents(random, n), certLengths(random, n)
		for _, algorithm := range certifications {
			twin := newCertTwin(algorithm, parent, lengths)
			r := collectivetest.Run(t, "gather", algorithm, certJob(t, algorithm, parent, lengths))
			require.Equal(t, twin.time, r.Cycles, "seed %d %s", seed, algorithm)
			require.Equal(t, twin.quiet, r.Network.Quiet(), "seed %d %s", seed, algorithm)
			for _, sent := range r.Log {
				if sent.Kind == router.Data {
					require.Equal(t, twin.arrival[sent.Source], sent.Arrival, "seed %d %s node %d", seed, algorithm, sent.Source)
				}
			}
			requireNoGaps(t, r, algorithm == "certification-parallel")
			requireChecked(t, r)
			requireFacts(t, r)
		}
	}
}

// requireNoGaps checks that the root gets a flit in every cycle, once the first flit
// has come. With perLink it checks the flits of each link of the root by themselves.
func requireNoGaps(t *testing.T, r *collective.Result, perLink bool) {
	t.Helper()
	branch := topology.BreadthFirst(r.Plan.Topology, r.Plan.Root).Branch()
	ends := map[router.NodeID]router.Cycle{}
	log := slices.SortedFunc(slices.Values(r.Log), func(a, b fabric.Sent) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for _, sent := range log {
		if sent.Kind != router.Data {
			continue
		}
		stream := router.None
		if perLink {
			stream = branch[sent.Source]
		}
		if end, ok := ends[stream]; ok {
			require.Equal(t, end, sent.Arrival-router.Cycle(sent.Length), "node %d", sent.Source)
		}
		ends[stream] = sent.Arrival
	}
}

// requireChecked asks the static checker about what was sent.
func requireChecked(t *testing.T, r *collective.Result) {
	t.Helper()
	p := r.Plan
	report, err := check.Check(schedule.FromLog(r.Network, p.Tree != nil || p.Machine.Routing == machine.Source), p.Topology, p.Machine)
	require.NoError(t, err)
	require.True(t, report.OK, report.First)
	require.Equal(t, r.Cycles, report.Cycles)
	require.Equal(t, r.Network.Quiet(), report.Quiet)
}

// requireFacts holds the time against what the plan says of it.
func requireFacts(t *testing.T, r *collective.Result) {
	t.Helper()
	known := collectivetest.Facts(r.Plan)
	require.Equal(t, router.Cycle(r.Plan.Flits), known["message_flits"])
	require.Equal(t, 2*known["broadcast"]+known["certificates"]+known["message_flits"], known["certification_bound"])
	require.GreaterOrEqual(t, known["uninformed_bound"], r.Plan.LowerBound())
	require.GreaterOrEqual(t, r.Cycles, known["uninformed_bound"])
	if r.Plan.Algorithm != "certification" && r.Plan.Topology.Nodes() > 1 {
		require.LessOrEqual(t, r.Cycles, known["certification_bound"])
	}
}

// TestCertificationOnEveryNetwork runs along spanning trees of other networks,
// where routes must go up the tree.
func TestCertificationOnEveryNetwork(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 12))
		topo, err := topology.Parse(collectivetest.RandomSpec(t, random))
		require.NoError(t, err)
		names := append([]string{""}, plan.TreeNames()...)
		for _, algorithm := range certifications {
			m, err := machine.Preset("bufferless")
			require.NoError(t, err)
			if algorithm == "certification-parallel" || random.IntN(3) == 0 {
				m.Ports, m.Channels = machine.AllPort, machine.Links
			} else if random.IntN(3) == 0 {
				m.Channels = machine.Links
			}
			if random.IntN(3) == 0 {
				m.Routing = machine.Source
			}
			j := collective.Job{
				Topology: topo, Machine: m, Root: router.NodeID(random.IntN(topo.Nodes())), Lengths: certLengths(random, topo.Nodes()),
				Tree: names[random.IntN(len(names))],
			}
			if j.Tree == "dimension-order" && !topo.IsGrid() {
				j.Tree = ""
			}
			r := collectivetest.Run(t, "gather", algorithm, j)
			if topo.Nodes() > 1 {
				requireChecked(t, r)
			}
			requireFacts(t, r)
		}
	}
}

// TestCertificationWithBuffers: where flits wait the protocol is right on every
// machine, and as fast where nothing costs more.
func TestCertificationWithBuffers(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 13))
		n := 2 + random.IntN(40)
		parent, lengths := randomParents(random, n), certLengths(random, n)
		for _, algorithm := range certifications {
			j := certJob(t, algorithm, parent, lengths)
			j.Machine.Switching, j.Machine.Buffer = machine.Wormhole, 2+random.IntN(3) // one cannot be filled while it is emptied
			r := collectivetest.Run(t, "gather", algorithm, j)
			twin := newCertTwin(algorithm, parent, lengths)
			require.Equal(t, twin.time, r.Cycles, "seed %d %s", seed, algorithm)
			require.Equal(t, twin.quiet, r.Network.Quiet(), "seed %d %s", seed, algorithm)
			requireFacts(t, r)
		}
	}
}

// TestTightIsNeverSlower: than the printed certification, nor than 2B+C+M.
func TestTightIsNeverSlower(t *testing.T) {
	above := 0
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 14))
		n := 2 + random.IntN(1+random.IntN(60))
		parent, lengths := randomParents(random, n), certLengths(random, n)
		printed, tight := newCertTwin("certification", parent, lengths), newCertTwin("certification-tight", parent, lengths)
		require.LessOrEqual(t, tight.time, printed.time, "seed %d", seed)
		for v := range parent {
			if tight.flits[v] > 0 && v != tight.root {
				require.LessOrEqual(t, tight.lag[v], printed.lag[v], "seed %d node %d", seed, v)
			}
		}
		b, depth, flits := tight.broadcast(tight.root), slices.Max(tight.depth), printed.flits[printed.root]
		require.LessOrEqual(t, tight.response(tight.root), 2*b, "seed %d", seed)
		most := router.Cycle(3*b + depth + flits)
		require.LessOrEqual(t, tight.time, most, "seed %d", seed)
		require.LessOrEqual(t, newCertTwin("certification-parallel", parent, lengths).time, router.Cycle(4*depth+flits), "seed %d", seed)
		if printed.time > most {
			above++
		}
	}
	t.Log(above, "printed times of 4000 above 2B+C+M")
	require.Positive(t, above)
}

// TestRisingLagIsTheBestOrder tries all orders of a node's children, each with
// its own earliest start.
func TestRisingLagIsTheBestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 15))
	for range 2000 {
		d := 1 + random.IntN(5)
		lags, flits, order := make([]int, d), make([]int, d), make([]router.NodeID, d)
		for k := range d {
			lags[k], flits[k], order[k] = 1+random.IntN(20), 1+random.IntN(8), router.NodeID(k)
		}
		own := random.IntN(6)
		start := func(order []router.NodeID) int {
			c, f := d+1, own
			for k, child := range order {
				c = max(c, lags[child]+k+2-f)
				f += flits[child]
			}
			return c
		}
		slices.SortFunc(order, func(a, b router.NodeID) int { return cmp.Compare(lags[a], lags[b]) })
		sorted, best := start(order), 1<<30
		closed, f := 0, own
		for _, child := range order {
			closed = max(closed, lags[child]-f)
			f += flits[child]
		}
		permutations(order, func() { best = min(best, start(order)) })
		require.Equal(t, best, sorted)
		require.LessOrEqual(t, sorted, d+1+closed)
	}
}

// permutations visits all orders of a list.
func permutations(list []router.NodeID, visit func()) {
	var from func(k int)
	from = func(k int) {
		if k == len(list) {
			visit()
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			from(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	from(0)
}

// TestNobodyKnowsTheLengthsOfOthers changes one node's length: of the parameters
// of others only the root's places for the blocks may change.
func TestNobodyKnowsTheLengthsOfOthers(t *testing.T) {
	const places = 2 // of the root's parameters, and of what is in there
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 16))
		n := 2 + random.IntN(30)
		parent, lengths := randomParents(random, n), certLengths(random, n)
		changed := random.IntN(n)
		for _, algorithm := range certifications {
			j := certJob(t, algorithm, parent, lengths)
			one, err := collective.Generate(t.Context(), "gather", algorithm, j)
			require.NoError(t, err)
			j.Lengths = slices.Clone(lengths)
			j.Lengths[changed] += 1 + random.IntN(9)
			other, err := collective.Generate(t.Context(), "gather", algorithm, j)
			require.NoError(t, err)
			for v := range n {
				a, b := one.PEs[v], other.PEs[v]
				require.Equal(t, a.Role, b.Role)
				require.Equal(t, a.Scratch, b.Scratch)
				if router.NodeID(v) == j.Root {
					table := a.Parameters[places]
					sorted := -1 // where the address behind the blocks is
					if algorithm != "certification-parallel" {
						sorted = places + 1
						require.Equal(t, len(a.Parameters)+len(a.Block.Words), int(a.Parameters[sorted]))
					}
					for i := range table {
						if int(i) != sorted {
							require.Equal(t, a.Parameters[i], b.Parameters[i])
						}
					}
				} else if v != changed {
					require.Equal(t, a.Parameters, b.Parameters, "seed %d %s node %d", seed, algorithm, v)
				}
			}
		}
	}
}

// TestPrintedCertificationExceedsItsBound: a walk over the whole tree is no
// broadcast. On a path it is one, and on a hub it comes out just so.
func TestPrintedCertificationExceedsItsBound(t *testing.T) {
	var trees []*topology.Topology
	exceeds := map[string]bool{"path:100": false, "hub:100": false, "binary:6": true, "comb:10x10": true, "random-tree:100": true, "recursive-tree:100": true}
	for spec := range exceeds {
		tree, err := topology.Parse(spec)
		require.NoError(t, err)
		trees = append(trees, tree)
	}
	gains, err := study.CertificationGains(t.Context(), trees, 8, 1)
	require.NoError(t, err)
	for i, g := range gains {
		require.Equal(t, trees[i].String(), g.Shape)
		require.Equal(t, exceeds[g.Shape], g.PrintedExceeds(), "%+v", g)
		require.LessOrEqual(t, g.Tight, min(g.Printed, g.Time()))
		require.GreaterOrEqual(t, g.Gain(), 1.0)
	}
}

// TestWideNodes: certificates of a thousand children, in falling order of lag,
// many in one cycle where all links work.
func TestWideNodes(t *testing.T) {
	const wide, deep = 1000, 6
	parent := []int{-1, 0}
	random := rand.New(rand.NewPCG(1, 17))
	for range wide {
		for level := range deep {
			if level == 0 {
				parent = append(parent, 1)
			} else {
				parent = append(parent, len(parent)-1)
			}
		}
	}
	lengths := make([]int, len(parent))
	for v := range lengths {
		lengths[v] = random.IntN(3)
	}
	for _, algorithm := range certifications {
		r := collectivetest.Run(t, "gather", algorithm, certJob(t, algorithm, parent, lengths))
		require.Equal(t, newCertTwin(algorithm, parent, lengths).time, r.Cycles, algorithm)
	}
}

// TestTheWidestNode has as many children as a PE can have, and one more.
func TestTheWidestNode(t *testing.T) {
	for _, algorithm := range certifications {
		parent := make([]int, 36_002)
		parent[1] = -1 // the hub, node 0, is the root's child
		parent[0] = 1
		lengths := make([]int, len(parent))
		for v := range lengths {
			lengths[v] = 1
		}
		collectivetest.Run(t, "gather", algorithm, certJob(t, algorithm, parent, lengths))
		j := certJob(t, algorithm, append(parent, 0), append(lengths, 1))
		_, err := collective.Generate(t.Context(), "gather", algorithm, j)
		require.EqualError(t, err, algorithm+": node 0 has 36001 children in the tree (expected at most 36000, or nearest-first)")
	}
}

func TestCertificationThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		name, algorithm string
		change          func(*collective.Job)
		want            string
	}{
		{"startup", "certification", func(j *collective.Job) { j.Machine.Startup = 3 },
			"certification on a bufferless machine with startup 3, hop 1, flit 1, nic.duplex full (expected startup 0, hop 1, flit 1 and nic.duplex full, or nearest-first)"},
		{"half duplex", "certification-tight", func(j *collective.Job) { j.Machine.Duplex = machine.Half },
			"certification-tight on a bufferless machine with startup 0, hop 1, flit 1, nic.duplex half (expected startup 0, hop 1, flit 1 and nic.duplex full, or nearest-first)"},
		{"one port", "certification-parallel", func(*collective.Job) {},
			"certification-parallel needs a machine on which every link works by itself (expected ports all and nic.channels links, or certification-tight)"},
		{"width", "certification-tight", func(j *collective.Job) { j.Machine.Width, j.Lengths = 8, []int{0, 300, 1, 1} },
			"certification-tight: lag or order 300 does not fit width 8 (expected a larger width, or nearest-first)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			j := collectivetest.Job(t, "path:4", "bufferless", 0, 0, 1, 1, 1)
			row.change(&j)
			_, err := collective.Generate(t.Context(), "gather", row.algorithm, j)
			require.EqualError(t, err, row.want)
		})
	}
	_, err := study.CertificationGains(t.Context(), nil, -1, 0)
	require.EqualError(t, err, "messages of up to -1 flits (expected at least 0, all together at most 2^28)")
}

// TestBroadcastTime tries all orders of serving the children.
func TestBroadcastTime(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 18))
		parent := randomParents(random, 1+random.IntN(9))
		tree := topology.BreadthFirst(parseTree(t, parent), router.NodeID(slices.Index(parent, -1)))
		children := tree.Children()
		var best func(v router.NodeID) int
		best = func(v router.NodeID) int {
			list, least := slices.Clone(children[v]), 1<<30
			permutations(list, func() {
				time := 0
				for j, child := range list {
					time = max(time, j+1+best(child))
				}
				least = min(least, time)
			})
			return least
		}
		c := bound.CertificationOf(tree, machine.SinglePort, make([]int, len(parent)))
		require.Equal(t, router.Cycle(best(tree.Root)), c.Broadcast)
		require.Equal(t, topology.BroadcastTime(tree), int(c.Broadcast))
		require.Equal(t, c.Broadcast+router.Cycle(slices.Max(tree.Depth)), c.Certificates)
	}
}
