// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// priced is a machine with neighbours only, and the prices of a gossip on it.
func priced(t *testing.T, nodes, length, startup, hop, flit, channels int, duplex machine.Duplex, ports machine.Regime) (*topology.Topology, machine.Machine, *prices) {
	topo, err := topology.Parse(fmt.Sprintf("complete:%d", nodes))
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Hop, m.Flit, m.Channels, m.Duplex, m.Ports = startup, hop, flit, channels, duplex, ports
	return topo, m, newPrices(topo, m, nodes*length)
}

// Whatever the prices, the nodes never know more than the prices allow: in gossips at random, whose nodes send any words that they know, at any time.
func TestNobodyKnowsMoreThanPricesAllow(t *testing.T) {
	for seed := range uint64(200) {
		g := rand.New(rand.NewPCG(seed, 0x707269636573))
		nodes, length, channels := 2+g.IntN(6), 1+g.IntN(3), 1
		if g.IntN(3) == 0 {
			channels = machine.Links
		}
		ports := []machine.Regime{machine.AllPort, machine.SinglePort}[g.IntN(2)]
		_, _, p := priced(t, nodes, length, 1+g.IntN(12), 1+g.IntN(4), 1+g.IntN(3), channels, machine.Full, ports)
		end := router.Cycle(20 + g.IntN(150))
		words := knownAfter(g, p, nodes, length, channels == machine.Links, end)
		p.exclude(end)
		s := p.steps // the best that are found
		for i := range s {
			if seed%2 == 0 {
				break
			}
			if g.IntN(3) == 0 {
				s[i] = g.Float64() / float64(p.Flit)
			}
		}
		for _, span := range []router.Cycle{1, 2, p.Hold(1)} {
			p.setTime(end, span)
			require.LessOrEqual(t, float64(words), p.known(&s)*p.words*(1+1e-9), "seed %d, spans of %d cycles", seed, span)
		}
	}
}

// With distances, a message of one flit is whole after the startup alone, which is less than the time for which it keeps its channel. Spans are no longer than that.
func TestSpansAreNoLongerThanMessages(t *testing.T) {
	topo, _, p := priced(t, 16, 40, 2, 1, 1, 1, machine.Full, machine.AllPort)
	p.countDistances(topo, slices.Repeat([]int{40}, 16))
	p.exclude(700)
	require.EqualValues(t, 2, p.span)
	require.Less(t, p.span, p.Hold(1))
}

// knownAfter counts the words that all nodes know at the end. Each channel hands over a message to a random node, of all or some of the words of its node that the other
// lacks, waits, and begins again.
func knownAfter(g *rand.Rand, p *prices, nodes, length int, links bool, end router.Cycle) int {
	type sent struct {
		whole router.Cycle
		to    int
		words []int
	}
	known, free, way := make([]map[int]bool, nodes), map[[2]int]router.Cycle{}, []sent(nil)
	port := make([]router.Cycle, nodes)
	for n := range known {
		known[n] = map[int]bool{}
		for i := range length {
			known[n][n*length+i] = true
		}
	}
	for now := range end {
		way = slices.DeleteFunc(way, func(s sent) bool {
			for _, w := range s.words {
				if s.whole == now {
					known[s.to][w] = true
				}
			}
			return s.whole == now
		})
		for _, from := range g.Perm(nodes) {
			to := (from + 1 + g.IntN(nodes-1)) % nodes
			channel := [2]int{from, 0}
			if links {
				channel[1] = to
			}
			var words []int
			for w := range nodes * length {
				if known[from][w] && !known[to][w] && g.IntN(8) > 0 {
					words = append(words, w)
				}
			}
			if free[channel] > now || len(words) == 0 || g.IntN(4) == 0 || p.shared && port[from] > now+p.Startup {
				continue
			}
			free[channel], port[from] = now+p.Hold(len(words)), now+p.Startup+p.Flits(1, len(words))
			way = append(way, sent{now + p.UntilWhole(1, len(words)), to, words})
		}
	}
	sum := 0
	for _, k := range known {
		sum += len(k)
	}
	return sum
}

// Without prices only the doubling of words counts, which is growth. With them, neighbours in rounds of doubling are close to the bound.
func TestPricesByHand(t *testing.T) {
	for _, row := range []struct {
		nodes, length, startup int
		duplex                 machine.Duplex
		least                  float64 // of the bound, as a part of recursive doubling
	}{
		{32, 1, 10, machine.Full, 0.93},
		{16, 4, 20, machine.Full, 0.89},
		{64, 1, 100, machine.Full, 0.94},
		{16, 8, 100, machine.Half, 0.75},
		{2, 5, 7, machine.Full, 0.9},
	} {
		topo, m, p := priced(t, row.nodes, row.length, row.startup, 1, 1, 1, row.duplex, machine.AllPort)
		time, both := router.Cycle(1), router.Cycle(1)
		if row.duplex == machine.Half {
			both = 2 // a node sends first, and then receives
		}
		for words := row.length; words < row.nodes*row.length; words *= 2 {
			time += p.UntilWhole(1, words) + (both-1)*router.Cycle(words)
		}
		bound := gossipPrices(topo, m, slices.Repeat([]int{row.length}, row.nodes), row.nodes*row.length, 1)
		require.LessOrEqual(t, bound, time, "%+v", row)
		require.GreaterOrEqual(t, float64(bound), row.least*float64(time), "%+v: %d of %d", row, bound, time)
	}
}

// Where PEs are half duplex, the price of a channel and that of a gate may only be of use together. The greedy schedule of this all-gather, improved, takes 2570 cycles.
func TestPricesOfChannelsAndGatesTogether(t *testing.T) {
	topo, err := topology.Parse("debruijn:5")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Hop, m.Flit, m.Channels, m.Duplex, m.Ports = 300, 2, 2, 1, machine.Half, machine.SinglePort
	bound := gossipPrices(topo, m, slices.Repeat([]int{4}, 32), 128, 1)
	require.GreaterOrEqual(t, bound, router.Cycle(1740))
	require.Less(t, bound, router.Cycle(2570))
}
