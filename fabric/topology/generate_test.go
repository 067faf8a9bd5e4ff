// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func TestGeneratedNetworksAreConnectedAndRepeatable(t *testing.T) {
	for _, spec := range []string{
		"hub:7", "binary:4", "comb:4x3", "random-tree:300,9", "recursive-tree:300,9", "complete:9", "debruijn:6", "star:5",
		"random:200,2.5,3", "random:20,12,3", "random:20,19",
	} {
		topo, again := parse(t, spec), parse(t, spec)
		require.Equal(t, router.None, BreadthFirst(topo, 0).Unreached(), spec)
		require.Equal(t, topo.Links(), again.Links(), spec)
	}
	for _, spec := range []string{"random-tree:300", "recursive-tree:300", "random:200,2.5"} {
		one, two := parse(t, spec+",1"), parse(t, spec+",2")
		require.Equal(t, parse(t, spec).Links(), one.Links())
		require.NotEqual(t, one.Links(), two.Links(), spec)
	}
}

func TestGeneratedShapes(t *testing.T) {
	comb := parse(t, "comb:3x2") // spine 0 1 2, teeth 3-4 5-6 7-8
	require.Equal(t, []router.NodeID{router.None, 0, 1, 0, 3, 1, 5, 2, 7}, BreadthFirst(comb, 0).Parent)
	require.Equal(t, []router.NodeID{router.None, 0, 0, 1, 1, 2, 2}, BreadthFirst(parse(t, "binary:2"), 0).Parent)
	require.Equal(t, []router.NodeID{router.None, 0, 1, 1, 0, 2, 4, 3}, BreadthFirst(parse(t, "debruijn:3"), 0).Parent)
	require.Equal(t, Tree, comb.Kind)
	require.Equal(t, Graph, parse(t, "complete:3").Kind)
	require.Equal(t, 9, parse(t, "hub:10").Degree(0))
}

func TestPortsRiseWithTheNeighbour(t *testing.T) {
	topo := parse(t, "random:50,6")
	for n := range router.NodeID(50) {
		for p := 1; p < topo.Ports(n); p++ {
			require.Less(t, topo.Neighbor(n, router.Port(p-1)), topo.Neighbor(n, router.Port(p)))
		}
		_, ok := topo.PortTo(n, n)
		require.False(t, ok)
	}
}

// The 16 labelled trees of 4 nodes are as likely, the 6 recursive ones too.
func TestRandomTreesAreUniform(t *testing.T) {
	for _, row := range []struct {
		kind  string
		trees int
	}{{"random-tree", 16}, {"recursive-tree", 6}} {
		count := map[string]int{}
		const draws = 4800
		for seed := range draws {
			count[fmt.Sprint(BreadthFirst(parse(t, fmt.Sprintf("%s:4,%d", row.kind, seed)), 0).Parent)]++
		}
		require.Len(t, count, row.trees, row.kind)
		chi, each := 0.0, float64(draws)/float64(row.trees)
		for _, n := range count {
			chi += (float64(n) - each) * (float64(n) - each) / each
		}
		require.Less(t, chi, 45.0, row.kind) // 15 degrees of freedom: 1 in 10^4
	}
}

func BenchmarkParse(b *testing.B) {
	for _, spec := range []string{"hub:1000000", "random-tree:1000000", "recursive-tree:1000000", "comb:1000x999", "random:1000000,4", "debruijn:20"} {
		b.Run(spec, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parse(b, spec)
			}
		})
	}
}

func BenchmarkBroadcastTime(b *testing.B) {
	for _, spec := range []string{"hub:1000000", "random-tree:1000000"} {
		s := BreadthFirst(parse(b, spec), 0)
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				BroadcastTime(s)
			}
		})
	}
}
