// SPDX-License-Identifier: Apache-2.0

package combine

import (
	"math/bits"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Onward gives, for every step, the next node of the block from one node to another.
// The block may stay at its node.
type Onward struct {
	Steps int
	next  func(step int, from, at, to router.NodeID) router.NodeID
}

// Direct sends every block straight to its destination.
func Direct() Onward {
	return Onward{1, func(_ int, _, _, to router.NodeID) router.NodeID { return to }}
}

// Pairwise sends every block straight to its destination, in step i to the node whose number is
// i+1 higher, modulo their number.
func Pairwise(nodes int) Onward {
	return Onward{nodes - 1, func(step int, from, at, to router.NodeID) router.NodeID {
		if ahead(from, to, nodes) == step+1 {
			return to
		}
		return at
	}}
}

// Radix2 writes the distance of a block, the difference of the nodes' numbers modulo their number, in
// binary. In step i the blocks whose digit i is 1 move on by 2^i (Bruck, Ho, Kipnis, Upfal,
// Weathersby: Efficient algorithms for all-to-all communications in multiport message-passing
// systems, 1997).
func Radix2(nodes int) Onward {
	return Onward{bits.Len(uint(nodes - 1)), func(step int, from, at, to router.NodeID) router.NodeID {
		if ahead(from, to, nodes)>>step&1 == 0 {
			return at
		}
		return router.NodeID((int(at) + 1<<step) % nodes)
	}}
}

// ahead is how much higher the number of to is than that of from, modulo the number of nodes.
func ahead(from, to router.NodeID, nodes int) int { return (int(to-from) + nodes) % nodes }

// Dimensions moves blocks along one dimension of a grid after the other. In a dimension
// every block goes to the node of its line that has the destination's coordinate; the
// blocks for the same node form one message. A node sends side-1 messages for each
// dimension, instead of one to every other node.
//
// With more than one colour, blocks of different colours begin with different
// dimensions, so that the links of several dimensions work at once.
func Dimensions(t *topology.Topology, colours int) Onward {
	one := func(*topology.Topology, int, int) int { return 1 }
	axes := t.Axes()
	return perAxis(t, colours, one, func(_, axis int, _, at, to router.NodeID) router.NodeID {
		return axes[axis].Move(at, axes[axis].Coordinate(to))
	})
}

// Halving cuts every line of an axis into halves, then cuts the halves again, until the
// sections are single nodes; then it does the same for the next axis. At each cut a node
// sends a partner in the other half all blocks for that half. So a node pays a startup
// for every binary digit of each side. (When the halves are not equal, the last node of
// the shorter half has two partners, and sends to one of them.) On networks without axes
// the line is an order of all nodes. For colours see Dimensions.
func Halving(t *topology.Topology, order []router.NodeID, colours int) Onward {
	if t.IsGrid() {
		axes := t.Axes()
		return perAxis(t, colours, halvings, func(step, axis int, from, at, to router.NodeID) router.NodeID {
			a := axes[axis]
			return a.Move(at, halve(a.Size, step, a.Coordinate(at), a.Coordinate(to)))
		})
	}
	rank := make([]int, len(order))
	for i, n := range order {
		rank[n] = i
	}
	return Onward{halvings(t, 0, len(order)), func(step int, _, at, to router.NodeID) router.NodeID {
		return order[halve(len(order), step, rank[at], rank[to])]
	}}
}

// Bruck writes the distance of a block along a ring in balanced ternary: each digit is
// -1, 0 or 1, times a power of three. In step i a block moves by digit i. So a node sends
// two messages for each digit, one in each direction (after Bruck, Ho, Kipnis, Upfal,
// Weathersby). Dimensions without a ring are halved. For colours see Dimensions.
func Bruck(t *topology.Topology, colours int) Onward {
	axes := t.Axes()
	steps := func(t *topology.Topology, axis, size int) int {
		if !t.Wrap[axis] {
			return halvings(t, axis, size)
		}
		digits := 0
		for reach := 0; reach < size/2; reach = 3*reach + 1 {
			digits++
		}
		return digits
	}
	return perAxis(t, colours, steps, func(step, axis int, from, at, to router.NodeID) router.NodeID {
		a := axes[axis]
		p, q := a.Coordinate(at), a.Coordinate(to)
		if !a.Wrap {
			return a.Move(at, halve(a.Size, step, p, q))
		}
		way := (q - a.Coordinate(from) + a.Size) % a.Size
		if 2*way > a.Size {
			way -= a.Size
		}
		hop := digit(way, step)
		for range step {
			hop *= 3
		}
		return a.Move(at, (p+hop%a.Size+a.Size)%a.Size)
	})
}

// perAxis runs the steps of one axis after the other. Blocks of colour c begin with axis c.
func perAxis(t *topology.Topology, colours int, steps func(t *topology.Topology, axis, size int) int,
	next func(step, axis int, from, at, to router.NodeID) router.NodeID,
) Onward {
	type turn struct{ axis, step int }
	plans := make([][]turn, max(1, colours))
	for c := range plans {
		for k := range t.Dims {
			axis := (k + c) % len(t.Dims)
			for step := range steps(t, axis, t.Dims[axis]) {
				plans[c] = append(plans[c], turn{axis, step})
			}
		}
	}
	axes := t.Axes()
	return Onward{len(plans[0]), func(step int, from, at, to router.NodeID) router.NodeID {
		turn := plans[colour(axes, from, to, len(plans))][step]
		return next(turn.step, turn.axis, from, at, to)
	}}
}

// colour returns the colour of a block. It depends only on the block's offset.
func colour(axes []topology.Axis, from, to router.NodeID, colours int) int {
	if colours == 1 {
		return 0
	}
	sum := 0
	for _, a := range axes {
		sum += (a.Coordinate(to) - a.Coordinate(from) + a.Size) % a.Size
	}
	return sum % colours
}

// halvings returns how often a line can be halved.
func halvings(_ *topology.Topology, _, size int) int {
	steps := 0
	for ; size > 1; size = (size + 1) / 2 {
		steps++
	}
	return steps
}

// halve returns the next place of a block that is at place p of a line and goes to place
// q. After the given number of steps p and q are in one section of the line; halve cuts
// this section into halves.
func halve(size, step, p, q int) int {
	low, high := 0, size
	for range step {
		if middle := (low + high + 1) / 2; p < middle {
			high = middle
		} else {
			low = middle
		}
	}
	middle := (low + high + 1) / 2
	switch {
	case high-low == 1 || (p < middle) == (q < middle):
		return p
	case p < middle:
		return min(middle+p-low, high-1)
	default:
		return low + p - middle
	}
}

// digit returns a digit of a number in balanced ternary: -1, 0 or 1.
func digit(number, place int) int {
	for {
		d := (number%3+4)%3 - 1 // 0, 1, 2 are 0, 1, -1
		if place == 0 {
			return d
		}
		number, place = (number-d)/3, place-1
	}
}
