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

func dearestOf(t *testing.T, topo *topology.Topology, ports machine.Regime, lengths []int) router.Cycle {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Ports = ports
	return newExchanged(topo, m, lengths).dearest()
}

// On trees the narrowest cut is the best flow; prices come close to it, and never above. On networks that look the same from everywhere nothing is looked for.
func TestPricesOfTreesAreTheirCuts(t *testing.T) {
	for _, spec := range []string{"path:2", "path:9", "binary:3", "comb:4x3", "random-tree:17,5", "hub:7"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		lengths := slices.Repeat([]int{3}, topo.Nodes())
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		cut, got := newExchanged(topo, m, lengths).cuts(), dearestOf(t, topo, machine.AllPort, lengths)
		if got == 0 {
			require.Equal(t, "path:2", spec) // it is complete
			continue
		}
		if topo.Kind == topology.Tree {
			require.LessOrEqual(t, got, cut, spec)
		}
		require.GreaterOrEqual(t, float64(got), 0.9*float64(cut), spec)
	}
	for _, spec := range []string{"ring:9", "torus:4x4", "hypercube:4", "complete:6", "star:4"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		require.Zero(t, dearestOf(t, topo, machine.AllPort, slices.Repeat([]int{3}, topo.Nodes())), spec)
	}
}

// No routes are better than the best prices say: every word of a random graph goes a random route, and the busiest link or port takes at least as long.
func TestNoRoutesAreBelowTheirPrices(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0x66656573))
		topo := randomGraph(t, random, 3+random.IntN(8))
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = random.IntN(4)
		}
		for _, ports := range []machine.Regime{machine.AllPort, machine.SinglePort} {
			busy := busiest(topo, random, ports, lengths)
			require.LessOrEqual(t, dearestOf(t, topo, ports, lengths), router.Cycle(busy)+1, "seed %d, ports %s", seed, ports)
		}
	}
}

// busiest is the most words over a link, or into or out of a node with one port, when the words of each source follow a random shortest tree.
func busiest(topo *topology.Topology, random *rand.Rand, ports machine.Regime, lengths []int) int {
	words := map[[2]int]int{}
	for root := range lengths {
		parent, order := make([]int, len(lengths)), []int{root}
		for n := range parent {
			parent[n] = -1
		}
		parent[root] = root
		for i := 0; i < len(order); i++ {
			at := router.NodeID(order[i])
			for _, p := range random.Perm(topo.Ports(at)) {
				if v := topo.Neighbor(at, router.Port(p)); v != router.None && parent[v] < 0 {
					parent[v] = int(at)
					order = append(order, int(v))
				}
			}
		}
		for _, to := range order[1:] {
			for v := to; v != root; v = parent[v] {
				if ports == machine.SinglePort {
					words[[2]int{parent[v], -1}] += lengths[root]
					words[[2]int{-1, v}] += lengths[root]
				} else {
					words[[2]int{parent[v], v}] += lengths[root]
				}
			}
		}
	}
	most := 0
	for _, w := range words {
		most = max(most, w)
	}
	return most
}
