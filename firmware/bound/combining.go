// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// CombiningScatter bounds the time in which every node gets its block from the
// root when a message may carry the blocks of several nodes and others may pass
// them on; lengths are by node, the root's is ignored. Scatter's argument holds
// but for the startups between messages, of which the root may need one a
// channel only; and the nodes that have got something multiply as in a
// broadcast (see Broadcast): all with a block and the root come to N, and the
// last one is no sooner than t(N).
func CombiningScatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	r := reach(t, root)
	takers := 0
	for n, d := range r.distance {
		if d > 0 && lengths[n] > 0 {
			takers++
		}
	}
	if takers == 0 {
		return 0
	}
	best := max(r.gather(t, m, root, lengths), r.cuts(t, m, lengths))
	return max(best, informed(t, m, takers+1, max(router.Cycle(m.Flit), router.Cycle(m.Startup)+1))+1)
}

// CombiningExchange is Exchange, and what holds when parcels may be combined at
// will: the words of one node have to come to all N, as in a broadcast of one
// word (see Broadcast), so that there is no end before t(N).
func CombiningExchange(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	best := Exchange(t, m, lengths)
	if best == 0 {
		return 0
	}
	return max(best, informed(t, m, t.Nodes(), max(router.Cycle(m.Flit), router.Cycle(m.Startup)+1))+1)
}
