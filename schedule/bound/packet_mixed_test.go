// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
	"meshwright/schedule/bound"
)

func TestMixedPacketsByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		root       router.NodeID
		lengths    []int
		links      bound.PacketLinks
		want       router.Cycle
	}{
		{"nothing to do", "path:2", 0, []int{7, 0}, bound.PacketLinks{Setup: 3, Flit: 1}, 0},
		{"one packet to two neighbours of one part", "ring:3", 0, []int{0, 7, 2}, bound.PacketLinks{Setup: 3, Flit: 1}, 3 + 9},
		{"two packets of 6 at most", "ring:3", 0, []int{0, 7, 2}, bound.PacketLinks{Setup: 3, Flit: 1, Largest: 6}, 6 + 9},
		{"a packet to each part", "path:3", 1, []int{7, 0, 2}, bound.PacketLinks{Setup: 3, Flit: 1}, 6 + 9},
		{"cut through three links", "path:4", 0, []int{0, 0, 0, 5}, bound.PacketLinks{Setup: 3, Flit: 2, CutThrough: true}, 3 + 10 + 2*5},
		{"no setup", "path:4", 0, []int{0, 0, 0, 5}, bound.PacketLinks{Flit: 2}, 10 + 2*2},
		// Back from u = 3 (a packet of one flit on the second link) at rates 1/3, 2/4, 3/5, 4/6 … a tick each: 4.34 flits by u = 10, the others at 8/10.
		{"stored once", "path:3", 0, []int{0, 0, 8}, bound.PacketLinks{Setup: 2, Flit: 1}, 15},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := bound.MixedPackets(parse(t, row.spec), row.root, row.lengths, row.links)
			require.NoError(t, err)
			require.Equal(t, row.want, got)
		})
	}
	_, err := bound.MixedPackets(parse(t, "path:1"), 0, []int{0, 1}, bound.PacketLinks{Flit: 1})
	require.EqualError(t, err, "2 lengths for 1 node (expected one length a node)")
	_, err = bound.MixedPackets(parse(t, "path:2"), 2, []int{0, 1}, bound.PacketLinks{Flit: 1})
	require.ErrorContains(t, err, "expected 0 to 1")
	_, err = bound.MixedPackets(nil, 0, nil, bound.PacketLinks{Flit: 1})
	require.Error(t, err)
}

// TestNoMixedPacketsAreFaster tries, on paths of three links, all ways to put the
// words of all messages together into packets on each link, the furthest first;
// packets that stay as they are keep the closer bound, which is never lower.
func TestNoMixedPacketsAreFaster(t *testing.T) {
	met := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 93))
		lengths := []int{0, random.IntN(3), random.IntN(4), 1 + random.IntN(5)}
		links := bound.PacketLinks{Setup: router.Cycle(random.IntN(9)), Flit: router.Cycle(1 + random.IntN(3))}
		if random.IntN(3) == 0 {
			links.Largest = 1 + random.IntN(4)
		}
		path := parse(t, "path:4")
		least, err := bound.MixedPackets(path, 0, lengths, links)
		require.NoError(t, err)
		best := fastestMix(lengths, links)
		require.LessOrEqual(t, least, best, "seed %d %v %+v", seed, lengths, links)
		if least == best {
			met++
		}
		links.Largest = 0
		least, err = bound.MixedPackets(path, 0, lengths, links)
		require.NoError(t, err)
		unmixed, err := bound.PacketTree([]int{-1, 0, 1, 2}, lengths, links.Setup, links.Flit)
		require.NoError(t, err)
		require.LessOrEqual(t, least, unmixed)
	}
	t.Logf("%d of 200 met", met)
	require.Greater(t, met, 20)
}

// fastestMix is the least time of all ways to cut the words on each link.
func fastestMix(lengths []int, links bound.PacketLinks) router.Cycle {
	best := router.Cycle(1 << 40)
	var cross func(link int, there []router.Cycle, time router.Cycle)
	cross = func(link int, there []router.Cycle, time router.Cycle) { // there: when each word is at the link's beginning
		if link == len(lengths) {
			best = min(best, time)
			return
		}
		words := 0
		for _, length := range lengths[link:] {
			words += length
		}
		for cuts := range 1 << (words - 1) {
			next, end, ok := make([]router.Cycle, words), router.Cycle(0), true
			for from := 0; from < words && ok; {
				to := from + 1
				for to < words && cuts>>(to-1)&1 == 0 {
					to++
				}
				ok = links.Largest == 0 || to-from <= links.Largest
				end = max(end, there[to-1]) + links.Setup + router.Cycle(to-from)*links.Flit
				for i := from; i < to; i++ {
					next[i] = end
				}
				from = to
			}
			if ok && end < best {
				cross(link+1, next, max(time, end))
			}
		}
	}
	total := 0
	for _, length := range lengths {
		total += length
	}
	cross(1, make([]router.Cycle, total), 0)
	return best
}
