// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"meshwright/fabric/topology"
)

// Use is what a link did in the cycles of a picture.
type Use struct{ Busy, Blocked int64 }

// Load is a picture of a network in which every directed link is an arrow,
// coloured and weighted by the share of cycles in which it was busy.
type Load struct {
	Title, Subtitle string
	Topology        *topology.Topology
	Cycles          int64
	Use             []Use // by index in Topology.Links
}

// Bounds of the picture that shows every link; beyond them grids are shown in
// tiles of many nodes, other networks by their hottest links.
const (
	maxDrawnNodes = 4096
	maxDrawnLinks = 2000 // where the picture is not a grid
	maxTitles     = 3000 // arrows with a tooltip
	hottestListed = 10
)

// ramp is a sequence of colours of falling lightness (YlGnBu), from the least
// busy to the busiest link; the step before it is for idle links.
var ramp = [...]string{"#c7e9b4", "#9fd9b8", "#73c8bd", "#4db8c1", "#35a2c2", "#2a88bb", "#2569ad", "#24479d", "#1e3180", "#0b1f5c"}

const idleColour = "#d5d9df"

func (l *Load) styles() string {
	s := ".n{fill:#fff;stroke:#8b93a0;stroke-width:1}\n.idle{fill:" + idleColour + ";stroke:none}\n.idlec{stroke:" + idleColour + ";fill:none}\n"
	for k, colour := range ramp {
		s += fmt.Sprintf(".l%d{fill:%s}\n.c%d{stroke:%s;fill:none}\n", k, colour, k, colour)
	}
	return s + ".hot{font-weight:700;paint-order:stroke;stroke:#fff;stroke-width:3px}\n.blocked{fill:#f0a35e}\n.rest{fill:#eceff3}\n"
}

// share returns the part of the cycles that a count is.
func (l *Load) share(count int64) float64 {
	if l.Cycles == 0 {
		return 0
	}
	return min(1, float64(count)/float64(l.Cycles))
}

// peak returns the share of the busiest link, which has the darkest colour.
func (l *Load) peak() float64 {
	most := int64(0)
	for _, u := range l.Use {
		most = max(most, u.Busy)
	}
	return l.share(most)
}

// level returns the step of the ramp for a link, -1: idle.
func level(share, peak float64) int {
	if share == 0 {
		return -1
	}
	return min(len(ramp)-1, int(share/peak*float64(len(ramp))))
}

// hottest returns the indices of the busiest links that were busy or blocked
// at all, the busiest first.
func (l *Load) hottest(count int) []int {
	var links []int
	for i, u := range l.Use {
		if u.Busy+u.Blocked > 0 {
			links = append(links, i)
		}
	}
	slices.SortStableFunc(links, func(a, b int) int {
		return cmp.Or(-cmp.Compare(l.Use[a].Busy, l.Use[b].Busy), -cmp.Compare(l.Use[a].Blocked, l.Use[b].Blocked))
	})
	return links[:min(count, len(links))]
}

// Write draws the picture.
func (l *Load) Write(w io.Writer) error {
	c := &canvas{styles: l.styles()}
	top := c.heading(l.Title, l.Subtitle)
	links := l.Topology.Links()
	plan := newPlan(l.Topology)
	var width, height float64
	note := ""
	switch {
	case plan.grid && l.Topology.Nodes() > maxDrawnNodes:
		width, height, note = l.drawTiles(c, plan, links, margin, top)
	default:
		width, height, note = l.drawNetwork(c, plan, links, margin, top)
	}
	bottom := max(top+height, l.side(c, links, margin+width+36, top+8))
	if note != "" {
		c.text("s", margin, bottom+22, note)
		bottom += 24
	}
	return c.document(w, max(margin+width+36+sideWidth+margin, textWidth(note, 12)+2*margin), bottom+margin, l.Title)
}

// sideWidth is the width of the column with legend and hottest links.
const sideWidth = 310.0

// side draws the legend and the list of the hottest links; it returns where it ends.
func (l *Load) side(c *canvas, links []topology.Link, x, y float64) float64 {
	peak := l.peak()
	c.text("b", x, y+10, "Busy share of a link")
	step := (sideWidth - 60) / float64(len(ramp))
	c.rect("idle", x, y+22, 30, 12, "")
	for k := range ramp {
		c.rect(fmt.Sprintf("l%d", k), x+40+float64(k)*step, y+22, step+0.5, 12, "")
	}
	c.text("a m", x+15, y+50, "idle")
	c.text("a", x+40, y+50, "above 0 %")
	c.text("a e", x+40+step*float64(len(ramp)), y+50, percent(peak)+" (the busiest)")
	y += 84
	hottest := l.hottest(hottestListed)
	if len(hottest) == 0 {
		c.text("a", x, y, "No flit crossed a link.")
		return y
	}
	c.text("b", x, y, "Busiest links")
	c.rect("blocked", x+150, y-9, 10, 10, "")
	c.text("a", x+165, y, "blocked")
	c.rect("rest", x+222, y-9, 10, 10, "")
	c.text("a", x+237, y, "idle")
	for _, i := range hottest {
		y += 24
		l.bar(c, links[i], l.Use[i], x, y, peak)
	}
	return y + 16
}

// bar draws what a link did as a bar of busy, blocked and idle cycles.
func (l *Load) bar(c *canvas, link topology.Link, u Use, x, y, peak float64) {
	busy, blocked := l.share(u.Busy), l.share(u.Blocked)
	c.text("", x, y, fmt.Sprintf("%d → %d", link.From, link.To))
	const left, whole = 104.0, 150.0
	c.rect("rest", x+left, y-10, whole, 13, ` rx="2"`)
	if busy > 0 {
		c.rect(fmt.Sprintf("l%d", level(busy, peak)), x+left, y-10, whole*busy, 13, ` rx="2"`)
	}
	if blocked > 0 {
		c.rect("blocked", x+left+whole*busy, y-10, whole*min(blocked, 1-busy), 13, "")
	}
	c.text("b", x+left+whole+8, y, percent(busy))
}

func percent(share float64) string {
	if share > 0 && share < 0.0995 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// drawNetwork draws nodes and links; it returns the size and what was left out.
func (l *Load) drawNetwork(c *canvas, p *plan, links []topology.Link, x, y float64) (width, height float64, note string) {
	s := p.scale(x, y, links)
	shown := l.shown(p, links)
	if left := len(links) - len(shown); left > 0 {
		note = fmt.Sprintf("Large network: the %s busiest of %s links are shown.", thousands(int64(len(shown))), thousands(int64(len(links))))
	}
	peak := l.peak()
	// The busiest last, so that they lie on top.
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(l.Use[a].Busy, l.Use[b].Busy) })
	for _, i := range shown {
		l.arrow(c, s, links[i], l.Use[i], peak, len(shown) <= maxTitles)
	}
	if l.Topology.Nodes() <= maxDrawnNodes {
		l.drawNodes(c, s)
	}
	for _, i := range l.hottest(hottestListed) {
		l.number(c, s, links[i], l.Use[i])
	}
	width, height = s.size()
	return width, height, note
}

// shown returns the links to draw: all, or the busiest of a large network that
// is no grid.
func (l *Load) shown(p *plan, links []topology.Link) []int {
	if !p.grid && len(links) > maxDrawnLinks {
		return l.hottest(maxDrawnLinks)
	}
	all := make([]int, len(links))
	for i := range all {
		all[i] = i
	}
	return all
}

func (l *Load) drawNodes(c *canvas, s *scale) {
	for n, at := range s.plan.at {
		x, y := s.place(at)
		half := s.node / 2
		c.rect("n", x-half, y-half, s.node, s.node, fmt.Sprintf(` rx="%s"`, num(min(4, s.node/6))))
		if name := fmt.Sprint(n); textWidth(name, 10) < s.node-2 && s.node >= 14 {
			c.text("m", x, y+4, name)
		}
	}
}

// arrow draws a directed link.
func (l *Load) arrow(c *canvas, s *scale, link topology.Link, u Use, peak float64, titled bool) {
	share := l.share(u.Busy)
	fill, stroke, weight := "idle", "idlec", 0.0
	if k := level(share, peak); k >= 0 {
		fill, stroke, weight = fmt.Sprintf("l%d", k), fmt.Sprintf("c%d", k), share/peak
	}
	thick := s.thin + (s.thick-s.thin)*weight
	if titled {
		fmt.Fprintf(c, "<g><title>%d &gt; %d: busy %s of %s cycles (%s), blocked %s</title>",
			link.From, link.To, thousands(u.Busy), thousands(l.Cycles), percent(share), thousands(u.Blocked))
	}
	for _, stretch := range s.stretches(link) {
		if stretch.bow != 0 {
			fmt.Fprintf(c, `<path class="%s" stroke-width="%s" d="%s"/>`, stroke, num(thick), stretch.curve())
		}
		fmt.Fprintf(c, `<path class="%s" d="%s"/>`, fill, stretch.outline(thick))
	}
	if titled {
		fmt.Fprint(c, "</g>")
	}
	fmt.Fprintln(c)
}

// number writes a link's busy share beside its arrow.
func (l *Load) number(c *canvas, s *scale, link topology.Link, u Use) {
	if s.pitch < 40 || s.plan.wrap(link.From, link.To) {
		return // no room; the list beside the picture has it
	}
	stretch := s.stretches(link)[0]
	x, y := stretch.middle()
	dx, dy := stretch.normal()
	away := s.thick/2 + 4
	words := percent(l.share(u.Busy))
	class := "hot m"
	switch {
	case dx > 0.5:
		class = "hot"
	case dx < -0.5:
		class = "hot e"
	}
	c.text(class, x+dx*away, y+dy*(away+4)+4, words)
}

// drawTiles draws a grid too large for single nodes: squares of many nodes,
// coloured by the busiest link that leaves one of them.
func (l *Load) drawTiles(c *canvas, p *plan, links []topology.Link, x, y float64) (width, height float64, note string) {
	spanX, spanY := p.right, p.bottom
	side := int(math.Ceil((max(spanX, spanY) + 1) / 96))
	across, down := int(spanX)/side+1, int(spanY)/side+1
	tiles := make([]int64, across*down)
	for i, link := range links {
		at := p.at[link.From]
		t := int(at.y)/side*across + int(at.x)/side
		tiles[t] = max(tiles[t], l.Use[i].Busy)
	}
	size := max(4, min(24, 760/float64(max(across, down))))
	peak := l.peak()
	for t, busy := range tiles {
		class := "idle"
		if k := level(l.share(busy), peak); k >= 0 {
			class = fmt.Sprintf("l%d", k)
		}
		c.rect(class, x+float64(t%across)*size, y+float64(t/across)*size, size-0.5, size-0.5, "")
	}
	note = fmt.Sprintf("Large network: a tile is up to %d × %d nodes and has the colour of the busiest link that leaves one of them.", side, side)
	return float64(across) * size, float64(down) * size, note
}
