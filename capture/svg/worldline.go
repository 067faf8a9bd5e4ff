// SPDX-License-Identifier: Apache-2.0

package svg

import "meshwright/router"

// point is a place in space and time: node (fractions lie on links) and cycle.
type point struct{ node, cycle float64 }

// worldLine is the route of a flit: pieces of polylines, a new piece wherever it
// leaves the picture at one side and enters at the other.
type worldLine struct {
	pieces [][]point
	taken  bool // it ended at its PE
}

// end returns where the line ends so far.
func (l *worldLine) end() (point, bool) {
	if len(l.pieces) == 0 {
		return point{}, false
	}
	piece := l.pieces[len(l.pieces)-1]
	return piece[len(piece)-1], true
}

// reach extends the line to p, dropping points that lie on a straight line.
func (l *worldLine) reach(p point) {
	if len(l.pieces) == 0 {
		l.pieces = append(l.pieces, nil)
	}
	last := len(l.pieces) - 1
	piece := l.pieces[last]
	n := len(piece)
	if n > 0 && piece[n-1] == p {
		return
	}
	if n > 1 && straight(piece[n-2], piece[n-1], p) {
		piece[n-1] = p
		return
	}
	l.pieces[last] = append(piece, p)
}

// straight reports whether b lies on the way from a to c.
func straight(a, b, c point) bool {
	return (b.node-a.node)*(c.cycle-b.cycle) == (c.node-b.node)*(b.cycle-a.cycle)
}

// cross extends the line over a link of a line of nodes. A link between nodes
// that are not neighbours in the picture closes the ring.
func (l *worldLine) cross(from, to router.NodeID, leave, arrive router.Cycle) {
	a, b := point{float64(from), float64(leave)}, point{float64(to), float64(arrive)}
	l.reach(a)
	if d := to - from; d == 1 || d == -1 {
		l.reach(b)
		return
	}
	side := 0.5
	if to > from {
		side = -0.5
	}
	middle := (a.cycle + b.cycle) / 2
	l.reach(point{a.node + side, middle})
	l.pieces = append(l.pieces, []point{{b.node - side, middle}})
	l.reach(b)
}

// span returns the cycles that the line takes.
func (l *worldLine) span() float64 {
	length := 0.0
	for _, piece := range l.pieces {
		first, last := piece[0], piece[len(piece)-1]
		length += last.cycle - first.cycle
	}
	return length
}
