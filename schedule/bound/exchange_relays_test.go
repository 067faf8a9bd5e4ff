// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// Messages at random, one after the other, some of them between few nodes: the words of all blocks take at least as many of them as the bound says, by
// the most messages that a node sends.
func TestWordsAreCarriedAsOftenAsChainsOfMessagesSay(t *testing.T) {
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x636861696e))
		nodes := 3 + g.IntN(5)
		messages, few := 1+g.IntN(4*nodes), 2+g.IntN(nodes-1)
		hops := make([][]int, nodes) // by source and node: the fewest messages of a word
		for u := range hops {
			hops[u] = make([]int, nodes)
		}
		sent, most := make([]int, nodes), 0
		for range messages {
			from := g.IntN(few)
			to := (from + 1 + g.IntN(nodes-1)) % nodes
			sent[from]++
			most = max(most, sent[from])
			for u := range hops {
				if u != to && (u == from || hops[u][from] > 0) && (hops[u][to] == 0 || hops[u][from]+1 < hops[u][to]) {
					hops[u][to] = hops[u][from] + 1
				}
			}
		}
		growth, of, sum := []router.Cycle{}, router.Cycle(1), router.Cycle(0)
		for range nodes {
			sum += of
			growth, of = append(growth, sum), of*router.Cycle(most)
		}
		carried := 0
		for u := range hops {
			for v, k := range hops[u] {
				if u != v && k == 0 {
					k = nodes + 1 // by no messages at all: more than any chain
				}
				carried += k
			}
		}
		c := &chains{groups: []blocks{{1, router.Cycle(nodes * (nodes - 1))}}}
		require.LessOrEqual(t, c.carried(router.Cycle(messages), growth), router.Cycle(carried), "seed %d", seed)
	}
}

// The least time is that of the best number of messages, all of which are tried.
func TestBestNumberOfMessagesIsACorner(t *testing.T) {
	for seed := range uint64(100) {
		g := rand.New(rand.NewPCG(seed, 0x636f726e6572))
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Startup, m.Flit, m.Hop = 1+g.IntN(20), 1+g.IntN(3), 1+g.IntN(3)
		nodes := router.Cycle(2 + g.IntN(9))
		c := &chains{Model: timing.Of(&m), channels: nodes, gates: nodes, most: 1, mostGates: 1, half: g.IntN(2) == 0}
		c.groups = []blocks{{router.Cycle(1 + g.IntN(4)), nodes * (nodes - 1)}, {router.Cycle(1 + g.IntN(4)), (nodes - 1) * router.Cycle(1+g.IntN(int(nodes)))}}
		for cycles := router.Cycle(1); cycles < 300; cycles += 1 + router.Cycle(g.IntN(20)) {
			growth, some := c.growth(cycles), false
			for messages := router.Cycle(1); messages <= c.groups[0].count && len(growth) > 0; messages++ {
				words := c.carried(messages, growth)
				room := c.channels * (cycles - c.Startup - c.Hop + c.Rest())
				duplex := !c.half || 2*words <= c.gates*(max(0, cycles-c.Lead())/c.Flit)
				some = some || duplex && c.Flit*words+c.Rest()*messages <= room
			}
			require.Equal(t, some, c.fit(cycles), "seed %d, %d cycles", seed, cycles)
		}
	}
}
