// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/orbits"
	"meshwright/firmware/plan"
	"meshwright/internal/bitset"
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
		list := groups(x, every, rand.New(rand.NewPCG(1, 2)))
		require.NotEmpty(t, list, row.spec)
		require.Equal(t, row.orbits, count(list[0].orbits()), row.spec)
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

// Translations make groups with 2, 4, 8 ... orbits as well, which with half duplex send in turn.
func TestGroupsOfHalfTheTranslations(t *testing.T) {
	for _, spec := range []string{"hypercube:5", "hypercube:8", "torus:16x8"} {
		x, err := topology.Parse(spec)
		require.NoError(t, err)
		orbits := map[int]bool{}
		for _, g := range groups(x, every, rand.New(rand.NewPCG(1, 2))) {
			orbits[count(g.orbits())] = true
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
	require.Empty(t, groups(x, every, rand.New(rand.NewPCG(1, 2))))
}

// Where some translations do not keep routes, those of large networks that do make a group.
func TestSomeTranslations(t *testing.T) {
	x, err := topology.Parse("torus:9x8")
	require.NoError(t, err)
	along := func(s symmetry) bool { return s[0]/9 == 0 }
	list := groups(x, along, rand.New(rand.NewPCG(1, 2)))
	require.NotEmpty(t, list)
	require.Len(t, list[0], 9)
	require.Equal(t, 8, count(list[0].orbits()))
}

func every(symmetry) bool { return true }

// Symmetries that are of no use are in no group.
func TestGroupsOfSomeSymmetries(t *testing.T) {
	x, err := topology.Parse("mesh:4x2")
	require.NoError(t, err)
	upDown := symmetry{4, 5, 6, 7, 0, 1, 2, 3}
	list := groups(x, func(s symmetry) bool { return slices.Equal(s, upDown) }, rand.New(rand.NewPCG(1, 2)))
	require.Len(t, list, 1)
	require.Equal(t, group{alone(8)[0], upDown}, list[0])
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
	require.Empty(t, groups(x, every, rand.New(rand.NewPCG(1, 2))))
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
	require.NotEmpty(t, groups(x, every, rand.New(rand.NewPCG(1, 2))))
}

// The largest orbit that fits has the words of an allreduce.
func TestLargestOrbit(t *testing.T) {
	g := closure([]symmetry{{1, 2, 0, 4, 3, 5}})
	require.Len(t, g, 6)
	for most, want := range [][]int{nil, {5}, {3, 4}, {0, 1, 2}, {0, 1, 2}} {
		require.Equal(t, want, g.largestOrbit(most))
	}
}

// An allreduce of few words takes the groups first that divide them among the most nodes.
func TestGroupsOfMostOwners(t *testing.T) {
	three, two := closure([]symmetry{{1, 2, 0, 4, 5, 3}}), closure([]symmetry{{1, 0, 3, 2, 5, 4}})
	task := func(kind string, words int) *plan.Task {
		k, err := plan.KindOf(kind)
		require.NoError(t, err)
		return &plan.Task{Kind: k, Job: plan.Job{Lengths: slices.Repeat([]int{words}, 6)}}
	}
	for _, row := range []struct {
		kind  string
		words int
		first group
	}{
		{plan.Gossip, 2, three}, {plan.Allreduce, 2, two}, {plan.Allreduce, 3, three}, {plan.Allreduce, 6, three},
	} {
		require.Equal(t, row.first, inOrderOfOwners(task(row.kind, row.words), []group{three, two})[0], "%v", row)
	}
}

// A message of few pieces takes them from one node on, around the numbers of the nodes.
func TestMessagesOfFewPieces(t *testing.T) {
	g := alone(5)
	s := newSpread(&network{nodes: 5, group: g, back: [][]int32{{0}, {0}, {0}, {0}, {0}}}, bitset.Set{0b11111})
	w := &way{Way: orbits.Way{Most: 4}}
	for _, row := range []struct {
		x         step
		has, want uint64
	}{
		{step{}, 0b11011, 0b11001}, {step{most: 1}, 0b11011, 0b00001}, {step{most: 1, first: 2}, 0b11011, 0b01000},
		{step{most: 2, first: 4}, 0b11011, 0b10001}, {step{most: 3, first: 4}, 0b11011, 0b11001}, {step{first: 4}, 0b00010, 0},
	} {
		require.Equal(t, bitset.Set{row.want}, s.useful(w, row.x, bitset.Set{row.has}, bitset.Set{0b00010}), "%+v", row)
	}
}
