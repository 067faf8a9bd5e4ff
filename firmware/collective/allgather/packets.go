// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/firmware/plan"
	"meshwright/router"
)

// packetGossip is placeByPlace on machines that switch packets: every message is
// one packet, from neighbour to neighbour, and none waits in a chip.
func packetGossip(t *plan.Task) (*plan.Plan, error) {
	largest := 0
	for n := range router.NodeID(len(t.Lengths)) {
		for d := range t.Topology.Dims {
			for _, s := range lineOf(t, n, d).blocks {
				largest = max(largest, s.words())
			}
		}
	}
	if err := t.FitPackets(largest); err != nil {
		return nil, err
	}
	if t.IndependentLinks() {
		return gossipBoth(t), nil
	}
	return gossipTurns(t), nil
}
