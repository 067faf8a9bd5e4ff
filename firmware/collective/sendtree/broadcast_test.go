// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/router"
)

var costs = []struct{ startup, flit, hop int }{{0, 1, 1}, {1, 1, 1}, {7, 1, 1}, {100, 1, 1}, {0, 3, 1}, {2, 3, 1}, {5, 3, 2}, {40, 1, 4}, {0, 1, 3}}

var networks = []string{
	"path:1", "path:2", "path:7", "ring:3", "ring:8", "mesh:4x3", "mesh:5x5", "torus:4x5", "torus:3x3x3", "hypercube:4", "mesh:3x1x4",
	"binary:3", "hub:6", "debruijn:4", "random:20,3", "comb:4x3", "complete:5",
}

// each tries a test on networks, roots, costs and words.
func each(t *testing.T, specs []string, one bool, try func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int)) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, spec := range specs {
		topo := parse(t, spec)
		for _, c := range costs {
			m := wormhole(t, c.startup, c.flit, c.hop)
			if one {
				m.Channels = 1
			}
			for range 3 {
				root, words := router.NodeID(random.IntN(topo.Nodes())), 1+random.IntN(40)
				t.Run(fmt.Sprintf("%s/%d,%d,%d/%d/%d", spec, c.startup, c.flit, c.hop, root, words), func(t *testing.T) {
					try(t, topo, m, root, words)
				})
			}
		}
	}
}

func constant(words int) func(int) int { return func(int) int { return words } }

func toEach(words int) func(router.NodeID) int { return func(router.NodeID) int { return words } }

func TestTreeIsPredicted(t *testing.T) {
	for _, one := range []bool{false, true} {
		each(t, networks, one, func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
			tree := Spanning(topo, m, topology.BreadthFirst(topo, root), words)
			l := tree.Broadcast(words, 1)
			broadcasts(t, l, root, words)
			require.Equal(t, tree.Cycles(m, toEach(words)), predict(t, topo, m, l))
			require.Equal(t, tree.Pipelined(m, words, 1), predict(t, topo, m, l))
			reduces(t, tree.Reduce(words, 1), root, words)
		})
	}
}

func TestPipelineIsPredicted(t *testing.T) {
	for _, one := range []bool{false, true} {
		each(t, networks, one, func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
			tree := Spanning(topo, m, topology.BreadthFirst(topo, root), words)
			for parts := 1; parts <= words+1; parts = parts*2 + 1 {
				l := tree.Broadcast(words, parts)
				broadcasts(t, l, root, words)
				time := predict(t, topo, m, l)
				back := tree.Reduce(words, parts)
				reduces(t, back, root, words)
				if one {
					require.LessOrEqual(t, time, tree.Pipelined(m, words, parts))
				} else {
					require.Equal(t, tree.Pipelined(m, words, parts), time)
					require.Equal(t, time, predict(t, topo, m, back))
				}
			}
			parts, least := tree.BestParts(m, words)
			for k := 1; k <= words; k++ {
				require.LessOrEqual(t, least, tree.Pipelined(m, words, k), "%d parts instead of %d", k, parts)
			}
		})
	}
}

var grids = []string{"path:1", "path:2", "path:9", "path:31", "ring:3", "ring:8", "ring:27", "mesh:4x3", "mesh:9x5", "torus:4x5", "torus:9x9", "torus:3x4x5", "hypercube:4", "mesh:3x1x4"}

func TestDoublingIsPredicted(t *testing.T) {
	for _, one := range []bool{false, true} {
		each(t, grids, one, func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
			tree := Doubling(topo, m, root, constant(words))
			l := tree.Broadcast(words, 1)
			broadcasts(t, l, root, words)
			require.Equal(t, tree.Cycles(m, toEach(words)), predict(t, topo, m, l))
			tree = Joining(topo, m, root, constant(words))
			reduces(t, tree.Reduce(words, 1), root, words)
		})
	}
}

// With a long startup the informed set grows by factor 3 (channels of all
// links) or 2 (one channel) with each.
func TestDoublingTakesFewStartups(t *testing.T) {
	for _, row := range []struct {
		spec     string
		root     router.NodeID
		channels int
		startups int
	}{
		{"path:27", 13, machine.Links, 3}, {"path:28", 13, machine.Links, 4}, {"path:14", 0, machine.Links, 3}, {"path:15", 0, machine.Links, 4},
		{"ring:9", 4, machine.Links, 2}, {"ring:81", 7, machine.Links, 4}, {"torus:9x27", 100, machine.Links, 5}, {"hypercube:6", 5, machine.Links, 6},
		{"ring:16", 3, 1, 4}, {"path:16", 0, 1, 4}, {"path:17", 3, 1, 5}, {"mesh:8x4", 9, 1, 5}, {"hypercube:6", 5, 1, 6}, {"torus:8x8x8", 77, 1, 9},
	} {
		topo, m := parse(t, row.spec), wormhole(t, 100000, 1, 1)
		m.Channels = row.channels
		tree := Doubling(topo, m, row.root, constant(10))
		require.Equal(t, row.startups, tree.Startups(m), row.spec)
		require.Equal(t, row.startups, int(tree.Cycles(m, toEach(10))/100000), row.spec)
	}
}

// The line's recursion is the least over all places, by brute force over all
// ways to send in whole messages to one side.
func TestLineIsTheBest(t *testing.T) {
	for _, c := range costs {
		k := newClock(wormhole(t, c.startup, c.flit, c.hop))
		for _, words := range []func(int) int{constant(1), constant(12), func(q int) int { return 3 * q }} {
			memo := map[int]router.Cycle{0: 0}
			for m := 1; m <= 40; m++ {
				best := router.Cycle(math.MaxInt64)
				for keep := range m {
					for near := range m - keep {
						w := words(m - keep)
						at := max(k.turn(w)+memo[keep], k.UntilWhole(keep+1+near, w)+max(memo[near], memo[m-keep-1-near]))
						best = min(best, at)
					}
				}
				memo[m] = best
				require.Equal(t, best, newLine(k, m, words).time[m], "%d nodes", m)
			}
		}
	}
}

func TestSharedTreesArePredicted(t *testing.T) {
	each(t, []string{"ring:7", "torus:4x4", "torus:3x5", "hypercube:4", "debruijn:4", "mesh:4x4", "complete:5", "path:5"}, false,
		func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
			c, err := cover.Named(context.Background(), "arborescences", topo, root, 0)
			require.NoError(t, err)
			trees := Trees(c, func(i int) *Tree { return Spanning(topo, m, c.Trees[i], words) })
			for parts := 1; parts <= words; parts = parts*2 + 1 {
				s := Share(m, trees, words, parts)
				l, in := s.Broadcast(), s.Reduce()
				broadcasts(t, l, root, words)
				reduces(t, in, root, words)
				require.Equal(t, s.Cycles(), predict(t, topo, m, l))
				require.Equal(t, s.Cycles(), predict(t, topo, m, in))
				both := predict(t, topo, m, s.AllReduce())
				require.Equal(t, s.BothCycles(), both)
				require.LessOrEqual(t, both, 2*s.Cycles()+router.Cycle(m.Startup))
			}
			best := BestShare(m, trees, words, 1<<20, (*Shared).Cycles)
			for k := 1; k <= words; k++ {
				require.LessOrEqual(t, best.Cycles(), Share(m, trees, words, k).Cycles())
			}
		})
}

func TestBlocksGoDownTheTree(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, one := range []bool{false, true} {
		each(t, grids, one, func(t *testing.T, topo *topology.Topology, m machine.Machine, root router.NodeID, words int) {
			lengths := make([]int, topo.Nodes())
			for n := range lengths {
				lengths[n] = max(0, random.IntN(8)-2)
			}
			lengths[root] = 0
			tree := Doubling(topo, m, root, func(nodes int) int { return 2 * nodes })
			l, extra := tree.Scatter(lengths)
			whole, offset := []int64{}, make([]int, len(lengths)+1)
			for n, length := range lengths {
				for i := range length {
					whole = append(whole, int64(n*1000+i))
				}
				offset[n+1] = len(whole)
			}
			blank := func() [][]int64 {
				areas := make([][]int64, len(lengths))
				for n := range areas {
					areas[n] = make([]int64, lengths[n]+extra[n])
					for i := range areas[n] {
						areas[n][i] = noWord
					}
				}
				areas[root] = make([]int64, len(whole))
				for i := range whole {
					areas[root][i] = noWord
				}
				return areas
			}
			areas := blank()
			copy(areas[root], whole)
			carry(t, l, areas)
			for n := range areas {
				if router.NodeID(n) != root {
					require.Equal(t, whole[offset[n]:offset[n+1]], areas[n][:lengths[n]])
				}
			}
			sizes := subtreeWords(tree, lengths)
			require.Equal(t, tree.Cycles(m, func(n router.NodeID) int { return sizes[n] }), predict(t, topo, m, l))

		})
	}
}

// subtreeWords returns the words of every node's message in Scatter: of its subtree.
func subtreeWords(t *Tree, lengths []int) []int {
	words := slices.Clone(lengths)
	for _, n := range slices.Backward(t.Order[1:]) {
		if p := t.Parent[n]; p != t.Root {
			words[p] += words[n]
		}
	}
	return words
}
