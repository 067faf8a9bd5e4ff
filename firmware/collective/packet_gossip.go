// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// packetGossip is gridGossip on machines that switch packets: every message is
// one packet, from neighbour to neighbour, and none waits in a chip.
func (t *task) packetGossip() (*Plan, error) {
	if t.Packets != nil || t.Split != "" {
		return nil, input.Errorf("expected none: a gossip combines messages, each into one packet", "packets for a gossip")
	}
	largest := 0
	for n := range router.NodeID(len(t.Lengths)) {
		for d := range t.Topology.Dims {
			for _, s := range t.lineOf(n, d).blocks {
				largest = max(largest, s.words())
			}
		}
	}
	if err := t.fitPackets(largest); err != nil {
		return nil, err
	}
	p := t.gossipTurns()
	return p, nil
}

// maxGossipNodes bounds the nodes at which a gossip is looked at.
const maxGossipNodes = 64

// packetGossipBound looks at all nodes, or at some in large networks. The words
// from k links away and more may come in one packet, but the first of them
// pays set-up and flit on k links, and the others follow one after the other.
func (t *task) packetGossipBound() router.Cycle {
	best, nodes := router.Cycle(0), len(t.Lengths)
	if t.count == 0 || nodes == 1 {
		return 0
	}
	for n := 0; n < nodes; n += 1 + nodes/maxGossipNodes {
		tree := topology.BreadthFirst(t.Topology, router.NodeID(n))
		words := router.Cycle(0)
		for i := nodes - 1; i > 0; i-- { // the furthest first
			from := tree.Order[i]
			if words += t.length(from); words > 0 {
				best = max(best, router.Cycle(tree.Depth[from])*t.cost(1)+(words-1)*router.Cycle(t.Machine.FlitTicks()))
			}
		}
	}
	return best + router.Cycle(t.Machine.StartupTicks())
}
