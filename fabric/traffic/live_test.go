// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// Among live nodes a pattern has the destinations that it has on the whole network when draws of dead ones are repeated. The hot nodes of a hotspot that are
// dead are hot no longer.
func TestPatternsAmongLiveNodes(t *testing.T) {
	at := parse(t, "mesh:4x4")
	dead := []router.NodeID{1, 6, 15}
	live := func(n router.NodeID) bool { return !slices.Contains(dead, n) }
	matrix, err := scanMatrix([]byte("0,1,5\n0,2,1\n0,3,3\n2,1,1\n3,15,0.5\n3,0,2\n6,0,1\n"), "m.csv", at.Nodes())
	require.NoError(t, err)
	whole := func(spec string) Pattern {
		p, err := ParsePattern(spec, at)
		require.NoError(t, err)
		return p
	}
	for name, c := range map[string]struct{ part, like Pattern }{
		"uniform": {whole("uniform"), whole("uniform")}, "hotspot": {whole("hotspot:5,6@0.4"), whole("hotspot:5@0.4")}, "matrix": {matrix, matrix},
	} {
		p, err := Among(c.part, at, live)
		require.NoError(t, err, name)
		const draws = 20000
		rng := rand.New(rand.NewPCG(1, 2))
		for _, from := range p.Sources() {
			require.True(t, live(from), name)
			got, want := make([]float64, at.Nodes()), make([]float64, at.Nodes())
			for range draws {
				got[p.Destination(from, rng)]++
				to := c.like.Destination(from, rng)
				for !live(to) {
					to = c.like.Destination(from, rng)
				}
				want[to]++
			}
			for n := range at.Nodes() {
				require.InDelta(t, want[n]/draws, got[n]/draws, 0.1, "%s from %d to %d", name, from, n)
				if !live(router.NodeID(n)) || router.NodeID(n) == from {
					require.Zero(t, got[n], name)
				}
			}
		}
	}
	p, err := Among(matrix, at, live)
	require.NoError(t, err)
	require.Equal(t, []router.NodeID{0, 3}, p.Sources())
}

// A node of a permutation sends if it and its destination are live.
func TestPermutationsAmongLiveNodes(t *testing.T) {
	at := parse(t, "mesh:4x4")
	dead := []router.NodeID{1, 6, 15}
	live := func(n router.NodeID) bool { return !slices.Contains(dead, n) }
	for name := range definitions {
		whole, err := ParsePattern(name, at)
		require.NoError(t, err)
		part, err := Among(whole, at, live)
		require.NoError(t, err)
		for n := range router.NodeID(at.Nodes()) {
			to := whole.Destination(n, nil)
			require.Equal(t, live(n) && live(to) && to != n, slices.Contains(part.Sources(), n), "%s: %d to %d", name, n, to)
			require.Equal(t, to, part.Destination(n, nil))
		}
	}
}

// A trace loses the packets from and to dead nodes.
func TestTracesAmongLiveNodes(t *testing.T) {
	whole, err := scanTrace([]byte("0,0,1,4\n0,1,2,9\n3,2,0,5\n7,0,2,1\n"), "t.csv", 4)
	require.NoError(t, err)
	part, err := whole.Among(func(n router.NodeID) bool { return n != 1 })
	require.NoError(t, err)
	require.Equal(t, whole.packets[2:], part.packets)
	require.Equal(t, []router.NodeID{0, 2}, part.sources)
	require.Equal(t, 5, part.Largest())
	_, err = whole.Among(func(n router.NodeID) bool { return n == 3 })
	require.EqualError(t, err, "the faults leave no packet of the trace (expected a packet between two live nodes)")
}

// Other patterns know no dead nodes.
func TestPatternsOfOthersAmongLiveNodes(t *testing.T) {
	at := parse(t, "ring:4")
	_, err := Among(struct{ Pattern }{uniform(4)}, at, func(router.NodeID) bool { return true })
	require.EqualError(t, err, "a pattern that knows no dead nodes (expected a pattern of traffic.ParsePattern)")
	_, err = Among(uniform(4), at, func(n router.NodeID) bool { return n == 2 })
	require.EqualError(t, err, "the faults leave no node that sends (expected a pattern in which a live node sends to another)")
}
