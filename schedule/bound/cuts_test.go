// SPDX-License-Identifier: Apache-2.0

package bound_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// TestCutsAtEveryDistance: no part of the network at some distance or more gets
// its words faster than the links into it carry them.
func TestCutsAtEveryDistance(t *testing.T) {
	above := 0 // what the root's own links say
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 41))
		topo := parse(t, fmt.Sprintf("random:12,2.5,%d", seed))
		m := preset(t, "wormhole", "nic.channels", "links")
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = random.IntN(3) * random.IntN(20)
		}
		root := router.NodeID(random.IntN(topo.Nodes()))
		lengths[root] = 0
		want := cutTwin(topo, root, lengths)
		got := bound.Scatter(topo, m, root, lengths).Cycles
		require.GreaterOrEqual(t, got, want, "seed %d", seed)
		total := 0
		for _, length := range lengths {
			total += length
		}
		if links := topo.Degree(root); got == want && int(want) > (total+links-1)/links+int(slices.Max(topology.BreadthFirst(topo, root).Depth)) {
			above++
		}
	}
	require.Greater(t, above, 50)
}

// cutTwin looks at every part for itself, for a cycle a flit and a hop.
func cutTwin(topo *topology.Topology, root router.NodeID, lengths []int) router.Cycle {
	depth := topology.BreadthFirst(topo, root).Depth
	best := 0
	for k := int32(1); int(k) < topo.Nodes(); k++ {
		seen := make([]bool, topo.Nodes())
		for n := range router.NodeID(topo.Nodes()) {
			if depth[n] < k || seen[n] {
				continue
			}
			words, links := 0, 0
			seen[n] = true
			for part := []router.NodeID{n}; len(part) > 0; part = part[1:] {
				words += lengths[part[0]]
				for p := range router.Port(topo.Ports(part[0])) {
					switch to := topo.Neighbor(part[0], p); {
					case to == router.None:
					case depth[to] < k:
						links++
					case !seen[to]:
						seen[to] = true
						part = append(part, to)
					}
				}
			}
			if words > 0 {
				best = max(best, (words+links-1)/links+int(k))
			}
		}
	}
	return router.Cycle(best)
}

// TestGatherUninformedByHand: the furthest node must be woken, and answers.
func TestGatherUninformedByHand(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		settings   []string
		lengths    []int
		want       router.Cycle
	}{
		{"one node far away", "path:4", nil, []int{0, 0, 0, 1}, 2*3 + 1},
		{"with startups and slow hops", "path:4", []string{"startup", "5", "hop", "2"}, []int{0, 0, 0, 1}, 2*(5+3*2) + 1},
		{"the far ones are few", "path:4", nil, []int{0, 9, 0, 1}, 2*1 + 10},
		{"one port for two branches", "ring:4", nil, []int{0, 4, 0, 4}, 2 + 8},
		{"a port for each branch", "hub:3", []string{"ports", "all", "nic.channels", "links"}, []int{0, 4, 6}, 2 + 6},
		{"nobody has anything, and all are asked", "path:4", nil, []int{0, 0, 0, 0}, 0},
		{"those who have nothing may be asked later", "path:9", nil, []int{0, 1, 0, 0, 0, 0, 0, 0, 0}, 2*1 + 1},
		{"a tree's nodes ask their children in turn", "hub:4", nil, []int{0, 1, 1, 1}, 3 + 1 + 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := preset(t, "bufferless", row.settings...)
			require.Equal(t, row.want, bound.GatherUninformed(parse(t, row.spec), m, 0, row.lengths))
		})
	}
}
