// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Line is the nodes along one axis: places 0 to Size-1.
type Line struct {
	Size int
	Ring bool // place Size-1 is next to place 0
}

// Grid lists the axes of a grid, without axes of a single node.
type Grid []Axis

// Axis is one dimension of a grid.
type Axis struct {
	Line
	Stride int // from a node's number to that of the next place
}

// GridOf returns the axes of a topology that has some.
func GridOf(t *topology.Topology) Grid {
	if t == nil || !t.IsGrid() || t.Valid() != nil {
		return nil
	}
	var g Grid
	for _, axis := range t.Axes() {
		if axis.Size > 1 {
			g = append(g, Axis{Line{axis.Size, axis.Wrap}, axis.Stride})
		}
	}
	return g
}

// place returns the place of a node along the axis.
func (a *Axis) place(n int) int {
	return topology.Axis{Size: a.Size, Stride: a.Stride, Wrap: a.Ring}.Coordinate(router.NodeID(n))
}

// Nodes returns the number of nodes.
func (g Grid) Nodes() int {
	nodes := 1
	for _, a := range g {
		nodes *= a.Size
	}
	return nodes
}

// sides returns the least and the greatest number of places of an axis.
func (g Grid) sides() (least, most int) {
	for i, a := range g {
		if i == 0 || a.Size < least {
			least = a.Size
		}
		most = max(most, a.Size)
	}
	return least, most
}

// wrap returns the place of x, which may lie outside of a ring's 0 to Size-1.
func (l Line) wrap(x int) int { return ((x % l.Size) + l.Size) % l.Size }

// gaps returns how many gaps there are between so many bridgeheads.
func (l Line) gaps(heads int) int {
	if l.Ring {
		return heads
	}
	return heads - 1
}

// next returns the place of the bridgehead behind the i-th of a rising list,
// as a number greater than its own; there is none behind the last of a path.
func (l Line) next(heads []int, i int) int {
	if i+1 < len(heads) {
		return heads[i+1]
	}
	return heads[0] + l.Size
}

// width returns the largest gap of `heads` bridgeheads that stand as evenly as
// they can: round a ring from place 0 on; along a path from end to end, so that
// everything that comes later is between two of them.
func (l Line) width(heads int) int {
	if l.Ring {
		return ceil(l.Size, heads)
	}
	return ceil(l.Size-1, heads-1)
}

// crowded reports whether so many bridgeheads would stand so far apart that a
// message to the left of the ring could take the way to the right: half the
// ring is routed to the right. It happens with 3 of 4 places only.
func (l Line) crowded(heads int) bool {
	return l.Ring && heads > 2 && 2*l.width(heads) >= l.Size
}

// even returns the places of so many bridgeheads.
func (l Line) even(heads int) []int {
	places := make([]int, heads)
	for i := range places {
		if l.Ring {
			places[i] = i * l.Size / heads
		} else {
			places[i] = i * (l.Size - 1) / (heads - 1)
		}
	}
	return places
}

// halve cuts a line between its bridgeheads: every place belongs to the nearer
// one, of two equal ones to the left. What lies beyond the first and the last
// bridgehead of a path belongs to them.
func (l Line) halve(heads []int) []Segment {
	segments := make([]Segment, len(heads))
	for i, h := range heads {
		segments[i].Head = h
	}
	for i := range l.gaps(len(heads)) {
		inner := l.next(heads, i) - heads[i] - 1
		segments[i].Right = (inner + 1) / 2
		segments[(i+1)%len(heads)].Left = inner / 2
	}
	if !l.Ring {
		segments[0].Left = heads[0]
		segments[len(heads)-1].Right = l.Size - 1 - heads[len(heads)-1]
	}
	return segments
}

// divide puts bridgeheads into all gaps, as evenly as they can stand, so that
// each gap becomes at most `factor` gaps.
func (l Line) divide(heads []int, factor int) []int {
	var places []int
	for i, h := range heads {
		places = append(places, h)
		if i == len(heads)-1 && !l.Ring {
			break
		}
		gap := l.next(heads, i) - h
		parts := min(gap, factor)
		for j := 1; j < parts; j++ {
			places = append(places, h+j*gap/parts)
		}
	}
	return places
}

func ceil(a, b int) int { return (a + b - 1) / b }
