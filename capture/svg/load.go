// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/rational"
	"meshwright/router"
)

// Use counts the busy and blocked ticks of a link in the time of a picture, and the messages that faults made it lose.
type Use struct{ Busy, Blocked, Lost int64 }

// Load is a picture of a network in which every directed link is an arrow,
// coloured and weighted by the share of the time in which it was busy, from 0
// to 100 %.
type Load struct {
	Title, Subtitle string
	Notes           []string // what else is to be said
	Topology        *topology.Topology
	Nodes           []router.NodeID // of interest, rising; nil: all
	Ticks           int64           // of which the shares are taken
	PerCycle        int64           // ticks that are a cycle
	Use             []Use           // by index in Topology.Links
	Faults          []Fault         // dead nodes and links, red and dashed
	Slow            []Slow          // links that are slower than the others

	slow *slowSigns
}

// Bounds of the picture that shows every link; beyond them grids are shown in
// tiles of many nodes, other networks by their hottest links.
const (
	maxDrawnNodes = 4096
	maxDrawnLinks = 2000 // where the picture is not a grid
	maxTitles     = 3000 // arrows with a tooltip
	hottestListed = 10
)

// ramp is a sequence of colours of falling lightness (YlGnBu), a step for each
// tenth of the time; the step before it is for idle links.
var ramp = [...]string{"#c7e9b4", "#9fd9b8", "#73c8bd", "#4db8c1", "#35a2c2", "#2a88bb", "#2569ad", "#24479d", "#1e3180", "#0b1f5c"}

const idleColour = "#d5d9df"

func (l *Load) styles() string {
	s := ".n{fill:#fff;stroke:#8b93a0;stroke-width:1}\n.o{stroke-dasharray:2 2}\n.k{font-size:10px}\n" +
		".idle{fill:" + idleColour + ";stroke:none}\n.idlec{stroke:" + idleColour + ";fill:none}\n"
	for k, colour := range ramp {
		s += fmt.Sprintf(".l%d{fill:%s}\n.c%d{stroke:%s;fill:none}\n", k, colour, k, colour)
	}
	return s + ".hot{font-weight:700;paint-order:stroke;stroke:#fff;stroke-width:3px}\n.blocked{fill:#f0a35e}\n.rest{fill:#eceff3}\n"
}

// share returns the part of the time that some ticks are.
func (l *Load) share(ticks int64) float64 {
	if l.Ticks == 0 {
		return 0
	}
	return min(1, float64(ticks)/float64(l.Ticks))
}

// level returns the step of the ramp for a link, -1: idle.
func level(share float64) int {
	if share == 0 {
		return -1
	}
	return min(len(ramp)-1, int(share*float64(len(ramp))))
}

// cycles writes some ticks as cycles.
func (l *Load) cycles(ticks int64) string {
	if l.PerCycle <= 1 {
		return thousands(ticks)
	}
	return rational.Exactly(ticks, l.PerCycle)
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

// dead are the signs of the faults.
func (l *Load) dead() *deadSigns {
	if len(l.Faults) == 0 {
		return &deadSigns{topology: l.Topology}
	}
	place := map[[2]router.NodeID]Use{}
	for i, link := range l.Topology.Links() {
		place[[2]router.NodeID{link.From, link.To}] = l.Use[i]
	}
	return &deadSigns{topology: l.Topology, faults: l.Faults, more: func(link topology.Link) string {
		return l.wordsOf(link, place[[2]router.NodeID{link.From, link.To}])
	}}
}

// wordsOf says what a link did, and how slow it is if others are faster.
func (l *Load) wordsOf(link topology.Link, u Use) string {
	if times := l.slow.words(link.From, link.To); times != "" {
		return l.words(u) + ", " + times
	}
	return l.words(u)
}

// words says what a link did.
func (l *Load) words(u Use) string {
	text := fmt.Sprintf("busy %s of %s cycles (%s), blocked %s", l.cycles(u.Busy), l.cycles(l.Ticks), percent(l.share(u.Busy)), l.cycles(u.Blocked))
	if u.Lost > 0 {
		text += fmt.Sprintf(", %s lost", plural(u.Lost, "message"))
	}
	return text
}

// Write draws the picture.
func (l *Load) Write(w io.Writer) error {
	l.slow = newSlowSigns(l.Slow)
	c := &canvas{styles: l.styles() + l.dead().styles() + l.slow.styles()}
	top := c.heading(l.Title, l.Subtitle)
	links := l.Topology.Links()
	plan := newPlan(l.Topology, l.Nodes)
	draw := l.drawNetwork
	if plan.grid && (plan.count() > maxDrawnNodes || plan.right >= maxAbreast || plan.bottom >= maxAbreast) {
		draw = l.drawTiles
		l.slow = newSlowSigns(nil)
	}
	width, height, notes := draw(c, plan, links, margin, top)
	side := max(margin+width+36, 420)
	bottom := max(top+height, l.side(c, links, side, top+8))
	width = side + sideWidth + margin
	notes = append(slices.Clone(l.Notes), notes...)
	if len(l.Slow) > len(l.slow.links) {
		notes = append(notes, "Slower links are not marked in a picture of so many nodes.")
	}
	bottom = c.notes(margin, bottom+22, width-2*margin, notes)
	return c.document(w, width, bottom+margin-12, l.Title)
}
