// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
	"meshwright/schedule/bound"
)

func TestPacketsOnAllPortsByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec        string
		root              router.NodeID
		lengths           []int
		links             bound.PacketLinks
		mixed, uncombined router.Cycle
	}{
		{"nothing to do", "path:2", 0, []int{7, 0}, bound.PacketLinks{Setup: 3, Flit: 1}, 0, 0},
		{"a link to each neighbour", "path:3", 1, []int{7, 0, 2}, bound.PacketLinks{Setup: 3, Flit: 1}, 3 + 7, 3 + 7},
		{"two links into one part", "ring:3", 0, []int{0, 7, 2}, bound.PacketLinks{Setup: 3, Flit: 1}, 3 + 5, 8},
		{"packets of 4 at most", "ring:3", 0, []int{0, 7, 2}, bound.PacketLinks{Setup: 3, Flit: 1, Largest: 4}, 6 + 5, 11},
		{"many messages share a link", "path:4", 0, []int{0, 1, 1, 1}, bound.PacketLinks{Setup: 3, Flit: 1}, 12, 12},
		{"one packet of many messages", "path:4", 0, []int{0, 4, 1, 1}, bound.PacketLinks{Setup: 3, Flit: 1}, 12, 15},
	} {
		t.Run(row.name, func(t *testing.T) {
			mixed, uncombined, err := bound.PacketsOnAllPorts(parse(t, row.spec), row.root, row.lengths, row.links)
			require.NoError(t, err)
			require.Equal(t, []router.Cycle{row.mixed, row.uncombined}, []router.Cycle{mixed, uncombined})
		})
	}
	_, _, err := bound.PacketsOnAllPorts(parse(t, "path:1"), 0, []int{0, 1}, bound.PacketLinks{Flit: 1})
	require.EqualError(t, err, "2 lengths for 1 node (expected one length a node)")
	_, _, err = bound.PacketsOnAllPorts(parse(t, "path:2"), 2, []int{0, 1}, bound.PacketLinks{Flit: 1})
	require.ErrorContains(t, err, "expected 0 to 1")
}

// The two sides of a path whose root is in the middle do not know of each other.
func TestNoPacketsOnAllPortsAreFaster(t *testing.T) {
	met := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 94))
		links := bound.PacketLinks{Setup: router.Cycle(random.IntN(9)), Flit: router.Cycle(1 + random.IntN(3))}
		if random.IntN(3) == 0 {
			links.Largest = 1 + random.IntN(4)
		}
		sides := [2][]int{}
		for i := range sides {
			sides[i] = []int{0, random.IntN(3), random.IntN(3), 1 + random.IntN(4)}
		}
		left, right := sides[0], sides[1]
		mixed, _, err := bound.PacketsOnAllPorts(parse(t, "path:7"), 3, []int{left[3], left[2], left[1], 0, right[1], right[2], right[3]}, links)
		require.NoError(t, err)
		best := max(fastestMix(left, links), fastestMix(right, links))
		require.LessOrEqual(t, mixed, best, "seed %d %v %+v", seed, sides, links)
		if mixed == best {
			met++
		}
	}
	t.Logf("%d of 200 met", met)
	require.Positive(t, met)
}
