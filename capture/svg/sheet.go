// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/twisted"
	"meshwright/router"
)

// sheet lays out a twisted torus by its coordinates. The links that lead round to the other
// side are drawn as stubs.
func (p *plan) sheet(t *twisted.Torus) {
	p.grid = true
	for n := range p.at {
		at := t.Coordinates(router.NodeID(n))
		p.at[n] = spot{float64(at[0]), float64(at[1])}
	}
	sides := t.Sides()
	p.nameLines(sides[0], sides[1])
	p.stub = func(link topology.Link) (spot, bool) { return sheetStub(t, link) }
	twist, along := t.Twist()
	p.stubs = func(strokes string) string {
		return fmt.Sprintf("%s at the rim lead round to the other side; those along %s in the + direction end %d nodes further along %s.",
			capital(strokes), axis(1-along), twist, axis(along))
	}
}

// sheetStub returns the direction of a link that leads round to the other side.
func sheetStub(t *twisted.Torus, link topology.Link) (spot, bool) {
	d, step := link.FromPort/2, 1-2*int(link.FromPort%2)
	if t.Coordinates(link.To)[d]-t.Coordinates(link.From)[d] == step {
		return spot{}, false
	}
	if d == 0 {
		return spot{float64(step), 0}, true
	}
	return spot{0, float64(step)}, true
}
