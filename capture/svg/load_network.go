// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

// drawNetwork draws nodes and links; it returns the size and what is to be said.
func (l *Load) drawNetwork(c *canvas, p *plan, links []topology.Link, x, y float64) (width, height float64, notes []string) {
	s := p.scale(x, y, links)
	shown, all := l.shown(p, links)
	if count := p.count(); l.Nodes == nil && count < l.Topology.Nodes() {
		notes = append(notes, fmt.Sprintf("Large network: the %s nodes nearest to node %d, of %s, are shown; the option --nodes shows others.",
			thousands(int64(count)), l.Topology.Root, thousands(int64(l.Topology.Nodes()))))
	}
	if len(shown) < all {
		notes = append(notes, fmt.Sprintf("Many links: the %s busiest of %s are shown.", thousands(int64(len(shown))), thousands(int64(all))))
	}
	if p.context != nil && slices.Contains(p.context, true) {
		notes = append(notes, "Nodes with a dashed rim are neighbours of those asked for; of their links only those to these are shown.")
	}
	notes = append(notes, s.explain("arrows")...)
	// The busiest last, so that they lie on top.
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(l.Use[a].Busy, l.Use[b].Busy) })
	l.slow.draw(c, s, links, true)
	for _, i := range shown {
		l.arrow(c, s, links[i], l.Use[i], len(shown) <= maxTitles)
	}
	dead := l.dead()
	dead.draw(c, s)
	s.marked = map[router.NodeID]string{}
	dead.mark(s.marked)
	s.drawNodes(c)
	l.drawLabels(c, s, links, shown)
	width, height = s.size()
	return width, height, notes
}

// shown returns the links to draw, of a large network that is no grid the
// busiest, and how many there are between the nodes shown.
func (l *Load) shown(p *plan, links []topology.Link) (shown []int, all int) {
	within := func(i int) bool {
		from, to := links[i].From, links[i].To
		if _, stub := p.stub(links[i]); stub {
			return p.asked(from) || p.asked(to)
		}
		return p.shown[from] && p.shown[to] && (p.asked(from) || p.asked(to))
	}
	for i := range links {
		if within(i) {
			shown = append(shown, i)
		}
	}
	if all = len(shown); p.grid || all <= maxDrawnLinks {
		return shown, all
	}
	shown = slices.DeleteFunc(l.hottest(len(links)), func(i int) bool { return !within(i) })
	return shown[:min(len(shown), maxDrawnLinks)], all
}

// arrow draws a directed link.
func (l *Load) arrow(c *canvas, s *scale, link topology.Link, u Use, titled bool) {
	share := l.share(u.Busy)
	fill, stroke := "idle", "idlec"
	if k := level(share); k >= 0 {
		fill, stroke = fmt.Sprintf("l%d", k), fmt.Sprintf("c%d", k)
	}
	thick := s.thin + (s.thick-s.thin)*share
	if titled {
		fmt.Fprintf(c, "<g><title>%s: %s</title>", escape.XML(l.Topology.LinkText(link.From, link.To, " > ")), l.wordsOf(link, u))
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

// drawLabels writes the names of rows, columns and layers, and the shares of
// the hottest links where there is room beside their arrows; the list beside
// the picture has them all.
func (l *Load) drawLabels(c *canvas, s *scale, links []topology.Link, shown []int) {
	free := &labels{taken: s.squares()}
	if !s.plan.grid || s.pitch >= leastLabelled {
		for _, i := range shown {
			for _, stretch := range s.stretches(links[i]) {
				free.lines = append(free.lines, stretch.points(4)...)
			}
		}
	}
	s.headings(c, free)
	if s.pitch < leastLabelled {
		return
	}
	for _, i := range l.hottest(hottestListed) {
		if _, stub := s.plan.stub(links[i]); !stub && slices.Contains(shown, i) {
			l.label(c, s, free, links[i], l.Use[i])
		}
	}
}

// leastLabelled is the pitch from which on there is room for shares.
const leastLabelled = 40.0

// label writes a link's busy share beside its arrow, the nearer to its middle
// the better, and rather to its right.
func (l *Load) label(c *canvas, s *scale, free *labels, link topology.Link, u Use) {
	stretch := s.stretches(link)[0]
	words := percent(l.share(u.Busy))
	width, height := textWidth(words, labelFont)*1.1, labelFont-1
	nx, ny := stretch.normal()
	// So far is the middle of a box off a line that touches it.
	away := (width*math.Abs(nx)+height*math.Abs(ny))/2 + s.thick/2 + 3
	var candidates []box
	for _, side := range []float64{1, -1} {
		for _, t := range []float64{0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78} {
			at := stretch.at(t)
			candidates = append(candidates, around(at.x+side*nx*away, at.y+side*ny*away, width, height))
		}
		away += 1.6 * s.thick // beyond the other direction
	}
	if b, ok := free.place(candidates); ok {
		c.text("hot m", (b.left+b.right)/2, b.bottom-1, words)
	}
}
