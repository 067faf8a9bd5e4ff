// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"math"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// Bounds of what bend looks at: beyond them nodes are points, and nobody can
// follow a line.
const (
	maxBentNodes = 300
	maxBentLinks = 50000
)

// clearance is how far from the middle of a node, along both axes, a line must
// stay: half a square, the other direction of the link, and some air.
const clearance = nodeSide/2 + 0.16

// bend finds the links that would pass behind a node on their straight way, and
// bows them as little as clears all nodes, rather to the inside of the plan.
func (p *plan) bend(t *topology.Topology) {
	p.settle()
	if p.count() > maxBentNodes {
		return
	}
	links := t.Links()
	if len(links) > maxBentLinks {
		return
	}
	p.bows = map[[2]router.NodeID]float64{}
	for _, link := range links {
		if link.From < link.To && p.shown[link.From] && p.shown[link.To] {
			if bow := p.clearBow(link.From, link.To); bow != 0 {
				p.bows[[2]router.NodeID{link.From, link.To}] = bow
			}
		}
	}
}

// clearBow returns the smallest bow, in steps and to the right, that clears all
// other nodes; 0 when none does.
func (p *plan) clearBow(from, to router.NodeID) float64 {
	const finest, most = 0.1, 4.0
	inward := p.inward(from, to)
	for bow := 0.0; bow <= most; bow += finest {
		for _, signed := range [...]float64{bow * inward, -bow * inward} {
			if p.clear(from, to, signed) {
				return signed
			}
		}
	}
	return 0
}

// inward returns 1 where the middle of all nodes is to the right of the way
// between two of them, else -1.
func (p *plan) inward(from, to router.NodeID) float64 {
	a, b := p.at[from], p.at[to]
	middle := spot{p.right / 2, p.bottom / 2}
	// The right of the way is (-dy, dx), y growing down.
	if (middle.x-(a.x+b.x)/2)*-(b.y-a.y)+(middle.y-(a.y+b.y)/2)*(b.x-a.x) < 0 {
		return -1
	}
	return 1
}

// clear reports whether a bowed line stays clear of all nodes but its ends.
func (p *plan) clear(from, to router.NodeID, bow float64) bool {
	a, b := p.at[from], p.at[to]
	curve := stretch{x1: a.x, y1: a.y, x2: b.x, y2: b.y, bow: bow}
	near := box{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)}.grown(math.Abs(bow) + clearance)
	var inTheWay []box
	for n, at := range p.at {
		if p.shown[n] && router.NodeID(n) != from && router.NodeID(n) != to && near.holds(at) {
			inTheWay = append(inTheWay, around(at.x, at.y, 2*clearance, 2*clearance))
		}
	}
	if len(inTheWay) == 0 {
		return true
	}
	for _, q := range curve.points(0.1) {
		for _, node := range inTheWay {
			if node.holds(q) {
				return false
			}
		}
	}
	return true
}

// bowOf returns how far the middle of a link is off the straight line, in
// steps, to the right of its direction.
func (p *plan) bowOf(link topology.Link) float64 {
	if link.From < link.To {
		return p.bows[[2]router.NodeID{link.From, link.To}]
	}
	return -p.bows[[2]router.NodeID{link.To, link.From}]
}
