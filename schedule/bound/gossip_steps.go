// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// GossipSteps bounds the time of an all-gather that goes in steps: all messages of a step
// begin together, and the next step begins when all of them have arrived. This is the model of
// Juurlink, Sibeyn and Rao. The bound is sharper than [GossipSlots], since links are idle
// during startups. H steps take H startups, and the links carry the load F(H, 1) of H slots
// (see GossipSlots):
//
//	T >= H (s + hop - 1) + f * ceil(W * F(H, 1) / C) + 1.
//
// The bound is the least of this over all H. An all-gather whose startups overlap with other
// messages can be faster. The bound is 0 where GossipSlots is 0.
func GossipSteps(t *topology.Topology, m machine.Machine, words int) router.Cycle {
	if !possible(t, m) || words < 0 {
		return 0
	}
	nodes := t.Nodes()
	if nodes == 1 || words == 0 || !t.IsGrid() || m.PacketSwitched() {
		return 0
	}
	b := newSlots(t, m, words)
	step := b.startup + b.hop - 1
	floor := b.flits(nodes - 1)
	least := router.Cycle(-1)
	for h := sort.Search(nodes, func(h int) bool { return b.reach(h) >= nodes }); ; h++ {
		if least >= 0 && router.Cycle(h)*step+floor+1 >= least {
			return least
		}
		load := b.load(h, 1)
		if time := router.Cycle(h)*step + b.flits(load) + 1; least < 0 || time < least {
			least = time
		}
		if load <= nodes-1 {
			return least
		}
	}
}
