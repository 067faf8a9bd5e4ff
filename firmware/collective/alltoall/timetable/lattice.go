// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// lattice is a network in which every node looks like every other: a product of
// rings, and of pairs of nodes where a dimension has only two. A node's place
// as seen from another is an offset, numbered like a node; node b is at offset
// b - a of a, coordinate by coordinate, modulo the sides. A direction is one of
// the links of a node, the same at all nodes.
type lattice struct {
	dims       []int
	axes       []topology.Axis
	nodes      int
	directions []direction
	hops       []int32   // by offset: its distance
	ahead      [][]int32 // by offset and direction: the offset that is left after that hop, -1: not a shortest route
	share      [][]int32 // by offset and direction: twice the expected hops in that direction
}

// direction is a step of +1 or -1 along a dimension.
type direction struct {
	dim, step int
	letter    byte
}

// letters name the directions: capital letters lead in + direction. The
// side of two nodes has one direction, the capital letter.
const letters = "XxYyZzWwVvUuTtSsRrQqPpOoNnMmLlKkJjIiHhGgFfEeDdCcBbAa"

// newLattice returns the lattice of a topology, nil when it is none.
func newLattice(t *topology.Topology) *lattice {
	if !t.IsGrid() || t.Nodes() < 2 || 2*len(t.Dims) > len(letters) {
		return nil
	}
	l := &lattice{dims: t.Dims, axes: t.Axes(), nodes: t.Nodes()}
	for d, size := range t.Dims {
		if size > 2 && !t.Wrap[d] {
			return nil
		}
		if size > 1 {
			l.directions = append(l.directions, direction{d, +1, letters[2*d]})
		}
		if size > 2 {
			l.directions = append(l.directions, direction{d, -1, letters[2*d+1]})
		}
	}
	l.measure()
	return l
}

// measure fills in the tables by offset.
func (l *lattice) measure() {
	l.hops = make([]int32, l.nodes)
	l.ahead = make([][]int32, l.nodes)
	l.share = make([][]int32, l.nodes)
	for v := range l.nodes {
		l.ahead[v] = make([]int32, len(l.directions))
		l.share[v] = make([]int32, len(l.directions))
		for _, axis := range l.axes {
			at := axis.Coordinate(router.NodeID(v))
			l.hops[v] += int32(min(at, axis.Size-at))
		}
		for k, to := range l.directions {
			l.ahead[v][k], l.share[v][k] = l.toward(router.NodeID(v), to)
		}
	}
}

// toward returns the offset left of v after a hop, and twice the hops in that
// direction that all shortest routes have on average.
func (l *lattice) toward(v router.NodeID, to direction) (left, share int32) {
	axis := l.axes[to.dim]
	size, x := axis.Size, axis.Coordinate(v)
	way := x // hops to go in this direction
	if to.step < 0 {
		way = (size - x) % size
	}
	switch {
	case way == 0 || 2*way > size:
		return -1, 0
	case 2*way == size && size > 2:
		share = int32(way)
	default:
		share = int32(2 * way)
	}
	next := x - to.step
	if next == size {
		next = 0
	}
	return int32(axis.Move(v, next)), share
}
