// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// upDown enters routes into next-hop tables, which are free of deadlock on any network (up*/down*: Schroeder et al., Autonet, 1991). A
// breadth-first tree from the network's root numbers the nodes. A link to a node with a lower number goes up, the other direction down. A route
// goes up some links and then down some, never up again:
//
//	         0
//	up ^    / \    v down      3 > 1 > 4 is a route; 3 > 5 > 4, through a node below both, is none
//	       1   2
//	      / \   \
//	     3   4   6
//	      \ /
//	       5
//
// In a circle of channels that wait for one another some channel would lead down and the next up.
//
// The next hop depends on the destination alone: a chip that can reach it downwards goes down, by the shortest route, and no chip after it goes up; others go up,
// to the neighbour from which the route is shortest. Among equals the lowest-numbered port wins.
//
// Around known faults the routes are those of what these leave of the network. The routes from and to dead nodes stay as they are.
func upDown(t *topology.Topology, around *Around, table *router.Table) {
	nodes := t.Nodes()
	order := around.breadthFirst(t, around.firstLive(t.Root), false, nil)
	place := make([]int, nodes)
	for i, n := range order {
		place[n] = i
	}
	links := make([]int, nodes) // to the destination, by the route of the table; -1: none downwards
	down := make([]bool, nodes)
	for _, to := range order {
		for n := range links {
			links[n], down[n] = -1, false
		}
		links[to], down[to] = 0, true
		for i := place[to] - 1; i >= 0; i-- { // who comes down to it, the nodes just above it first
			at := order[i]
			if p, far := nearest(t, around, at, func(next router.NodeID) bool { return place[next] > i && down[next] }, links); p != router.Here {
				table.Set(at, to, p)
				links[at], down[at] = far, true
			}
		}
		for i, at := range order { // the others go up, to nodes whose routes are known
			if down[at] {
				continue
			}
			p, far := nearest(t, around, at, func(next router.NodeID) bool { return place[next] < i }, links)
			table.Set(at, to, p)
			links[at] = far
		}
	}
}

// nearest returns the port to the neighbour of some that is nearest to the destination, and the links from there on and to there; Here if there is none.
func nearest(t *topology.Topology, around *Around, at router.NodeID, some func(router.NodeID) bool, links []int) (best router.Port, far int) {
	best = router.Here
	for p := range router.Port(t.Ports(at)) {
		next := t.Neighbor(at, p)
		if next == router.None || !around.uses(at, next) || !some(next) || links[next] < 0 {
			continue
		}
		if best == router.Here || links[next]+1 < far {
			best, far = p, links[next]+1
		}
	}
	return best, far
}
