// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// ReduceScatter bounds the time in which each of N nodes gets the sum of its piece of W words of every
// node; the pieces are as equal as the words allow. Let s be the startup, f the cycles of a flit and h
// the cycles of a hop. The bound is the largest of three bounds:
//
//   - Every node gets the sum of its piece, as in a Reduce.
//   - A node adds something to the pieces of all others, so at least W less its piece flits leave it,
//     over all its channels or its port: T >= s + h + f*ceil(flits/channels).
//   - Each of the W places needs N-1 messages of at least one flit, since in the end one node has what
//     N nodes had. Each message needs f cycles of an ejection channel, none before cycle s + h.
func ReduceScatter(t *topology.Topology, m machine.Machine, words int) router.Cycle {
	if !possible(t, m) || words < 0 {
		return 0
	}
	nodes := t.Nodes()
	if words == 0 || nodes == 1 {
		return 0
	}
	best, all := router.Cycle(0), 0
	first, flit := lead(&m)+router.Cycle(m.Hop), router.Cycle(m.Flit)
	for n := range nodes {
		at := router.NodeID(n)
		piece := words*(n+1)/nodes - words*n/nodes
		all += gates(t, m, at)
		best = max(best, first+flit*share(router.Cycle(words-piece), gates(t, m, at)))
		if nodes <= maxRoots || n == nodes-1 {
			best = max(best, Reduce(t, m, at, piece))
		}
	}
	flits := router.Cycle(nodes-1) * router.Cycle(words)
	return max(best, first+flit*share(flits, all))
}
