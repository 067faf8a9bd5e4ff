// SPDX-License-Identifier: Apache-2.0

package trees_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/router"
)

// The closed formulas are the times of the model: startups, lengths, times of
// hops and flits, roots, networks.
func TestBroadcastFormulas(t *testing.T) {
	for _, spec := range []string{"path:9", "ring:8", "mesh:5x4", "torus:4x4", "hypercube:4", "binary:3", "debruijn:4"} {
		for _, c := range [][3]int{{0, 1, 1}, {9, 1, 1}, {200, 1, 1}, {3, 2, 1}, {20, 1, 3}} {
			for _, words := range soak.Some(2, []int{1, 12, 61}) {
				j := collectivetest.Equal(t, spec, "wormhole", 3, words)
				j.Machine.Startup, j.Machine.Flit, j.Machine.Hop = c[0], c[1], c[2]
				depth := topology.BreadthFirst(j.Topology, 3).MaxDepth()
				time := func(parts int) router.Cycle {
					largest := (words + parts - 1) / parts
					return router.Cycle(words*c[1] + (parts-1)*max(0, c[0]+1-c[1]) + (depth-1)*largest*c[1] + depth*(c[0]+c[2]-1) + 1)
				}
				t.Run(fmt.Sprint(spec, c, words), func(t *testing.T) {
					for _, kind := range []string{"broadcast", "reduce"} {
						require.Equal(t, time(1), collectivetest.Run(t, kind, "tree", j).Cycles)
						for _, parts := range []int{1, 2, 5} {
							j := j
							j.Parts = min(parts, words)
							require.Equal(t, time(j.Parts), collectivetest.Run(t, kind, "pipelined", j).Cycles)
						}
						best := collectivetest.Run(t, kind, "pipelined", j)
						require.Equal(t, time(int(collectivetest.Fact(t, best.Plan, "parts"))), best.Cycles)
						for k := 1; k <= words; k++ {
							require.LessOrEqual(t, best.Cycles, time(k))
						}
						if soak.On() || spec == "path:9" && c[0] == 9 {
							auto := collectivetest.Run(t, kind, "auto", j)
							require.LessOrEqual(t, auto.Cycles, best.Cycles)
						}
					}
				})
			}
		}
	}
}

// Edge-disjoint trees do not wait for one another, and an allreduce is no slower than both halves; asked for the time alone, a plan has the same.
func TestEdgeDisjointBroadcastFormula(t *testing.T) {
	for _, spec := range []string{"ring:7", "torus:4x4", "torus:3x5", "hypercube:4"} {
		for _, startup := range []int{0, 7, 100} {
			j := collectivetest.Equal(t, spec, "wormhole", 2, 60)
			j.Machine.Startup, j.Cover = startup, "arborescences"
			c, err := cover.Named(t.Context(), j.Cover, j.Topology, 2, 0)
			require.NoError(t, err)
			for _, parts := range []int{4, 12, 30, 60} {
				j.Parts = parts
				trees := sendtree.Trees(c, func(i int) *sendtree.Tree { return sendtree.Spanning(j.Topology, j.Machine, c.Trees[i], 60) })
				shared := sendtree.Share(j.Machine, trees, 60, parts)
				want := shared.Cycles()
				require.Equal(t, want, collectivetest.Run(t, "broadcast", "edge-disjoint", j).Cycles, "%s, startup %d, %d parts", spec, startup, parts)
				require.Equal(t, want, collectivetest.Run(t, "reduce", "edge-disjoint", j).Cycles, "%s, startup %d, %d parts", spec, startup, parts)
				require.LessOrEqual(t, collectivetest.Run(t, "allreduce", "edge-disjoint", j).Cycles, 2*want)
				timeOnly := j
				timeOnly.TimeOnly = true
				for _, kind := range []string{"broadcast", "reduce", "allreduce"} {
					run := collectivetest.Run(t, kind, "edge-disjoint", j)
					known, err := collective.Generate(t.Context(), kind, "edge-disjoint", timeOnly)
					require.NoError(t, err)
					require.Equal(t, run.Cycles, known.Predicted.Least)
					require.Equal(t, run.Plan.Messages, known.Messages)
					require.Equal(t, run.Plan.Flits, known.Flits)
				}
			}
		}
	}
}

func TestRingAllreduceFormula(t *testing.T) {
	for _, channels := range []int{0, 1} {
		for _, n := range []int{3, 4, 9} {
			for _, startup := range []int{0, 5, 50} {
				j := collectivetest.Equal(t, fmt.Sprint("ring:", n), "wormhole", 0, 2*n*6)
				j.Machine.Startup, j.Machine.Channels = startup, channels
				segment := 6 * (1 + channels) // with one channel all words go in one direction
				require.Equal(t, router.Cycle(2*(n-1)*(startup+segment)+1), collectivetest.Run(t, "allreduce", "ring", j).Cycles)
			}
		}
	}
}

// With a long startup a doubling has few: on a torus of 16 x 16 nodes 5, where
// 4 are the least with five nodes informed by one.
func TestDoublingHasFewStartups(t *testing.T) {
	for _, row := range []struct {
		spec     string
		channels int
		startups int
	}{{"ring:27", 0, 3}, {"torus:4x4", 0, 3}, {"torus:16x16", 0, 5}, {"torus:8x8x8", 0, 5}, {"torus:16x16", 1, 8}, {"complete:16", 1, 4}} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 10)
		j.Machine.Startup, j.Machine.Channels = 10000, row.channels
		r := collectivetest.Run(t, "broadcast", "doubling", j)
		require.EqualValues(t, row.startups, collectivetest.Fact(t, r.Plan, "startups"), row.spec)
		require.Equal(t, row.startups, int(r.Cycles)/10000, row.spec)
	}
}

// Sums are exact in every width, and every node's words are compared.
func TestSumsFitTheirFlits(t *testing.T) {
	for _, width := range []int{8, 16, 32} {
		j := collectivetest.Equal(t, "mesh:5x5", "wormhole", 7, 20)
		j.Machine.Width = width
		for _, algorithm := range []string{"tree", "pipelined", "doubling"} {
			r := collectivetest.Run(t, "reduce", algorithm, j)
			largest := uint32(0)
			for _, word := range r.Plan.PEs[7].Block.Words {
				largest = max(largest, word)
			}
			require.Greater(t, largest, uint32(1)<<(width-2)/2, "the sums are small")
			collectivetest.Run(t, "allreduce", algorithm, j)
		}
	}
	j := collectivetest.Equal(t, "path:3", "wormhole", 0, 2)
	j.Payload = [][]uint32{{1 << 31, 1}, {1 << 31, 2}, {5, 3}}
	require.Equal(t, []uint32{5, 6}, collectivetest.Run(t, "reduce", "tree", j).Plan.PEs[0].Block.Words)
}

func TestBadCasts(t *testing.T) {
	type change = func(*collective.Job)
	for _, row := range []struct {
		kind, algorithm, spec string
		change                change
		want                  string
	}{
		{"reduce", "", "path:3", func(j *collective.Job) { j.Lengths[1] = 4 }, "reduce of 9 words at node 0, of 4 at node 1 (expected as many for each node)"},
		{"reduce", "", "path:300", func(j *collective.Job) { j.Machine.Width = 8 }, "width 8: a sum of 300 words may not fit (expected at least 9)"},
		{"allreduce", "tree", "path:2", func(j *collective.Job) {
			j.Machine.Width, j.Lengths, j.Payload = 8, []int{1, 1}, [][]uint32{{200}, {100}}
		}, "width 8: the sum of all words 0 is 300 (expected at most 255, or width 32)"},
		{"broadcast", "edge-disjoint", "torus:3x3", func(j *collective.Job) { j.Machine.Channels = 1 }, "broadcast edge-disjoint needs a machine on which every link works by itself (expected ports all and nic.channels links)"},
		{"reduce-scatter", "reversed-all-gather", "random:513,3,1", func(*collective.Job) {}, "reduce-scatter reversed-all-gather for 513 nodes (expected at most 512, or a path, ring, mesh, torus or hypercube)"},
		{"broadcast", "edge-disjoint", "mesh:3x3", func(j *collective.Job) { j.Cover = "dimension-orders" }, "the trees of cover dimension-orders reach every node only together: broadcast needs all of them to (expected breadth-first, torus-pair, rotated-binomials, star-trees, arborescences or shallow)"},
		{"broadcast", "edge-disjoint", "torus:3x3", func(j *collective.Job) { j.Trees = 5 }, "5 trees from node 0 of torus:3x3 (expected at most 4: there are no more without a common link)"},
		{"broadcast", "pipelined", "path:4", func(j *collective.Job) { j.Parts = 1 << 23 }, "8388608 parts of 9 flits on path:4 (expected 1 to 9)"},
		{"reduce", "edge-disjoint", "torus:3x3", func(j *collective.Job) { j.Parts = 10 }, "10 parts of 9 flits on torus:3x3 (expected 1 to 9)"},
		{"broadcast", "tree", "path:4", func(j *collective.Job) { j.Parts = 3 }, "parts 3 for broadcast tree (expected none, or algorithm pipelined, edge-disjoint or edst)"},
		{"allreduce", "ring", "path:4", func(*collective.Job) {}, "allreduce ring does not run on path:4 (expected a topology of: all in which a ring through all nodes is found)"},
		{"exchange", "dimensions", "torus:4x4", func(j *collective.Job) { j.Colours = 3 }, "3 colours on torus:4x4 (expected at most 2, one for each dimension)"},
		{"exchange", "direct", "path:5000", func(j *collective.Job) { clear(j.Lengths) }, "an exchange between 5000 nodes (expected at most 16777216 pairs of nodes)"},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 9)
		row.change(&j)
		_, err := collective.Generate(t.Context(), row.kind, row.algorithm, j)
		require.EqualError(t, err, row.want)
	}
}

func ExampleGenerate() {
	torus, _ := topology.Parse("torus:3x3")
	j := collective.Job{Topology: torus, Lengths: slices.Repeat([]int{64}, 9), Effort: 0.1}
	for _, startup := range []int{0, 20} {
		j.Machine, _ = machine.Preset("wormhole")
		j.Machine.Startup = startup
		for _, kind := range []string{"broadcast", "reduce", "allreduce"} {
			p, _ := collective.Generate(context.Background(), kind, "auto", j)
			r, _ := collective.Execute(context.Background(), p)
			fmt.Printf("startup %d: %s %s %d cycles, bound %d\n", startup, kind, p.Algorithm, r.Cycles, p.LowerBound())
		}
	}
	// Output:
	// startup 0: broadcast edge-disjoint 19 cycles, bound 19
	// startup 0: reduce edge-disjoint 19 cycles, bound 19
	// startup 0: allreduce windows 31 cycles, bound 30
	// startup 20: broadcast greedy 106 cycles, bound 77
	// startup 20: reduce greedy 105 cycles, bound 59
	// startup 20: allreduce windows 105 cycles, bound 78
}

// What a job may choose, trees, covers and parts, comes true as predicted, too.
func TestRandomChoicesOfCasts(t *testing.T) {
	runs := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 9))
		j := collectivetest.RandomJob(t, random)
		j.Lengths = slices.Repeat([]int{random.IntN(30)}, j.Topology.Nodes())
		kind := []string{"broadcast", "reduce", "allreduce"}[random.IntN(3)]
		algorithm := []string{"auto", "tree", "pipelined", "doubling", "edge-disjoint"}[random.IntN(5)]
		if algorithm == "edge-disjoint" {
			j.Trees = random.IntN(3)
		} else {
			j.Tree = plan.TreeNames()[random.IntN(len(plan.TreeNames()))]
		}
		if algorithm != "tree" && algorithm != "doubling" {
			j.Parts = random.IntN(12)
		}
		plan, err := collective.Generate(t.Context(), kind, algorithm, j)
		if err != nil {
			var fault *input.Error
			require.ErrorAs(t, err, &fault, "seed %d", seed)
			continue
		}
		runs++
		name := fmt.Sprintf("seed %d %s %s tree %q parts %d trees %d %s", seed, kind, algorithm, j.Tree, j.Parts, j.Trees, collectivetest.Describe(j))
		r, err := collective.Execute(t.Context(), plan)
		require.NoError(t, err, name)
		require.NoError(t, r.Failure, name)
		require.GreaterOrEqual(t, r.Cycles, plan.LowerBound(), name)
		collectivetest.RequirePrediction(t, r, name)
	}
	require.Greater(t, runs, 200)
}
