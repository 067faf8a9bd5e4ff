// SPDX-License-Identifier: Apache-2.0

package symmetries

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
		{"ring:70", 1}, {"torus:9x8", 1}, {"hypercube:7", 1}, {"star:5", 1}, {"complete:66", 1}, {"twisted-torus:9x8,3", 1},
	} {
		x, err := topology.Parse(row.spec)
		require.NoError(t, err)
		g := newGraph(x)
		list := Groups(x, every, rand.New(rand.NewPCG(1, 2)))
		require.NotEmpty(t, list, row.spec)
		require.Equal(t, row.orbits, list[0].Count(), row.spec)
		for _, of := range list {
			for _, s := range of {
				require.Equal(t, of[0], sorted(s), "each node once")
				for u := range g.nodes {
					for v := range g.beside[u].All() {
						require.True(t, g.beside[s[u]].Has(s[v]), row.spec)
					}
					require.Equal(t, g.beside[u].Size(), g.beside[s[u]].Size(), row.spec)
				}
				require.True(t, slices.ContainsFunc(of, func(back Symmetry) bool { return slices.Equal(twice(s, back), of[0]) }), "the way back")
			}
		}
	}
}

// Translations make groups with 2, 4, 8 ... orbits as well, which with half duplex send in turn.
func TestGroupsOfHalfTheTranslations(t *testing.T) {
	for _, spec := range []string{"hypercube:5", "hypercube:8", "torus:16x8"} {
		x, err := topology.Parse(spec)
		require.NoError(t, err)
		orbits := map[int]bool{}
		for _, g := range Groups(x, every, rand.New(rand.NewPCG(1, 2))) {
			orbits[g.Count()] = true
		}
		for _, count := range []int{1, 2, 4, 8} {
			require.True(t, orbits[count], "%s %d", spec, count)
		}
	}
}

// Large networks without translations have no groups: there are too many orbits.
func TestNoGroupsOfManyOrbits(t *testing.T) {
	x, err := topology.Parse("path:65")
	require.NoError(t, err)
	require.Empty(t, Groups(x, every, rand.New(rand.NewPCG(1, 2))))
}

// Where some translations do not keep routes, those of large networks that do make a group.
func TestSomeTranslations(t *testing.T) {
	x, err := topology.Parse("torus:9x8")
	require.NoError(t, err)
	along := func(s Symmetry) bool { return s[0]/9 == 0 }
	list := Groups(x, along, rand.New(rand.NewPCG(1, 2)))
	require.NotEmpty(t, list)
	require.Len(t, list[0], 9)
	require.Equal(t, 8, list[0].Count())
}

func every(Symmetry) bool { return true }

// Symmetries that are of no use are in no group.
func TestGroupsOfSomeSymmetries(t *testing.T) {
	x, err := topology.Parse("mesh:4x2")
	require.NoError(t, err)
	upDown := Symmetry{4, 5, 6, 7, 0, 1, 2, 3}
	list := Groups(x, func(s Symmetry) bool { return slices.Equal(s, upDown) }, rand.New(rand.NewPCG(1, 2)))
	require.Len(t, list, 1)
	require.Equal(t, Group{Alone(8)[0], upDown}, list[0])
}

func sorted(s Symmetry) Symmetry {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// twice is one symmetry after another.
func twice(first, second Symmetry) Symmetry {
	both := make(Symmetry, len(first))
	for v := range both {
		both[v] = second[first[v]]
	}
	return both
}

// A network whose nodes have different neighbours has no symmetries.
func TestNoSymmetries(t *testing.T) {
	x, err := topology.Parse("random-tree:42,882")
	require.NoError(t, err)
	require.Empty(t, Groups(x, every, rand.New(rand.NewPCG(1, 2))))
}

// Symmetries of large groups are shortened: the leaves of a hub go around in cycles that together take too long.
func TestSymmetriesAreShortened(t *testing.T) {
	s := Symmetry{1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 11, 7, 13, 14, 12, 15}
	require.Nil(t, Closure([]Symmetry{s}), "7, 5 and 3 nodes: 105 symmetries")
	require.Len(t, Closure([]Symmetry{s.shortened()}), 7)
	short := Symmetry{1, 2, 0, 4, 3}
	require.Equal(t, short, short.shortened())

	x, err := topology.Parse("hub:63")
	require.NoError(t, err)
	require.NotEmpty(t, Groups(x, every, rand.New(rand.NewPCG(1, 2))))
}

// The largest orbit that fits has the words of an allreduce.
func TestLargestOrbit(t *testing.T) {
	g := Closure([]Symmetry{{1, 2, 0, 4, 3, 5}})
	require.Len(t, g, 6)
	for most, want := range [][]int{nil, {5}, {3, 4}, {0, 1, 2}, {0, 1, 2}} {
		require.Equal(t, want, g.LargestOrbit(most))
	}
}
