// SPDX-License-Identifier: Apache-2.0

package gossip

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// lines returns the nodes of every line along a dimension, in its order.
func lines(t *topology.Topology, axis int) [][]router.NodeID {
	stride := 1
	for _, length := range t.Dims[:axis] {
		stride *= length
	}
	length := t.Dims[axis]
	all := make([][]router.NodeID, 0, t.Nodes()/length)
	for n := range t.Nodes() {
		if n/stride%length != 0 {
			continue
		}
		line := make([]router.NodeID, length)
		for i := range line {
			line[i] = router.NodeID(n + i*stride)
		}
		all = append(all, line)
	}
	return all
}

// throughAll lists all nodes so that each is a neighbour of the one before;
// closed: and the last of the first. It does so to and fro along the lowest
// dimension, and so on; with two dimensions of which one is even, the first
// column (or row) is kept for the way back.
func throughAll(t *topology.Topology) (nodes []router.NodeID, closed bool) {
	if len(t.Dims) == 1 {
		return lines(t, 0)[0], t.Wrap[0]
	}
	if len(t.Dims) == 2 && t.Dims[0] > 1 && t.Dims[1] > 1 {
		switch {
		case t.Dims[1]%2 == 0:
			return cycle(t.Dims[0], t.Dims[1], 1, t.Dims[0]), true
		case t.Dims[0]%2 == 0:
			return cycle(t.Dims[1], t.Dims[0], t.Dims[0], 1), true
		}
	}
	nodes = []router.NodeID{0}
	stride := 1
	for _, length := range t.Dims {
		plane := nodes
		for i := 1; i < length; i++ {
			plane = slices.Clone(plane)
			slices.Reverse(plane)
			for k := range plane {
				plane[k] += router.NodeID(stride)
			}
			nodes = append(nodes, plane...)
		}
		stride *= length
	}
	return nodes, false
}

// cycle visits the nodes x·dx + y·dy of a grid, y even in number: to and fro
// over x = 1 to width-1, and back along x = 0.
func cycle(width, height, dx, dy int) []router.NodeID {
	nodes := []router.NodeID{0}
	for y := range height {
		for i := 1; i < width; i++ {
			x := i
			if y%2 == 1 {
				x = width - i
			}
			nodes = append(nodes, router.NodeID(x*dx+y*dy))
		}
	}
	for y := height - 1; y > 0; y-- {
		nodes = append(nodes, router.NodeID(y*dy))
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
