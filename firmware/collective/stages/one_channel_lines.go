// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

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

// ThroughAll lists all nodes so that each is a neighbour of the one before;
// closed: and the last of the first. It does so to and fro along the lowest
// dimension, and so on; with two dimensions of which one is even, the first
// column (or row) is kept for the way back.
func ThroughAll(t *topology.Topology) (nodes []router.NodeID, closed bool) {
	if len(t.Dims) == 1 {
		return lines(t, 0)[0], t.Wrap[0]
	}
	if len(t.Dims) == 2 && t.Dims[0] > 1 && t.Dims[1] > 1 {
		switch {
		case t.Dims[1]%2 == 0:
			return cycle(t.Axis(0), t.Axis(1)), true
		case t.Dims[0]%2 == 0:
			return cycle(t.Axis(1), t.Axis(0)), true
		}
	}
	nodes = []router.NodeID{0}
	for _, axis := range t.Axes() {
		plane := nodes
		for i := 1; i < axis.Size; i++ {
			plane = slices.Clone(plane)
			slices.Reverse(plane)
			for k := range plane {
				plane[k] = axis.Move(plane[k], i)
			}
			nodes = append(nodes, plane...)
		}
	}
	return nodes, false
}

// cycle visits the nodes of a plane with axes x and y, of an even number of rows: to
// and fro over x = 1 to the last, and back along x = 0.
func cycle(x, y topology.Axis) []router.NodeID {
	nodes := []router.NodeID{0}
	for row := range y.Size {
		first := y.Move(0, row)
		for i := 1; i < x.Size; i++ {
			at := i
			if row%2 == 1 {
				at = x.Size - i
			}
			nodes = append(nodes, x.Move(first, at))
		}
	}
	for row := y.Size - 1; row > 0; row-- {
		nodes = append(nodes, y.Move(0, row))
	}
	return nodes
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
