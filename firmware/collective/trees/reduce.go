// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
)

// Ring lets segments go round.
func Ring(t *plan.Task) (*plan.Plan, error) {
	words := t.Lengths[0]
	if err := t.NeedParts(len(t.Lengths)); err != nil { // a segment for each node goes around twice
		return nil, err
	}
	return settled(t, sendtree.RingAllReduce(t.Topology, t.Machine, words))
}
