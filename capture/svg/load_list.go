// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// sideWidth is the width of the column with legend and hottest links.
const sideWidth = 310.0

// side draws the legend and the list of the hottest links; it returns where it ends.
func (l *Load) side(c *canvas, links []topology.Link, x, y float64) float64 {
	c.text("b", x, y+10, "Busy share of a link")
	step := (sideWidth - 60) / float64(len(ramp))
	c.rect("idle", x, y+22, 30, 12, "")
	for k := range ramp {
		c.rect(fmt.Sprintf("l%d", k), x+40+float64(k)*step, y+22, step+0.5, 12, "")
	}
	c.text("a", x, y+50, "idle")
	for _, tenths := range []int{0, 2, 4, 6, 8, 10} {
		at := x + 40 + float64(tenths)*step
		c.line("tick", at, y+34, at, y+38)
		class := "a m"
		switch tenths {
		case 0:
			class = "a"
		case 10:
			class = "a e"
		}
		c.text(class, at, y+50, fmt.Sprintf("%d %%", 10*tenths))
	}
	if len(l.Faults) > 0 {
		l.dead().legend(c, x, y+66)
		y += 26
	}
	for i, words := range l.slow.entries() {
		l.slow.entry(c, i, words, x, y+66)
		y += 20
	}
	return l.list(c, links, x, y+84)
}

// list draws the states of the hottest links.
func (l *Load) list(c *canvas, links []topology.Link, x, y float64) float64 {
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
	names, left := make([]string, len(hottest)), 104.0
	dead := l.dead().links()
	for k, i := range hottest {
		names[k] = l.Topology.LinkText(links[i].From, links[i].To, " → ")
		if when := dead[[2]router.NodeID{links[i].From, links[i].To}]; when != "" {
			names[k] += ", " + shorter(when, names[k])
		}
		left = max(left, textWidth(names[k], labelFont)+8)
	}
	for k, i := range hottest {
		y += 24
		class := ""
		if strings.Contains(names[k], ", dead") {
			class = "da"
		}
		c.text(class, x, y, names[k])
		l.bar(c, l.Use[i], x+left, y, sideWidth-56-left)
	}
	if more := l.asBusy(hottest); more > 0 {
		y += 20
		c.text("a", x, y, fmt.Sprintf("and %s more, as busy as the last", thousands(int64(more))))
	}
	return y + 16
}

// widestName bounds the names of a list that leave room for its bars.
const widestName = 190

// shorter is what a list says of a dead link behind its name: words with spans of cycles that have no room become shorter ones.
func shorter(when, name string) string {
	for _, words := range []string{when, someCycles} {
		if textWidth(name+", "+words, labelFont) <= widestName {
			return words
		}
	}
	return always
}

// asBusy counts the links that are not listed although they are as busy as the last that is.
func (l *Load) asBusy(listed []int) int {
	last, same := l.Use[listed[len(listed)-1]], 0
	for _, u := range l.Use {
		if u.Busy == last.Busy && u.Blocked == last.Blocked {
			same++
		}
	}
	for _, i := range listed {
		if l.Use[i].Busy == last.Busy && l.Use[i].Blocked == last.Blocked {
			same--
		}
	}
	return same
}

// bar draws the states of a link as a bar of busy, blocked and idle cycles.
func (l *Load) bar(c *canvas, u Use, x, y, whole float64) {
	busy, blocked := l.share(u.Busy), l.share(u.Blocked)
	c.rect("rest", x, y-10, whole, 13, ` rx="2"`)
	if busy > 0 {
		c.rect(fmt.Sprintf("l%d", level(busy)), x, y-10, whole*busy, 13, ` rx="2"`)
	}
	if blocked > 0 {
		c.rect("blocked", x+whole*busy, y-10, whole*min(blocked, 1-busy), 13, "")
	}
	c.text("b", x+whole+8, y, percent(busy))
}

func percent(share float64) string {
	if share > 0 && share < 0.0995 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
