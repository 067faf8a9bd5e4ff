// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

func parse(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

func preset(t testing.TB, name string, settings ...string) machine.Machine {
	t.Helper()
	m, err := machine.Preset(name)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

func TestByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec, preset      string
		settings                []string
		root                    router.NodeID
		lengths                 []int
		scatter, gather, gossip router.Cycle // scatter: uncombined
	}{
		{"nothing to do", "path:4", "bufferless", nil, 0, []int{9, 0, 0, 0}, 0, 0, 12},
		{"one node", "path:1", "bufferless", nil, 0, []int{9}, 0, 0, 0},
		{"fig1", "path:6", "bufferless", nil, 0, []int{0, 0, 0, 0, 4, 3}, 11, 11, 7 + 4 + 1},                                                        // gossip: node 4 sends 7 words one way and 4 the other
		{"one message", "path:4", "bufferless", []string{"hop", "3", "flit", "2", "startup", "5"}, 0, []int{0, 0, 0, 4}, 5 + 8 + 9, 5 + 8 + 9, 28},  // gossip: the last word goes in two steps to three nodes, in 25 cycles, and startups leave no time for all four
		{"startup, once a message on a channel", "path:3", "bufferless", []string{"startup", "5"}, 0, []int{0, 2, 2}, 5 + 4 + 5 + 1, 5 + 4 + 1, 15}, // gossip: in 14 cycles nodes 1 and 2 send three words each, and node 0 one
		{"startup behind a slow flit", "path:3", "bufferless", []string{"startup", "2", "flit", "4"}, 0, []int{0, 2, 2}, 2 + 16 + 1, 2 + 16 + 1, 2 + 24 + 1},
		{"two channels", "path:3", "wormhole", nil, 1, []int{6, 0, 2}, 7, 7, 8},
		{"two links to one part", "ring:5", "wormhole", nil, 0, []int{0, 3, 3, 3, 3}, 7, 7, 7},
		{"half duplex", "path:2", "wormhole", []string{"nic.duplex", "half", "nic.channels", "1"}, 0, []int{5, 7}, 8, 8, 12},
	} {
		t.Run(row.name, func(t *testing.T) {
			topo, m := parse(t, row.spec), preset(t, row.preset, row.settings...)
			require.Equal(t, row.scatter, bound.UncombinedScatter(topo, m, row.root, row.lengths), "scatter")
			require.Equal(t, row.gather, bound.Gather(topo, m, row.root, row.lengths).Cycles, "gather")
			require.Equal(t, row.gossip, bound.Gossip(topo, m, row.lengths).Cycles, "gossip")
		})
	}
}

// TestUncombinedScatterIsTightOnTrees compares with the best of all orders: on a tree
// with one port the furthest-first order meets the bound (Bhatt et al.).
// Arguments that need room for each pair of nodes are left out on large networks.
func TestLargeNetworks(t *testing.T) {
	topo, err := topology.Parse("mesh:400x400")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, duplex := range []machine.Duplex{machine.Full, machine.Half} {
		m.Duplex = duplex
		for name, got := range map[string]bound.Proven{
			"reduce": bound.Reduce(topo, m, 0, 1), "broadcast": bound.Broadcast(topo, m, 0, 1), "allreduce": bound.AllReduce(topo, m, 1),
		} {
			require.GreaterOrEqual(t, got.Cycles, router.Cycle(798), "%s, %s duplex", name, duplex)
		}
	}
}

func TestUncombinedScatterIsTightOnTrees(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		n := 2 + random.IntN(12)
		topo := randomTree(t, random, n)
		lengths := make([]int, n)
		var nodes []router.NodeID
		root := router.NodeID(random.IntN(n))
		for _, i := range random.Perm(n)[:random.IntN(min(n, 6)+1)] {
			if router.NodeID(i) != root {
				lengths[i] = 1 + random.IntN(9)
				nodes = append(nodes, router.NodeID(i))
			}
		}
		depth := topology.BreadthFirst(topo, root).Depth
		m := preset(t, "bufferless", "startup", fmt.Sprint(random.IntN(4)), "hop", fmt.Sprint(1+random.IntN(3)), "flit", fmt.Sprint(1+random.IntN(3)))
		want := router.Cycle(0)
		if len(nodes) > 0 {
			want = bestOrder(m, nodes, lengths, depth)
		}
		require.Equal(t, want, bound.UncombinedScatter(topo, m, root, lengths), "seed %d", seed)
		require.LessOrEqual(t, bound.Scatter(topo, m, root, lengths).Cycles, want, "seed %d", seed)
	}
}

// bestOrder tries all orders of dispatch over one channel.
func bestOrder(m machine.Machine, nodes []router.NodeID, lengths []int, depth []int32) router.Cycle {
	best := router.Cycle(1 << 40)
	permute(nodes, 0, func() {
		time, free, ready := 0, 0, 0
		for _, n := range nodes {
			first := max(free+m.Startup, ready)
			last := first + (lengths[n]-1)*m.Flit
			free, ready = last+1, last+m.Flit
			time = max(time, last+m.Flit+int(depth[n])*m.Hop)
		}
		best = min(best, router.Cycle(time))
	})
	return best
}

func permute(nodes []router.NodeID, k int, visit func()) {
	if k == len(nodes) {
		visit()
		return
	}
	for i := k; i < len(nodes); i++ {
		nodes[k], nodes[i] = nodes[i], nodes[k]
		permute(nodes, k+1, visit)
		nodes[k], nodes[i] = nodes[i], nodes[k]
	}
}

func randomTree(t testing.TB, random *rand.Rand, n int) *topology.Topology {
	t.Helper()
	var b strings.Builder
	b.WriteString("0,\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "%d,%d\n", i, random.IntN(i))
	}
	file := filepath.Join(t.TempDir(), "tree.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	return parse(t, "tree:"+file)
}

func ExampleScatter() {
	topo, _ := topology.Parse("path:6")
	m, _ := machine.Preset("bufferless")
	fmt.Println(bound.Scatter(topo, m, 0, []int{0, 0, 0, 0, 4, 3}).Cycles)
	// Output:
	// 11
}

func ExampleProven_Arguments() {
	topo, _ := topology.Parse("mesh:8x4")
	m, _ := machine.Preset("bufferless")
	for _, a := range bound.Broadcast(topo, m, 0, 16).Arguments() {
		fmt.Println(a.Cycles, a.Proof)
	}
	// Output:
	// 26 cut
	// 26 growth
	// 26 single port
	// 22 startups and words
}
