// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// drawTiles draws a grid too large for single nodes: squares of many nodes,
// coloured by the busiest link that leaves one of them.
func (l *Load) drawTiles(c *canvas, p *plan, links []topology.Link, x, y float64) (width, height float64, notes []string) {
	side := int(math.Ceil((max(p.right, p.bottom) + 1) / 96))
	across, down := int(p.right)/side+1, int(p.bottom)/side+1
	tiles := make([]int64, across*down)
	for t := range tiles {
		tiles[t] = -1
	}
	tile := func(n router.NodeID) *int64 { return &tiles[int(p.at[n].y)/side*across+int(p.at[n].x)/side] }
	for n, shown := range p.shown {
		if shown {
			*tile(router.NodeID(n)) = 0
		}
	}
	for i, link := range links {
		if p.asked(link.From) {
			t := tile(link.From)
			*t = max(*t, l.Use[i].Busy)
		}
	}
	size := max(4, min(24, 760/float64(max(across, down))))
	s := &scale{plan: p, x: x, y: y, pitch: size / float64(side)}
	s.makeRoom(0)
	for t, busy := range tiles {
		if busy < 0 {
			continue // between layers
		}
		class := "idle"
		if k := level(l.share(busy)); k >= 0 {
			class = fmt.Sprintf("l%d", k)
		}
		c.rect(class, x+s.left+float64(t%across)*size, y+s.top+float64(t/across)*size, size-0.5, size-0.5, "")
	}
	s.headings(c, &labels{})
	notes = append(notes, fmt.Sprintf("Large network: a tile is up to %d × %d nodes and has the colour of the busiest link that leaves one of them; the option --nodes shows single ones.", side, side))
	return float64(across)*size + s.left, float64(down)*size + s.top, append(notes, p.caption)
}
