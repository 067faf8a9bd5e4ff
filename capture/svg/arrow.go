// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"

	"meshwright/fabric/topology"
)

// nodeSide is the side of a node's square, in steps between neighbours.
const nodeSide = 0.4

// stretch is an arrow on the page, straight or bowed.
type stretch struct {
	x1, y1, x2, y2 float64
	bow            float64 // how far its middle is off the straight line, to its right
	head           float64 // length of the arrow head
}

// stretches returns the arrows of a link: one, or two stubs. The two directions
// of a link pass each other on the right.
func (s *scale) stretches(link topology.Link) []stretch {
	a, b := s.place(s.plan.at[link.From]), s.place(s.plan.at[link.To])
	head := s.thick * 1.5
	if way, stub := s.plan.stub(link); stub {
		return s.stubs(link, a, b, way, head)
	}
	length := math.Hypot(b.x-a.x, b.y-a.y)
	ux, uy := (b.x-a.x)/length, (b.y-a.y)/length
	whole := stretch{a.x - uy*s.aside, a.y + ux*s.aside, b.x - uy*s.aside, b.y + ux*s.aside, s.plan.bowOf(link) * s.pitch, head}
	// It begins and ends at the rims of the squares, in the direction it has there.
	c := whole.control()
	start, end := s.rim(c.x-whole.x1, c.y-whole.y1), s.rim(whole.x2-c.x, whole.y2-c.y)
	return []stretch{{whole.x1 + start.x, whole.y1 + start.y, whole.x2 - end.x, whole.y2 - end.y, whole.bow, head}}
}

// stubs returns the strokes for a link that does not end beside its node: the way out of one
// end and the way into the other.
func (s *scale) stubs(link topology.Link, a, b spot, way spot, head float64) []stretch {
	rim := s.rim(way.x, way.y)
	long := s.pitch/2 - 1
	if way.x != 0 && way.y != 0 {
		long = s.pitch * 0.58 // into the middle of four nodes
	}
	ox, oy := -way.y*s.aside, way.x*s.aside
	var list []stretch
	if s.plan.shown[link.From] {
		list = append(list, stretch{a.x + ox + rim.x, a.y + oy + rim.y, a.x + ox + way.x*long, a.y + oy + way.y*long, 0, head})
	}
	if s.plan.shown[link.To] {
		list = append(list, stretch{b.x + ox - way.x*long, b.y + oy - way.y*long, b.x + ox - rim.x, b.y + oy - rim.y, 0, head})
	}
	return list
}

// rim returns the way from the middle of a node's square to its rim in a direction.
func (s *scale) rim(x, y float64) spot {
	most := max(math.Abs(x), math.Abs(y))
	if most == 0 {
		return spot{}
	}
	part := s.node / 2 / most
	return spot{x * part, y * part}
}

// direction returns the unit vector from start to end.
func (a stretch) direction() (float64, float64) {
	length := math.Hypot(a.x2-a.x1, a.y2-a.y1)
	if length == 0 {
		return 1, 0
	}
	return (a.x2 - a.x1) / length, (a.y2 - a.y1) / length
}

// normal returns the unit vector to the right of the arrow.
func (a stretch) normal() (float64, float64) {
	ux, uy := a.direction()
	return -uy, ux
}

// control returns the control point of the curve.
func (a stretch) control() spot {
	nx, ny := a.normal()
	return spot{(a.x1+a.x2)/2 + nx*2*a.bow, (a.y1+a.y2)/2 + ny*2*a.bow}
}

// at returns a point of the arrow, t from 0 to 1.
func (a stretch) at(t float64) spot {
	c := a.control()
	u := 1 - t
	return spot{u*u*a.x1 + 2*u*t*c.x + t*t*a.x2, u*u*a.y1 + 2*u*t*c.y + t*t*a.y2}
}

// points returns points of the arrow that are no further than a step apart.
func (a stretch) points(step float64) []spot {
	count := int((math.Hypot(a.x2-a.x1, a.y2-a.y1)+2*math.Abs(a.bow))/step) + 2
	list := make([]spot, count)
	for i := range list {
		list[i] = a.at(float64(i) / float64(count-1))
	}
	return list
}

// curve returns the shaft of a bowed arrow, up to its head.
func (a stretch) curve() string {
	c := a.control()
	return fmt.Sprintf("M%s %sQ%s %s %s %s", num(a.x1), num(a.y1), num(c.x), num(c.y), num(a.x2), num(a.y2))
}

// tip returns the head of a thin arrow.
func (a stretch) tip() string {
	c := a.control()
	ux, uy := stretch{x1: c.x, y1: c.y, x2: a.x2, y2: a.y2}.direction()
	long, wing := max(a.head*0.8, 5), max(a.head*0.35, 2.5)
	bx, by := a.x2-ux*long, a.y2-uy*long
	return fmt.Sprintf("M%s %sL%s %sL%s %sZ", num(bx-uy*wing), num(by+ux*wing), num(a.x2), num(a.y2), num(bx+uy*wing), num(by-ux*wing))
}

// outline returns a straight arrow of some thickness, or the head of a bowed one.
func (a stretch) outline(thick float64) string {
	ux, uy := a.direction()
	if a.bow != 0 {
		c := a.control()
		ux, uy = stretch{x1: c.x, y1: c.y, x2: a.x2, y2: a.y2}.direction()
	}
	half, wing := thick/2, max(thick, a.head*0.5)
	head := min(max(a.head, thick*1.4), math.Hypot(a.x2-a.x1, a.y2-a.y1))
	bx, by := a.x2-ux*head, a.y2-uy*head
	points := []float64{bx - uy*wing, by + ux*wing, a.x2, a.y2, bx + uy*wing, by - ux*wing}
	if a.bow == 0 {
		points = append([]float64{a.x1 + uy*half, a.y1 - ux*half, a.x1 - uy*half, a.y1 + ux*half, bx - uy*half, by + ux*half}, points...)
		points = append(points, bx+uy*half, by-ux*half)
	}
	path := ""
	for i := 0; i < len(points); i += 2 {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		path += letter + num(points[i]) + " " + num(points[i+1])
	}
	return path + "Z"
}
