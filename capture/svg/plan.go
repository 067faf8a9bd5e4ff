// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// spot is a place in the plane of a plan, in steps between neighbours.
type spot struct{ x, y float64 }

// plan says where the nodes of a network are drawn.
type plan struct {
	at            []spot
	grid          bool // nodes lie on the points of a grid
	right, bottom float64
	wrap          func(from, to router.NodeID) bool // the link closes a ring: drawn as two stubs
}

// newPlan lays a network out: grids by their coordinates (further dimensions
// as blocks of blocks), long paths in rows, rings and graphs on a circle,
// trees level by level.
func newPlan(t *topology.Topology) *plan {
	p := &plan{at: make([]spot, t.Nodes()), wrap: func(_, _ router.NodeID) bool { return false }}
	switch {
	case t.Kind == topology.Path:
		p.snake()
	case t.Kind == topology.Ring && t.Nodes() > maxDrawnNodes:
		p.snake()
	case t.Kind == topology.Ring || t.Kind == topology.Graph:
		p.circle()
	case t.IsGrid():
		p.blocks(t)
	default:
		p.levels(topology.BreadthFirst(t, t.Root))
	}
	for _, at := range p.at {
		p.right, p.bottom = max(p.right, at.x), max(p.bottom, at.y)
	}
	return p
}

// snake lays a line of nodes in rows that run right and left in turn.
func (p *plan) snake() {
	p.grid = true
	columns := len(p.at)
	if columns > 16 {
		columns = int(math.Ceil(math.Sqrt(float64(columns) * 1.6)))
	}
	for n := range p.at {
		x, y := n%columns, n/columns
		if y%2 == 1 {
			x = columns - 1 - x
		}
		p.at[n] = spot{float64(x), float64(y)}
	}
}

func (p *plan) circle() {
	count := float64(len(p.at))
	radius := max(1, count/(2*math.Pi))
	for n := range p.at {
		angle := 2*math.Pi*float64(n)/count - math.Pi/2
		p.at[n] = spot{radius + radius*math.Cos(angle), radius + radius*math.Sin(angle)}
	}
}

// blocks puts even dimensions to the right and odd ones down; each further
// pair of dimensions repeats the block of those before it.
func (p *plan) blocks(t *topology.Topology) {
	p.grid = true
	stride := make([]float64, len(t.Dims))
	span := [2]float64{1, 1}
	for d, size := range t.Dims {
		gap := 0.0
		if d >= 2 {
			gap = 0.5
		}
		stride[d] = span[d%2] + gap
		span[d%2] = stride[d]*float64(size-1) + span[d%2]
	}
	for n := range p.at {
		for d, k := range t.Coordinates(router.NodeID(n)) {
			if d%2 == 0 {
				p.at[n].x += stride[d] * float64(k)
			} else {
				p.at[n].y += stride[d] * float64(k)
			}
		}
	}
	p.wrap = func(from, to router.NodeID) bool {
		a, b := t.Coordinates(from), t.Coordinates(to)
		for d := range a {
			if step := a[d] - b[d]; step > 1 || step < -1 {
				return true
			}
		}
		return false
	}
}

// levels draws a tree from its root down: leaves in a row of steps, parents
// above the middle of their children.
func (p *plan) levels(s *topology.SpanningTree) {
	children := s.Children()
	leaf := 0.0
	var set func(n router.NodeID)
	set = func(n router.NodeID) {
		list := children[n]
		if len(list) == 0 {
			p.at[n] = spot{leaf, float64(s.Depth[n])}
			leaf++
			return
		}
		for _, child := range list {
			set(child)
		}
		middle := (p.at[list[0]].x + p.at[list[len(list)-1]].x) / 2
		p.at[n] = spot{middle, float64(s.Depth[n])}
	}
	set(s.Root)
	// Wide trees get higher levels, to keep the picture's proportions.
	levels := float64(slices.Max(s.Depth) + 1)
	for n := range p.at {
		p.at[n].y *= max(1.3, leaf/(2.2*levels))
	}
}

// scale maps a plan to the page.
type scale struct {
	plan        *plan
	x, y        float64
	pitch       float64 // pixels between neighbours
	node        float64 // side of a node's square
	thin, thick float64 // widths of the least and the busiest arrow
	pad         float64 // room around the nodes for bowed arrows and their numbers
}

func (p *plan) scale(x, y float64, links []topology.Link) *scale {
	pitch := min(96, max(10, 820/(max(p.right, p.bottom)+1)))
	s := &scale{plan: p, x: x, y: y, pitch: pitch, node: pitch * 0.4, thin: max(0.6, pitch*0.015), thick: pitch * 0.085}
	for _, link := range links {
		for _, a := range s.stretches(link) {
			s.pad = max(s.pad, a.bow)
		}
	}
	return s
}

// place returns where a spot is on the page.
func (s *scale) place(at spot) (x, y float64) {
	return s.x + s.pad + (at.x+0.5)*s.pitch, s.y + s.pad + (at.y+0.5)*s.pitch
}

func (s *scale) size() (width, height float64) {
	return (s.plan.right+1)*s.pitch + 2*s.pad, (s.plan.bottom+1)*s.pitch + 2*s.pad
}

// stretch is an arrow on the page, straight or bowed.
type stretch struct {
	x1, y1, x2, y2 float64
	bow            float64 // how far its middle is off the straight line, to its right
	head           float64 // length of the arrow head
}

// stretches returns the arrows of a link. The two directions of a link pass
// each other on the right.
func (s *scale) stretches(link topology.Link) []stretch {
	x1, y1 := s.place(s.plan.at[link.From])
	x2, y2 := s.place(s.plan.at[link.To])
	length := math.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	side := s.thick * 0.8
	x1, y1, x2, y2 = x1-uy*side, y1+ux*side, x2-uy*side, y2+ux*side
	rim := s.node / 2 * min(1/max(math.Abs(ux), 1e-9), 1/max(math.Abs(uy), 1e-9))
	head := s.thick * 1.5
	if s.plan.wrap(link.From, link.To) {
		// Away from the neighbours: out at one side, in at the other.
		stub := s.pitch/2 - 1
		return []stretch{
			{x1 - ux*rim, y1 - uy*rim, x1 - ux*stub, y1 - uy*stub, 0, head},
			{x2 + ux*stub, y2 + uy*stub, x2 + ux*rim, y2 + uy*rim, 0, head},
		}
	}
	bow := 0.0
	if s.plan.grid && length > 1.2*s.pitch {
		bow = 0.22*s.pitch + 0.06*length
	}
	return []stretch{{x1 + ux*rim, y1 + uy*rim, x2 - ux*rim, y2 - uy*rim, bow, head}}
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

func (a stretch) middle() (float64, float64) {
	nx, ny := a.normal()
	return (a.x1+a.x2)/2 + nx*a.bow, (a.y1+a.y2)/2 + ny*a.bow
}

// control returns the control point of a bowed arrow.
func (a stretch) control() (float64, float64) {
	nx, ny := a.normal()
	return (a.x1+a.x2)/2 + nx*2*a.bow, (a.y1+a.y2)/2 + ny*2*a.bow
}

// curve returns the shaft of a bowed arrow.
func (a stretch) curve() string {
	cx, cy := a.control()
	return fmt.Sprintf("M%s %sQ%s %s %s %s", num(a.x1), num(a.y1), num(cx), num(cy), num(a.x2), num(a.y2))
}

// outline returns a straight arrow of some thickness, or the head of a bowed one.
func (a stretch) outline(thick float64) string {
	ux, uy := a.direction()
	if a.bow != 0 {
		cx, cy := a.control()
		ux, uy = stretch{x1: cx, y1: cy, x2: a.x2, y2: a.y2}.direction()
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
