// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// TestStartupsByHand: messages of several blocks save startups.
func TestStartupsByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec, preset  string
		settings            []string
		root                router.NodeID
		lengths             []int
		scatter, uncombined router.Cycle
	}{
		{"nothing to do", "torus:4x4", "wormhole", []string{"startup", "9"}, 0, make([]int, 16), 0, 0},
		{"no startup: 30 words over 4 channels, the last goes a link", "torus:4x4", "wormhole", nil, 0, slices.Repeat([]int{2}, 16), 9, 9},
		// Two messages in a row: the first ones bring three blocks, and are whole in cycle 1003. With two they would not do: 4*(2+1) < 15.
		{"two startups in a row", "torus:4x4", "wormhole", []string{"startup", "1000"}, 0, slices.Repeat([]int{1}, 16), 1003 + 1001 + 1, 4*1001 + 1},
		// One channel: 2 blocks to the neighbour, who passes one on, while the root sends the third.
		{"relay beside the root", "path:4", "bufferless", []string{"startup", "10"}, 0, []int{0, 1, 1, 1}, 12 + 11 + 1, 3*11 + 1},
		// The root sends 3, 2 and 1 blocks; its last message is taken in cycle 61 + 56 and takes 60.
		{"slow flits", "ring:7", "bufferless", []string{"startup", "50", "flit", "5"}, 0, slices.Repeat([]int{1}, 7), 61 + 56 + 55 + 5, 50 + 6*51 - 46 + 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			topo, err := topology.Parse(row.spec)
			require.NoError(t, err)
			m, err := machine.Preset(row.preset)
			require.NoError(t, err)
			for i := 0; i < len(row.settings); i += 2 {
				require.NoError(t, m.Set(row.settings[i], row.settings[i+1]))
			}
			require.Equal(t, row.scatter, Scatter(topo, m, row.root, row.lengths).Cycles, "scatter")
			require.Equal(t, row.uncombined, UncombinedScatter(topo, m, row.root, row.lengths), "uncombined")
		})
	}
}

// postal is the exact time of handing out blocks of one word where all nodes are
// neighbours: a search through all numbers of words of all messages.
type postal struct {
	startup, flit, hop, rest, channels int
	known                              map[[2]int]bool
}

// can reports whether a node can see to so many words in a time.
func (p *postal) can(words, time int) bool {
	if words == 0 {
		return true
	}
	key := [2]int{words, time}
	if done, ok := p.known[key]; ok {
		return done
	}
	p.known[key] = p.share(words, time, p.channels)
	return p.known[key]
}

// share tries all ways to share the words out over channels.
func (p *postal) share(words, time, channels int) bool {
	if channels == 0 {
		return words == 0
	}
	for first := words; first >= 0; first-- {
		if p.channel(first, time) && p.share(words-first, time, channels-1) {
			return true
		}
	}
	return false
}

// channel tries all first messages of one channel.
func (p *postal) channel(words, time int) bool {
	if words == 0 {
		return true
	}
	for x := 1; x <= words; x++ {
		there := time - p.startup - p.flit*x - p.hop + 1
		if there >= 1 && p.can(x-1, there) && p.channel(words-x, time-p.flit*x-p.rest) {
			return true
		}
	}
	return false
}

// TestRelaysAreExactAmongNeighbours compares with the search, and coarser spans
// of time with cycles.
func TestRelaysAreExactAmongNeighbours(t *testing.T) {
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 92))
		p := &postal{startup: 1 + random.IntN(12), flit: 1 + random.IntN(3), hop: 1 + random.IntN(3), channels: 1 + random.IntN(2), known: map[[2]int]bool{}}
		p.rest = max(0, p.startup+1-p.flit)
		words := 1 + random.IntN(14)
		want := 1
		for !p.can(words, want) {
			want++
		}
		h := &handOut{
			Model:    timing.Model{Startup: router.Cycle(p.startup), Flit: router.Cycle(p.flit), Hop: router.Cycle(p.hop)},
			channels: router.Cycle(p.channels), root: router.Cycle(p.channels),
		}
		require.EqualValues(t, want, h.least(router.Cycle(words), 1, 0), "seed %d", seed)
		for span := router.Cycle(2); span <= h.Hold(1); span++ {
			end, ok := h.spans(router.Cycle(words), 1, span)
			require.True(t, ok)
			require.LessOrEqual(t, (end-1)*span+1, router.Cycle(want), "seed %d span %d", seed, span)
		}
	}
}

// TestLongTimesAreCountedInSpans: close to what cycles say.
func TestLongTimesAreCountedInSpans(t *testing.T) {
	h := &handOut{Model: timing.Model{Startup: 5000, Flit: 1, Hop: 1}, channels: 1, root: 1}
	end, ok := h.spans(63*100, 100, 20)
	require.True(t, ok)
	for _, span := range []router.Cycle{40, 160} {
		coarse, ok := h.spans(63*100, 100, span)
		require.True(t, ok)
		require.LessOrEqual(t, (coarse-1)*span, end*20)
		require.InEpsilon(t, int(end*20), int(coarse*span), 0.03)
	}
	require.Zero(t, h.least(1000, 1, 1<<40), "nothing is gained")
}
