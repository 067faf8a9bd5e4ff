// SPDX-License-Identifier: Apache-2.0

package collective

import (
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
	var err error
	p.LowerBound, err = t.packetGossipBound()
	return p, err
}

// maxGossipRoots bounds the nodes for which a gossip is bounded.
const maxGossipRoots = 64

// packetGossipBound bounds a gossip by gathers to single nodes: all of them, or
// some in large networks.
func (t *task) packetGossipBound() (router.Cycle, error) {
	best, nodes := router.Cycle(0), len(t.Lengths)
	if t.count == 0 || nodes == 1 {
		return 0, nil
	}
	for n := 0; n < nodes; n += 1 + nodes/maxGossipRoots {
		b, err := t.packetBoundAt(router.NodeID(n))
		if err != nil {
			return 0, err
		}
		best = max(best, b)
	}
	return best + router.Cycle(t.Machine.StartupTicks()), nil
}
