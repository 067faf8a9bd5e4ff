// SPDX-License-Identifier: Apache-2.0

package bound

import "meshwright/router"

// AnyOrder returns bounds of the time that a scatter along a tree takes, for every order of
// dispatch. With M flits in all and messages to depths d
//
//	max(M, max d) <= time <= M + max d
//
// (Bhatt, Pucci, Ranade, Rosenberg, proposition 1). The root sends without a pause over a
// single port, a flit and a hop take a cycle, and nothing waits on the way. Depths and lengths
// are by node; nodes without a message do not count.
func AnyOrder(depth []int32, lengths []int) (least, most router.Cycle) {
	if len(depth) < len(lengths) {
		return 0, 0
	}
	flits, deepest := router.Cycle(0), router.Cycle(0)
	for n, length := range lengths {
		if length > 0 {
			flits += router.Cycle(length)
			deepest = max(deepest, router.Cycle(depth[n]))
		}
	}
	return max(flits, deepest), flits + deepest
}
