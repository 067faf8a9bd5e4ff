// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
)

// Symmetries bring neighbours to neighbours, and two of a group make another one of it.
func TestGroupsAreOfSymmetries(t *testing.T) {
	for _, row := range []struct {
		spec   string
		orbits int // with the largest group
	}{
		{"ring:6", 1}, {"torus:4x3", 1}, {"hypercube:3", 1}, {"star:3", 1}, {"complete:5", 1}, {"path:5", 3}, {"mesh:3x2", 2}, {"binary:3", 4}, {"comb:3x2", 6}, {"hub:3", 2},
	} {
		x, err := topology.Parse(row.spec)
		require.NoError(t, err)
		g := newGraph(x)
		list := groups(x, rand.New(rand.NewPCG(1, 2)))
		require.NotEmpty(t, list, row.spec)
		require.Equal(t, row.orbits, list[0].count(), row.spec)
		for _, of := range list {
			for _, s := range of {
				require.Equal(t, of[0], sorted(s), "each node once")
				for u := range g.nodes {
					require.Equal(t, g.beside[s[u]], s.of(g.beside[u]), row.spec)
				}
				require.True(t, slices.ContainsFunc(of, func(back symmetry) bool { return slices.Equal(twice(s, back), of[0]) }), "the way back")
			}
		}
	}
}

func sorted(s symmetry) symmetry {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// twice is one symmetry after another.
func twice(first, second symmetry) symmetry {
	both := make(symmetry, len(first))
	for v := range both {
		both[v] = second[first[v]]
	}
	return both
}

// A network whose nodes have different neighbours has no symmetries.
func TestNoSymmetries(t *testing.T) {
	x, err := topology.Parse("random-tree:42,882")
	require.NoError(t, err)
	require.Empty(t, groups(x, rand.New(rand.NewPCG(1, 2))))
}

// Symmetries of large groups are shortened: the leaves of a hub go around in cycles that together take too long.
func TestSymmetriesAreShortened(t *testing.T) {
	s := symmetry{1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 11, 7, 13, 14, 12, 15}
	require.Nil(t, closure([]symmetry{s}), "7, 5 and 3 nodes: 105 symmetries")
	require.Len(t, closure([]symmetry{s.shortened()}), 7)
	short := symmetry{1, 2, 0, 4, 3}
	require.Equal(t, short, short.shortened())

	x, err := topology.Parse("hub:63")
	require.NoError(t, err)
	require.NotEmpty(t, groups(x, rand.New(rand.NewPCG(1, 2))))
}

// The largest orbit that fits has the words of an allreduce.
func TestLargestOrbit(t *testing.T) {
	g := closure([]symmetry{{1, 2, 0, 4, 3, 5}})
	require.Len(t, g, 6)
	for most, want := range [][]int{nil, {5}, {3, 4}, {0, 1, 2}, {0, 1, 2}} {
		require.Equal(t, want, g.largestOrbit(most))
	}
}
