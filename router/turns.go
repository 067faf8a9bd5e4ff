// SPDX-License-Identifier: Apache-2.0

package router

import "slices"

// TurnModel says which turns messages do not take on a mesh, so that its links do not depend on one another in a circle.
type TurnModel int

// The turn models (Glass and Ni, 1992; OddEven: Chiu, 2000). NegativeFirst is for meshes of any number of dimensions, the
// others for two.
const (
	WestFirst     TurnModel = iota // no turn to west
	NorthLast                      // no turn from north
	NegativeFirst                  // no turn from a positive direction to a negative one
	OddEven                        // no turn from east in an even column, no turn to west in an odd one
)

// The directions of a mesh of two dimensions: + and - of x, + and - of y.
const (
	East Port = iota
	West
	North
	South
)

// Forbids reports whether a message that came in by port in, so that it moves away from it, must not leave by port out. Column
// is the chip's x. No model has turns by 180 degrees.
func (m TurnModel) Forbids(in, out Port, column int) bool {
	moves := in ^ 1
	switch {
	case out == in:
		return true
	case out == moves:
		return false
	}
	switch m {
	case WestFirst:
		return out == West
	case NorthLast:
		return moves == North
	case NegativeFirst:
		return moves%2 == 0 && out%2 == 1
	}
	if column%2 == 0 {
		return moves == East
	}
	return out == West
}

// Turns routes by the shortest routes without the turns that a model forbids. In every cycle the head of a message
// requests the first of the channels open to it that no message has claimed, or waits for the first of all: so it gets
// that channel when its turn comes, and any other one that is free before. It may stand behind another worm.
type Turns struct {
	Order *DimensionOrder
	Model TurnModel
}

// Next implements Routing: the first port of appendPorts, which does not depend on where the head came in.
func (r *Turns) Next(at NodeID, w *Worm, _ uint32) Port {
	var room [maxUsualDims]Port
	if ports := r.appendPorts(room[:0], at, w.Destination, NoPort); len(ports) > 0 {
		return ports[0]
	}
	return Here
}

// maxUsualDims is the number of dimensions up to which lists of ports need no memory of their own.
const maxUsualDims = 16

func (r *Turns) appendPorts(list []Port, at, to NodeID, in Port) []Port {
	var room [maxUsualDims]Port
	left := r.Order.appendShorter(room[:0], at, to)
	for _, p := range left {
		if r.open(p, left, at, to, in) {
			list = append(list, p)
		}
	}
	return list
}

// open reports whether a message may leave by port p, one of those that shorten its route: the turn is allowed, and no turn that it then
// still needs is forbidden.
func (r *Turns) open(p Port, left []Port, at, to NodeID, in Port) bool {
	if len(left) == 1 {
		return true
	}
	switch r.Model {
	case WestFirst:
		return p == West || left[0] != West
	case NorthLast:
		return p != North
	case NegativeFirst:
		return p%2 == 1 || !slices.ContainsFunc(left, func(q Port) bool { return q%2 == 1 })
	}
	here, there := r.Order.coords[2*at], r.Order.coords[2*to]
	switch {
	case p == East: // in an even column it could not turn
		return there%2 != 0 || there-here > 1
	case p == West:
		return true
	case left[0] == East:
		return here%2 != 0 || in != West
	}
	return here%2 == 0 // or it could not turn to west again
}

func (r *Turns) class(_, _ NodeID, _ Port) VC { return 0 }

func (r *Turns) escapes() int { return 0 }

func (r *Turns) alone() bool { return false }
