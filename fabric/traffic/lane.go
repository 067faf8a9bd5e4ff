// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"meshwright/fabric"
	"meshwright/router"
)

// OneLane returns the lane, of several, that all packets of a pattern are in; ok is false if they are in more than one, or chance chooses destinations.
func OneLane(p Pattern, lanes int) (lane int, ok bool) {
	fixed, ok := p.(*permutation)
	if !ok || lanes < 2 {
		return 0, false
	}
	lane = -1
	for n, to := range fixed.to {
		from := router.NodeID(n)
		if from == to {
			continue
		}
		of := fabric.LaneOf(from, to, lanes)
		if lane >= 0 && lane != of {
			return 0, false
		}
		lane = of
	}
	return lane, true
}
