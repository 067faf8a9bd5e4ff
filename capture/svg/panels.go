// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Rooms between the panels of a grid of more than two dimensions, in steps.
const (
	besidePanel = 0.5
	belowPanel  = 0.9 // the caption stands there
)

// panels draws the planes of a grid side by side:
//
//	z = 0        z = 1        z = 2
//	0 - 1 - 2    6 - 7 - 8   12 - 13 - 14
//	|   |   |    |   |   |    |    |    |
//	3 - 4 - 5    9 -10 -11   15 - 16 - 17
//
// The first dimension goes right and the second down. A third one puts planes
// beside each other, in as many rows as fill the page; of further ones the even
// go right and the odd down. Links between planes are stubs at an angle, those
// that close rings stubs at the rim: no line passes behind a node.
func (p *plan) panels(t *topology.Topology) {
	p.grid = true
	width, height := t.Dims[0], 1
	if len(t.Dims) > 1 {
		height = t.Dims[1]
	}
	p.across = float64(width) + besidePanel
	across := panelsAcross(t)
	for n := range p.at {
		p.at[n] = spot{}
		at := t.Coordinates(router.NodeID(n))
		column, row := panelOf(t, at, across)
		p.at[n].x = float64(column)*(float64(width)+besidePanel) + float64(at[0])
		p.at[n].y = float64(row) * (float64(height) + belowPanel)
		if len(at) > 1 {
			p.at[n].y += float64(at[1])
		}
	}
	p.nameLayers(t, width*height)
	p.nameLines(width, height)
	if more := len(t.Dims) - 3; more > 0 {
		p.squeezed = 1 / (1 + 0.3*float64(more))
	}
	p.stub = func(link topology.Link) (spot, bool) { return stubOf(t, link) }
	p.explainStubs(t)
}

// panelsAcross returns how many planes of a third dimension stand in a row, so
// that all are drawn as large as can be on a page that is wider than high; 0
// where a fourth dimension says it.
func panelsAcross(t *topology.Topology) int {
	if len(t.Dims) != 3 {
		return 0
	}
	best, least := 1, math.Inf(1)
	for across := 1; across <= t.Dims[2]; across++ {
		down := (t.Dims[2] + across - 1) / across
		side := max(float64(across)*(float64(t.Dims[0])+besidePanel)/1.3, float64(down)*(float64(t.Dims[1])+belowPanel))
		if side < least {
			best, least = across, side
		}
	}
	return best
}

// panelOf returns the column and row of the panel with a node.
func panelOf(t *topology.Topology, at []int, across int) (column, row int) {
	if across > 0 {
		return at[2] % across, at[2] / across
	}
	for d := len(at) - 1; d >= 2; d-- {
		if d%2 == 0 {
			column = column*t.Dims[d] + at[d]
		} else {
			row = row*t.Dims[d] + at[d]
		}
	}
	return column, row
}

// nameLayers names the planes of some nodes each that are in the picture.
func (p *plan) nameLayers(t *topology.Topology, size int) {
	for first := 0; len(t.Dims) > 2 && first < len(p.at); first += size {
		corner := spot{math.Inf(1), math.Inf(1)}
		for n := first; n < first+size; n++ {
			if p.shown[n] {
				corner = spot{min(corner.x, p.at[n].x), min(corner.y, p.at[n].y)}
			}
		}
		if math.IsInf(corner.x, 1) {
			continue
		}
		var words []string
		for d, k := range t.Coordinates(router.NodeID(first)) {
			if d >= 2 {
				words = append(words, fmt.Sprintf("%s = %d", axis(d), k))
			}
		}
		p.layers = append(p.layers, caption{corner, strings.Join(words, ", "), router.NodeID(first)})
	}
}

// axis names a dimension as ports do: x, y, z, d3, d4 …
func axis(d int) string {
	if d < 3 {
		return "xyz"[d : d+1]
	}
	return fmt.Sprintf("d%d", d)
}

// nameLines names the rows and columns of the first panels in each direction.
func (p *plan) nameLines(width, height int) {
	p.caption = "A node's number is the sum of its row's and its column's."
	if len(p.layers) > 0 {
		p.caption = "A node's number is the sum of its layer's first, its row's and its column's."
	}
	seenX, seenY := map[float64]bool{}, map[float64]bool{}
	for n, at := range p.at {
		x, y := n%width, n/width%height
		if !seenX[at.x] {
			seenX[at.x] = true
			p.columns = append(p.columns, heading{at.x, x, fmt.Sprintf("+%d", x)})
		}
		if !seenY[at.y] {
			seenY[at.y] = true
			p.rows = append(p.rows, heading{at.y, y, fmt.Sprint(y * width)})
		}
	}
}

// stubOf returns the direction of a link that leaves its plane or closes a ring.
func stubOf(t *topology.Topology, link topology.Link) (spot, bool) {
	d := int(link.FromPort) / 2
	sign := 1.0
	if link.FromPort%2 == 1 {
		sign = -1
	}
	if d >= 2 {
		angle := stubAngle(d)
		return spot{sign * math.Cos(angle), -sign * math.Sin(angle)}, true
	}
	step := t.Coordinates(link.To)[d] - t.Coordinates(link.From)[d]
	if float64(step) == sign {
		return spot{}, false
	}
	if d == 0 {
		return spot{sign, 0}, true
	}
	return spot{0, sign}, true
}

// stubAngle returns the angle above the horizontal of stubs in the + direction
// of a dimension from 2 on: 45 and -45 degrees, then the middles between those
// and the axes, and so on.
func stubAngle(d int) float64 {
	pair := (d - 2) / 2
	fraction, part := 0.0, 0.5
	for k := pair + 1; k > 0; k /= 2 { // bits in reverse order: 1/2, 1/4, 3/4, 1/8 …
		if k%2 == 1 {
			fraction += part
		}
		part /= 2
	}
	if d%2 == 1 {
		fraction = -fraction
	}
	return fraction * math.Pi / 2
}

// explainStubs adds a note about the links that do not end beside a node.
func (p *plan) explainStubs(t *topology.Topology) {
	var parts []string // each with %s for arrows or lines
	if len(t.Dims) > 2 {
		parts = append(parts, "slanting %s lead from layer to layer: up and to the right to the next in z, down and to the left to the one before")
		if len(t.Dims) > 3 {
			parts[0] = "slanting %s lead from layer to layer, each dimension at an angle of its own"
		}
	}
	for d := range min(2, len(t.Dims)) {
		if t.Wrap[d] && t.Dims[d] > 2 {
			parts = append(parts, "%s at the rim lead round to the other side")
			break
		}
	}
	if len(parts) == 0 {
		return
	}
	p.stubs = func(strokes string) string {
		return capital(strings.ReplaceAll(strings.Join(parts, "; "), "%s", strokes)) + "."
	}
}

// capital makes the first letter of words a capital.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }
