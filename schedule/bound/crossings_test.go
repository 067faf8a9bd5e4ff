// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// crossed sets up a network and its crossings.
func crossed(t *testing.T, spec string, startup, hop, flit int, ports machine.Regime) *crossings {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Hop, m.Flit, m.Ports, m.Channels = startup, hop, flit, ports, machine.Links
	return newCrossings(topo, m)
}

func TestTimesOfCrossingsByHand(t *testing.T) {
	for _, row := range []struct {
		spec               string
		startup, hop, flit int
		ports              machine.Regime
		part               uint64
		links              int
		after, before      []router.Cycle
	}{
		// The node with the most channels of the part, 2, is taken to be the first, and sends to both others at once.
		{"path:6", 10, 1, 1, machine.AllPort, 0b111000, 1, []router.Cycle{1, 1 + 11, 1 + 11}, []router.Cycle{10, 10 + 11, 10 + 11}},
		{"path:6", 0, 3, 2, machine.AllPort, 0b111000, 1, []router.Cycle{4, 4 + 4, 4 + 6}, []router.Cycle{0, 4, 6}},
		{"ring:4", 2, 1, 1, machine.AllPort, 0b1100, 2, []router.Cycle{1, 4}, []router.Cycle{2, 5}},
		{"hub:5", 2, 1, 1, machine.SinglePort, 0b01111, 1, []router.Cycle{1, 4, 4, 4}, []router.Cycle{2}},
	} {
		c := crossed(t, row.spec, row.startup, row.hop, row.flit, row.ports)
		x := c.into(row.part)
		require.Equal(t, row.links, x.links, "%v", row)
		require.Equal(t, row.after, x.after, "%v", row)
		require.Equal(t, row.before, x.before, "%v", row)
	}
}

// The parts are connected, and so is the rest.
func TestPartsAreConnected(t *testing.T) {
	for _, spec := range []string{"path:6", "mesh:3x3", "random-tree:12", "ring:64", "random:10,3", "star:4"} {
		c := crossed(t, spec, 1, 1, 1, machine.AllPort)
		parts := c.parts(false)
		require.NotEmpty(t, parts, spec)
		for _, part := range parts {
			require.NotZero(t, part, spec)
			require.NotEqual(t, c.everyone(), part, spec)
			require.Len(t, c.connected(part), 1, "%s %b", spec, part)
		}
		require.LessOrEqual(t, len(c.parts(true)), len(parts))
	}
}

// A passage adds up, flit by flit, what the formulas of its comments say.
func TestPassagesAddUpFlits(t *testing.T) {
	for seed := range uint64(50) {
		g := rand.New(rand.NewPCG(seed, 0x63726f7373))
		spec := []string{"path:7", "comb:3x4", "random-tree:9", "mesh:3x4"}[g.IntN(4)]
		c := crossed(t, spec, g.IntN(12), 1+g.IntN(3), 1+g.IntN(3), machine.AllPort)
		parts := c.parts(false)
		x := c.into(parts[g.IntN(len(parts))])
		p := &passage{first: c.Lead(), flit: c.Flit, ways: x.links, sums: g.IntN(2) == 0}
		words := 1 + g.IntN(20)
		p.add(x, func(uint64) float64 { return float64(words) })
		for cycles := router.Cycle(1); cycles < 200; cycles++ {
			sum := 0
			for at := c.Lead(); at < cycles; at += c.Flit {
				has := len(x.before)
				if p.sums {
					has = within(x.before, at+c.Flit-1)
				}
				sum += x.links * has * within(x.after, cycles-1-at)
			}
			require.Equal(t, sum >= words*len(x.before)*len(x.after), p.fits(cycles), "seed %d %s %d cycles", seed, spec, cycles)
		}
	}
}

// within counts the times up to a cycle.
func within(times []router.Cycle, cycle router.Cycle) (count int) {
	for _, at := range times {
		if at <= cycle {
			count++
		}
	}
	return count
}

func TestBoundsByCrossingsByHand(t *testing.T) {
	for _, row := range []struct {
		spec           string
		startup, words int
		ports          machine.Regime
		gossip, sums   router.Cycle
	}{
		{"path:2", 5, 3, machine.AllPort, 5 + 3 + 1, 5 + 3 + 1},
		// Nodes 2 and 3 need 2 words over the link between them. The first flit comes to both of them by cycle 2 + 1 + 3, the others to one each.
		{"path:4", 2, 1, machine.AllPort, 7, 7},
		// The hub sends 3 words to each of 3 nodes. Of a sum it has its own addend in cycle 2, another one in cycle 5, and all in cycle 6: with the flits of cycles 2 to 7
		// come 3 + 2 + 3 + 3 addends, when 3*3 are needed.
		{"hub:4", 2, 1, machine.SinglePort, 2 + 9 + 1, 7 + 1 + 1},
	} {
		c := crossed(t, row.spec, row.startup, 1, 1, row.ports)
		lengths := slices.Repeat([]int{row.words}, c.topology.Nodes())
		require.Equal(t, row.gossip, gossipCrossings(c.topology, c.machine, lengths, 1), "%v", row)
		require.Equal(t, row.sums, sumCrossings(c.topology, c.machine, row.words, 1), "%v", row)
	}
}
