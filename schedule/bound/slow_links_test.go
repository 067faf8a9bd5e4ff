// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

// slowMachine is a wormhole machine with the slower links given.
func slowMachine(t *testing.T, links string, settings ...string) machine.Machine {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Buffer = 64
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	require.NoError(t, m.Set("links", links))
	return m
}

func TestSlowLinksByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec, links string
		settings          []string
		bound             func(topo *topology.Topology, m machine.Machine, lengths []int) Proven
		want              router.Cycle
	}{
		{"a gather over a slow link", "path:3", "1-2,hop=5,flit=4", nil, func(topo *topology.Topology, m machine.Machine, lengths []int) Proven {
			return Gather(topo, m, 0, lengths)
		}, 2*4 + 5 + 1 + 1}, // the last of 3 flits begins after 2 others, crosses both links, and is taken
		{"its first link does not begin at once", "path:3", "0-1,hop=5,flit=4", nil, func(topo *topology.Topology, m machine.Machine, lengths []int) Proven {
			return Gather(topo, m, 0, lengths)
		}, 5*4 + 5 + 1}, // six flits; those of node 1 are there at once
		{"a scatter is not slower where only the way back is", "path:3", "1>0,flit=4", nil, func(topo *topology.Topology, m machine.Machine, lengths []int) Proven {
			return Scatter(topo, m, 0, lengths)
		}, 6 + 1},
		{"a reduce-scatter needs both ways", "path:2", "1>0,flit=4", nil, func(topo *topology.Topology, m machine.Machine, _ []int) Proven {
			return ReduceScatter(topo, m, 6)
		}, 2*4 + 1 + 1},
		{"an all-gather", "path:3", "1>2,flit=4", []string{"startup", "10"}, func(topo *topology.Topology, m machine.Machine, lengths []int) Proven {
			return Gossip(topo, m, lengths)
		}, 10 + 5*4 + 1 + 1},
		{"a broadcast goes round", "ring:4", "0>1,flit=4", nil, func(topo *topology.Topology, m machine.Machine, _ []int) Proven {
			return Broadcast(topo, m, 0, 9)
		}, 10}, // node 1 gets 3 flits over the slow link, which begin in cycles 0, 4 and 8, and 6 the other way
		{"an all-to-all between slow halves", "mesh:4x2", "blocks:2x2,hop=3,flit=5", nil, Exchange, 23*5 + 3 + 1},
		{"stalls", "path:2", "0-1,hop=9", []string{"buffer", "4", "vcs", "1"}, func(topo *topology.Topology, m machine.Machine, _ []int) Proven {
			return Gather(topo, m, 0, []int{0, 9})
		}, 2*10 + 9 + 1}, // 4 flits in 10 cycles
	} {
		t.Run(row.name, func(t *testing.T) {
			topo, err := topology.Parse(row.spec)
			require.NoError(t, err)
			lengths := slices.Repeat([]int{3}, topo.Nodes())
			got := row.bound(topo, slowMachine(t, row.links, row.settings...), lengths)
			require.Equal(t, row.want, got.Cycles, got.Arguments())
		})
	}
}

// A flow exists if and only if each set of routers, PEs and channels lets the words out; all sets of small networks are tried, with distances by Floyd and Warshall, and flits counted one by one.
func TestSlowFlowsAgainstAllCuts(t *testing.T) {
	for seed := range soak.Number[uint64](40, 300) {
		random := rand.New(rand.NewPCG(seed, 0x736c6f77))
		topo := randomGraph(t, random, 2+random.IntN(3))
		var specs []string
		for link := range topo.EachLink() {
			specs = append(specs, fmt.Sprintf("%d>%d,hop=%d,flit=%d", link.From, link.To, 1+random.IntN(6), 1+random.IntN(4)))
		}
		m := slowMachine(t, strings.Join(specs, " "), "ports", []string{"all", "single"}[random.IntN(2)], "nic.channels", []string{"1", "links"}[random.IntN(2)],
			"buffer", []string{"1", "2", "64"}[random.IntN(3)])
		sources, sinks := make([]int, topo.Nodes()), make([]int, topo.Nodes())
		for range 1 + random.IntN(9) {
			from := random.IntN(len(sources))
			sources[from]++
			sinks[(from+1+random.IntN(len(sinks)-1))%len(sinks)]++
		}
		s := newSlowNet(topo, m)
		got := s.flow(sources, sinks, 1)
		require.False(t, cutsAllow(s, m.Ports, sources, sinks, got-1) && got > 1, "seed %d", seed)
		require.True(t, cutsAllow(s, m.Ports, sources, sinks, got), "seed %d", seed)
	}
}

// cutsAllow tries all cuts of a flow.
func cutsAllow(s *slowNet, ports machine.Regime, sources, sinks []int, time router.Cycle) bool {
	nodes := len(sources)
	distance := make([][]router.Cycle, nodes)
	for a := range distance {
		distance[a] = slices.Repeat([]router.Cycle{far}, nodes)
		distance[a][a] = 0
	}
	for _, w := range s.ways {
		if w.tail != w.head {
			distance[w.tail][w.head] = w.hop
		}
	}
	for k := range nodes {
		for a := range nodes {
			for b := range nodes {
				distance[a][b] = min(distance[a][b], distance[a][k]+distance[k][b])
			}
		}
	}
	near := func(words []int, of func(n int) router.Cycle) router.Cycle {
		least := far
		for n, count := range words {
			if count > 0 {
				least = min(least, of(n))
			}
		}
		return least
	}
	room := make([]int64, len(s.ways))
	for i, w := range s.ways {
		from, to := near(sources, func(n int) router.Cycle { return distance[n][w.tail] }), near(sinks, func(n int) router.Cycle { return distance[w.head][n] })
		switch {
		case w.tail != w.head:
		case w.begin == s.in(w.tail): // comes over a link
			from = far
			for _, l := range s.ways {
				if l.tail != l.head && l.head == w.tail {
					from = min(from, l.hop+near(sources, func(n int) router.Cycle { return distance[n][l.tail] }))
				}
			}
		default: // goes over a link
			to = far
			for _, l := range s.ways {
				if l.tail != l.head && l.tail == w.tail {
					to = min(to, l.hop+near(sinks, func(n int) router.Cycle { return distance[l.head][n] }))
				}
			}
		}
		for flit, at := router.Cycle(0), s.first+from; at+w.hop+to+s.flit <= time; {
			room[i] += w.width
			at += w.pace
			if flit++; w.stall > 0 && flit%w.burst == 0 {
				at += w.stall
			}
		}
	}
	total := int64(sumOf(sources))
	for side := range 1 << (3 * nodes) { // bit: with the sink
		with := func(x int32) bool { return side>>x&1 == 1 }
		sum := int64(0)
		for n := range router.NodeID(nodes) {
			if with(s.pe(n)) {
				sum += int64(sources[n])
			} else {
				sum += int64(sinks[n])
			}
			if ports != machine.SinglePort && !with(s.in(n)) && with(s.out(n)) {
				sum += total
			}
		}
		for i, w := range s.ways {
			if !with(w.begin) && with(w.end) {
				sum += room[i]
			}
		}
		if sum < total {
			return false
		}
	}
	return true
}
