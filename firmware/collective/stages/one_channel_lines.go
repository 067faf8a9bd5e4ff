// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// lines returns the nodes of every line along a dimension, in its order.
func lines(t *topology.Topology, axis int) [][]router.NodeID {
	along := t.Axis(axis)
	all := make([][]router.NodeID, 0, t.Nodes()/along.Size)
	for n := range router.NodeID(t.Nodes()) {
		if along.Coordinate(n) != 0 {
			continue
		}
		line := make([]router.NodeID, along.Size)
		for i := range line {
			line[i] = along.Move(n, i)
		}
		all = append(all, line)
	}
	return all
}

// throughAll lists all nodes so that each is a neighbour of the one before;
// closed: and the last of the first.
func throughAll(t *topology.Topology) (nodes []router.NodeID, closed bool) {
	if len(t.Dims) == 1 {
		return lines(t, 0)[0], t.Wrap[0]
	}
	if nodes = topology.HamiltonianCycle(t); nodes != nil {
		return nodes, true
	}
	return topology.HamiltonianPath(t), false
}

// ringOf returns the places of a line in the order in which messages go round.
// On a line that is not closed every other one is left out on the way there
// and visited on the way back, so that no link is used twice in a direction
// and no message passes more than one place.
func ringOf[T any](places []T, closed bool) []T {
	if closed || len(places) < 3 {
		return places
	}
	ring := make([]T, 0, len(places))
	for i := 0; i < len(places); i += 2 {
		ring = append(ring, places[i])
	}
	for i := len(places) - 1 - len(places)%2; i > 0; i -= 2 {
		ring = append(ring, places[i])
	}
	return ring
}

// between splits n places into k groups as evenly as can be: it returns where
// they begin, and n.
func between(n, k int) []int {
	bounds := make([]int, k+1)
	for i := range bounds {
		bounds[i] = n * i / k
	}
	return bounds
}
