// SPDX-License-Identifier: Apache-2.0

package symmetries

import (
	"meshwright/firmware/plan"
	"meshwright/router"
)

// KeepsRoutes reports whether a symmetry brings routes to routes.
func KeepsRoutes(t *plan.Task, pairs *plan.Pairs, s Symmetry) bool {
	for u := range s {
		for v := range s {
			if u != v && !keepsRoute(t, pairs, s, int32(u), int32(v)) {
				return false
			}
		}
	}
	return true
}

func keepsRoute(t *plan.Task, pairs *plan.Pairs, s Symmetry, u, v int32) bool {
	at, moved := router.NodeID(u), router.NodeID(s[u])
	here, there := pairs.Route(u, v), pairs.Route(s[u], s[v])
	if len(here) != len(there) {
		return false
	}
	for i := range here {
		at, moved = t.Topology.Neighbor(at, here[i]), t.Topology.Neighbor(moved, there[i])
		if router.NodeID(s[at]) != moved {
			return false
		}
	}
	return true
}
