// SPDX-License-Identifier: Apache-2.0

package topology

import "meshwright/router"

// The nodes of a grid are numbered with the first dimension fastest: in a mesh of
// A x B x …, the node at x, y, z … has the number x + A·y + A·B·z …
//
//	y
//	2 | 8  9 10 11
//	1 | 4  5  6  7      mesh:4x3
//	0 | 0  1  2  3
//	  +-------------
//	    0  1  2  3  x
//
// This file is the one home of that rule. (Package router, which stands below, has a
// copy of it in its dimension-order routes; a test holds the two equal.)

// Axis is a dimension of a grid as the numbers of nodes show it. Its methods are for
// the axes of a Topology; they are fast and allocate nothing.
type Axis struct {
	Size   int  // coordinates are 0 to Size-1
	Stride int  // from a node's number to the number of the node at the next coordinate
	Wrap   bool // the last coordinate is next to the first
}

// Coordinate returns the position of a node along the axis.
func (a Axis) Coordinate(n router.NodeID) int { return int(n) / a.Stride % a.Size }

// Move returns the node that differs from n in its coordinate along the axis alone.
func (a Axis) Move(n router.NodeID, coordinate int) router.NodeID {
	return n + router.NodeID((coordinate-a.Coordinate(n))*a.Stride)
}

// Axis returns dimension d; an axis of a single coordinate if there is no such dimension.
func (t *Topology) Axis(d int) Axis {
	if uint(d) >= uint(len(t.Dims)) || d >= len(t.Wrap) {
		return Axis{Size: 1, Stride: 1}
	}
	stride := 1
	for _, size := range t.Dims[:d] {
		stride *= size
	}
	return Axis{t.Dims[d], stride, t.Wrap[d]}
}

// Axes returns all dimensions; none if the nodes have no coordinates.
func (t *Topology) Axes() []Axis {
	axes := make([]Axis, len(t.Dims))
	for d := range axes {
		axes[d] = t.Axis(d)
	}
	return axes
}

// IsGrid reports whether the nodes have coordinates: all kinds but twisted torus, star, tree and
// graph. (On a twisted torus a step along a dimension may change the coordinate of the other one.)
func (t *Topology) IsGrid() bool { return t.Dims != nil }

// Coordinate returns the position of node n along dimension d; 0 if there is no such
// node or dimension.
func (t *Topology) Coordinate(n router.NodeID, d int) int {
	if !t.Has(n) {
		return 0
	}
	return t.Axis(d).Coordinate(n)
}

// Coordinates returns the position of node n along each dimension; all 0 if n
// is no node.
func (t *Topology) Coordinates(n router.NodeID) []int {
	at := make([]int, len(t.Dims))
	for d := range at {
		at[d] = t.Coordinate(n, d)
	}
	return at
}

// At returns the node at a position, which has a coordinate for each dimension;
// router.None if there is no such node.
func (t *Topology) At(position []int) router.NodeID {
	if !t.IsGrid() || len(position) != len(t.Dims) {
		return router.None
	}
	n, stride := 0, 1
	for d, size := range t.Dims {
		if uint(position[d]) >= uint(size) {
			return router.None
		}
		n += position[d] * stride
		stride *= size
	}
	return router.NodeID(n)
}
