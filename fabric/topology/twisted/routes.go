// SPDX-License-Identifier: Apache-2.0

package twisted

import "meshwright/router"

// A route to the node with a difference of δ is a pair of signed numbers of steps, along x and along
// y, that add up to δ. Translations make routes between all nodes those from node 0. Of the shortest
// pairs of δ routes take one with the fewest steps along x, of two such the one with steps in the
// + direction. Steps may be taken in any order: a shortest pair of δ without one of its steps is a
// shortest pair of the node before. Two things follow.
//
//   - The fewest steps along x are one more than those of the node before along x, or those of the node before along
//     y, whichever is less; only nodes before that are one step nearer to node 0 count.
//   - A message never turns back, nor from y to x. Suppose that after a step along +x the rest began with a
//     step along -x: without both, the route would be two steps shorter than the shortest. And a rest
//     with fewer steps along x than the pair of δ less one would give δ a pair with fewer.
//
// So a message goes along one ring of x, and then along one ring of y, each at most half way round.
// It crosses at most one dateline in each. With a pair of virtual channels, the second one
// from the dateline on, no circle of channels can wait (Dally and Seitz, 1987).

// routes returns the first port of the route from node 0 to each node.
func (t *Torus) routes() []router.Port {
	distance, order := t.distances()
	alongX := make([]int32, t.Nodes()) // the fewest steps of a shortest route
	first := make([]router.Port, t.Nodes())
	first[0] = router.Here
	for _, n := range order[1:] {
		alongX[n] = int32(t.Nodes())
		for p := router.Port(Ports - 1); p >= 0; p-- {
			before := t.Neighbor(n, p^1)
			if distance[before] >= distance[n] {
				continue
			}
			steps := alongX[before]
			if p < 2 {
				steps++
			}
			// Ports fall, so that the last of equal ones is along x, in the + direction.
			if steps <= alongX[n] {
				alongX[n], first[n] = steps, p
			}
		}
	}
	return first
}

// distances returns the distance of each node from node 0, and the nodes in the order of their distances.
func (t *Torus) distances() (distance []int32, order []router.NodeID) {
	distance, order = make([]int32, t.Nodes()), make([]router.NodeID, 1, t.Nodes())
	for i := 0; i < len(order); i++ {
		for p := range router.Port(Ports) {
			n := t.Neighbor(order[i], p)
			if n != 0 && distance[n] == 0 {
				distance[n] = distance[order[i]] + 1
				order = append(order, n)
			}
		}
	}
	return distance, order
}
