// SPDX-License-Identifier: Apache-2.0

package packets_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/packet"
)

func parseBeta(t testing.TB, text string) rational.Rational {
	t.Helper()
	beta, err := rational.Parse(text)
	require.NoError(t, err)
	return beta
}

// TestAloneAMessageTakesAlpha: m flits in r even packets to distance l arrive
// at alpha_l(m, r) (Tsai, lemma 12), by scatter and by gather.
func TestAloneAMessageTakesAlpha(t *testing.T) {
	for _, setup := range collectivetest.Setups {
		beta := parseBeta(t, setup)
		for l := 1; l <= 4; l++ {
			for _, m := range []int{1, 2, 5, 7, 12} {
				for r := 1; r <= m; r++ {
					j := collectivetest.PacketJob(t, fmt.Sprintf("path:%d", l+1), setup, make([]int, l+1)...)
					j.Lengths[l] = m
					split, err := packet.EvenSplit(int64(m), int64(r))
					require.NoError(t, err)
					j.Packets = make([][]int, l+1)
					j.Packets[l] = split.Sizes()
					alpha, err := packet.Alpha(int64(l), int64(m), int64(r), beta)
					require.NoError(t, err)
					alpha.Mul(alpha, rationalWhole(beta.Den()))
					for _, kind := range []string{"scatter", "gather"} {
						result := collectivetest.Run(t, kind, collectivetest.OnTrees[kind], j)
						require.Equal(t, alpha.RatString(), fmt.Sprint(result.Cycles), "%s l=%d m=%d r=%d beta=%s", kind, l, m, r, setup)
						require.GreaterOrEqual(t, result.Cycles, result.Plan.UncombinedBound())
						require.Equal(t, r, result.Plan.Messages)
					}
				}
			}
		}
	}
}

func rationalWhole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// fork is the tree of Tsai's counterexample: node 3 (P, 3 flits) at depth 3
// and node 7 (Q, 1 flit) at depth 4, on branches that share only the root.
func fork(t testing.TB, setup string) collective.Job {
	spec := collectivetest.WriteSpec(t, "tree", "node,parent\n0,\n1,0\n2,1\n3,2\n4,0\n5,4\n6,5\n7,6\n")
	return collectivetest.PacketJob(t, spec, setup, 0, 0, 0, 3, 0, 0, 0, 1)
}

// TestFurthestFirstIsNotOptimalOnTrees: the figures of Tsai, chapter 4, and of
// the mirror case of section 7.2.
func TestFurthestFirstIsNotOptimalOnTrees(t *testing.T) {
	for _, setup := range []string{"3/2", "2", "5/2"} {
		beta := parseBeta(t, setup)
		b, q := beta.Num(), beta.Den()
		for _, row := range []struct {
			packets []int // of P
			first   bool  // P before Q in a scatter
			ticks   int64
		}{
			{[]int{1, 1, 1}, false, 6*b + 6*q},
			{[]int{1, 2}, false, 5*b + 8*q},
			{[]int{2, 1}, false, 5*b + 8*q},
			{[]int{3}, false, 4*b + 10*q},
			{[]int{3}, true, max(3*b+9*q, 5*b+7*q)},
		} {
			for _, kind := range []string{"scatter", "gather"} {
				j := fork(t, setup)
				j.Packets = [][]int{3: row.packets, 7: nil}
				if row.first {
					j.Order = []router.NodeID{3, 7}
					if kind == "gather" {
						j.Order = []router.NodeID{7, 3}
					}
				}
				require.EqualValues(t, row.ticks, collectivetest.Run(t, kind, collectivetest.OnTrees[kind], j).Cycles, "%s %s %v", kind, setup, row)
			}
		}
	}
}

// treeOf returns the tree that a scatter or gather takes, for package packet.
func treeOf(t testing.TB, topo *topology.Topology, root router.NodeID) *packet.Tree {
	t.Helper()
	s := topology.BreadthFirst(topo, root)
	parent := make([]int, topo.Nodes())
	for n, p := range s.Parent {
		parent[n] = int(p)
	}
	tree, err := packet.NewTree(parent)
	require.NoError(t, err)
	return tree
}

// randomOrder lists every destination as often as it has packets, mixed.
func randomOrder(random *rand.Rand, j collective.Job) []router.NodeID {
	order := []router.NodeID{}
	for n, sizes := range j.Packets {
		for range sizes {
			order = append(order, router.NodeID(n))
		}
	}
	random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	return order
}

// inOrder lists the packets of an order.
func inOrder(j collective.Job, order []router.NodeID) []packet.Packet {
	next := make([]int, len(j.Lengths))
	var list []packet.Packet
	for _, n := range order {
		list = append(list, packet.Packet{Node: int(n), Flits: j.Packets[n][next[n]]})
		next[n]++
	}
	return list
}

// TestScattersTakeTheSimulatorsTime: whatever the tree, the order and the
// packets, chips and package packet agree on every arrival and on the buffers.
func TestScattersTakeTheSimulatorsTime(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 21))
		j := collectivetest.RandomPacketJob(t, random)
		j.Order = randomOrder(random, j)
		o, err := packet.Scatter(treeOf(t, j.Topology, j.Root), inOrder(j, j.Order), j.Machine.Setup)
		require.NoError(t, err)
		r := collectivetest.Run(t, "scatter", "furthest-first", j)
		require.EqualValues(t, o.Completion, r.Cycles, "seed %d", seed)
		require.Equal(t, o.Buffer, r.MaxBufferFlits, "seed %d", seed)
		for i, sent := range r.Log {
			require.EqualValues(t, o.Arrival[i], sent.Arrival, "seed %d", seed)
		}
		require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound())
	}
}

// TestCutThroughScatter: the root's packets follow one another without gaps,
// and each reaches depth d after d-1 further set-ups and flits. Furthest first
// meets the bound.
func TestCutThroughScatter(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 22))
		j := collectivetest.RandomPacketJob(t, random)
		require.NoError(t, j.Machine.Set("switching", "cut-through"))
		whole := j
		whole.Packets = nil
		r := collectivetest.Run(t, "scatter", "furthest-first", whole)
		require.Equal(t, r.Plan.UncombinedBound(), r.Cycles, "seed %d", seed)

		j.Order = randomOrder(random, j)
		tree := treeOf(t, j.Topology, j.Root)
		s, f := router.Cycle(j.Machine.SetupTicks()), router.Cycle(j.Machine.FlitTicks())
		sum, want := router.Cycle(0), router.Cycle(0)
		for _, p := range inOrder(j, j.Order) {
			sum += s + router.Cycle(p.Flits)*f
			want = max(want, sum+router.Cycle(tree.Depth(p.Node)-1)*(s+f))
		}
		require.Equal(t, want, collectivetest.Run(t, "scatter", "furthest-first", j).Cycles, "seed %d", seed)
	}
}
