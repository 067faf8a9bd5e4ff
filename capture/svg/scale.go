// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"

	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

// Sizes of a network on the page, in pixels.
const (
	roomAcross = 1060.0
	roomDown   = 820.0
	farDown    = 1500.0 // for high plans: down, readers scroll
	fairPitch  = 48.0   // up to which they need it
	mostPitch  = 96.0
	leastPitch = 10.0
	nameFont   = 10.0 // names in nodes
	labelFont  = 11.0
)

// scale maps a plan to the page.
type scale struct {
	plan        *plan
	x, y        float64                  // top left corner
	pitch       float64                  // pixels between neighbours
	node        float64                  // side of a node's square
	thin, thick float64                  // widths of an arrow at 0 and at 100 %
	aside       float64                  // how far an arrow is off the middle of its link, to its right
	left, top   float64                  // room beside and above the nodes, for headings
	beyond      float64                  // room on all sides of a circle, for names
	named       bool                     // names have room in the nodes
	marked      map[router.NodeID]string // classes of squares that differ from the others
}

func (p *plan) scale(x, y float64, links []topology.Link) *scale {
	down := max(roomDown/(p.bottom+1), min(fairPitch, farDown/(p.bottom+1)))
	pitch := min(mostPitch, max(leastPitch, min(roomAcross/(p.right+1), down)))
	s := &scale{plan: p, x: x, y: y}
	s.setPitch(pitch)
	widest := 0.0
	for n, shown := range p.shown {
		if shown {
			widest = max(widest, textWidth(p.name(router.NodeID(n)), nameFont))
		}
	}
	s.named = s.node >= 14 && widest < s.node-2
	if len(p.layers) > 0 {
		s.top = 18
	}
	if !s.named {
		s.makeRoom(widest)
	}
	return s
}

// setPitch sets the pixels between neighbours, and what grows with them.
func (s *scale) setPitch(pitch float64) {
	s.pitch, s.node = pitch, pitch*nodeSide
	s.thin, s.thick = max(0.6, pitch*0.015*s.plan.squeezed), pitch*0.085*s.plan.squeezed
	s.aside = s.thick * 0.8
}

// makeRoom makes room for the names of rows and columns, or of nodes on a circle of which the widest is so wide.
func (s *scale) makeRoom(widest float64) {
	if s.plan.wheel {
		s.beyond = max(0, widest+rimGap-s.pitch/2) + 3*nameFont
		s.setPitch(max(leastPitch, s.pitch*(1-2*s.beyond/roomAcross)))
	}
	if len(s.plan.columns) > 0 {
		s.top += 16 + s.columnsAbove() - s.pitch/2
	}
	for _, h := range s.plan.rows {
		s.left = max(s.left, textWidth(h.words, labelFont)+10)
	}
}

// columnsAbove is how far above the first row its columns' names stand: clear of
// that row's own name.
func (s *scale) columnsAbove() float64 { return max(s.pitch/2, 8) }

// place returns where a spot of the plan is on the page.
func (s *scale) place(at spot) spot {
	return spot{s.x + s.left + s.beyond + (at.x+0.5)*s.pitch, s.y + s.top + s.beyond + (at.y+0.5)*s.pitch}
}

func (s *scale) size() (width, height float64) {
	return (s.plan.right+1)*s.pitch + s.left + 2*s.beyond, (s.plan.bottom+1)*s.pitch + s.top + 2*s.beyond
}

// headings writes what names the rows, columns and layers.
func (s *scale) headings(c *canvas, l *labels) {
	switch {
	case s.named:
	case len(s.plan.rows) > 0:
		s.nameRows(c, l)
		s.nameColumns(c, l)
	default:
		s.nameNodes(c, l)
	}
	s.nameLayers(c, l)
}

// nameRows names the rows, or where they are close every second, fifth or so.
func (s *scale) nameRows(c *canvas, l *labels) {
	step := tick(1, s.pitch/12)
	for _, h := range s.plan.rows {
		at := s.place(spot{0, h.at})
		width := textWidth(h.words, labelFont)
		right := at.x - s.pitch/2 - 4
		if int64(h.index)%step != 0 {
			continue
		}
		if _, ok := l.place([]box{{right - width, at.y - 6, right, at.y + 6}}); ok {
			c.text("a e", right, at.y+4, h.words)
		}
	}
}

// nameColumns does so for columns, above the first row.
func (s *scale) nameColumns(c *canvas, l *labels) {
	widest := 0.0
	for _, h := range s.plan.columns {
		widest = max(widest, textWidth(h.words, labelFont)+6)
	}
	step := tick(1, s.pitch/widest)
	for _, h := range s.plan.columns {
		if int64(h.index)%step != 0 {
			continue
		}
		at := s.place(spot{h.at, 0})
		if _, ok := l.place([]box{around(at.x, at.y-s.columnsAbove()-8, textWidth(h.words, labelFont), 12)}); ok {
			c.text("a m", at.x, at.y-s.columnsAbove()-4, h.words)
		}
	}
}

// nameNodes names nodes beside their squares, where there is room.
func (s *scale) nameNodes(c *canvas, l *labels) {
	for n, shown := range s.plan.shown {
		if !shown {
			continue
		}
		words := s.plan.name(router.NodeID(n))
		width, height := textWidth(words, nameFont), nameFont-1
		places := s.besideNode
		if s.plan.wheel {
			places = s.beyondNode
		}
		if b, ok := l.place(places(s.plan.at[n], width, height)); ok {
			c.text("m k", (b.left+b.right)/2, b.bottom-1, words)
		}
	}
}

// besideNode returns the boxes around a node for a name.
func (s *scale) besideNode(node spot, width, height float64) []box {
	at := s.place(node)
	beside, above := s.node/2+2+width/2, s.node/2+2+height/2
	return []box{
		around(at.x+beside, at.y, width, height), around(at.x-beside, at.y, width, height),
		around(at.x, at.y+above, width, height), around(at.x, at.y-above, width, height),
		around(at.x+beside, at.y-above, width, height), around(at.x-beside, at.y-above, width, height),
	}
}

// rimGap is the space between a node on a circle and its name outside, in pixels.
const rimGap = 4.0

// beyondNode returns the boxes outside a circle for the name of a node on it: as near as it can be, and where names are close
// in further rings.
func (s *scale) beyondNode(node spot, width, height float64) []box {
	at, middle := s.place(node), s.place(spot{s.plan.right / 2, s.plan.bottom / 2})
	away := math.Hypot(at.x-middle.x, at.y-middle.y)
	ux, uy := (at.x-middle.x)/away, (at.y-middle.y)/away
	var boxes []box
	for ring := range 4 {
		far := s.node/2 + rimGap + float64(ring)*(height+1)
		boxes = append(boxes, around(at.x+ux*(far+width/2), at.y+uy*(far+height/2), width+4, height))
	}
	return boxes
}

// nameLayers names the layers, above their first rows: with their first nodes
// where the nodes have no names, and with nothing else where there is no room.
func (s *scale) nameLayers(c *canvas, l *labels) {
	for _, layer := range s.plan.layers {
		at := s.place(layer.at)
		for _, words := range layer.words(s.named) {
			left, bottom := at.x-s.node/2, at.y-s.pitch/2-2
			if !s.named && layer.at.y == 0 {
				bottom = at.y - s.columnsAbove() - 16 // the names of the columns stand below
			}
			if textWidth(words, labelFont) > (s.plan.across-0.3)*s.pitch {
				continue
			}
			if _, ok := l.place([]box{{left, bottom - 11, left + textWidth(words, labelFont), bottom}}); ok {
				c.text("a", left, bottom-2, words)
				break
			}
		}
	}
}

// words returns the names of a layer from the longest to the shortest.
func (c *caption) words(named bool) []string {
	first := fmt.Sprintf("from %d", c.first)
	if named {
		return []string{c.name, first}
	}
	return []string{c.name + ": " + first, first, fmt.Sprint(c.first)}
}

// explain says how nodes are numbered whose names have no room, and where
// the strokes of links ("arrows" or "lines") lead that do not end beside a node.
func (s *scale) explain(strokes string) []string {
	var notes []string
	if !s.named && s.plan.caption != "" {
		notes = append(notes, s.plan.caption)
	}
	if s.plan.stubs != nil {
		notes = append(notes, s.plan.stubs(strokes))
	}
	return notes
}

// drawNodes draws the nodes of the plan, with names where there is room.
func (s *scale) drawNodes(c *canvas) {
	for n, at := range s.plan.at {
		if !s.plan.shown[n] {
			continue
		}
		class, words := "n", "m k"
		if !s.plan.asked(router.NodeID(n)) {
			class, words = "n o", "m k a"
		}
		if mark := s.marked[router.NodeID(n)]; mark != "" {
			class = mark
		}
		middle := s.place(at)
		title := s.plan.text(router.NodeID(n))
		pointed := !s.named || title != s.plan.name(router.NodeID(n)) // pointing at the node tells
		if pointed {
			fmt.Fprintf(c, "<g><title>%s</title>", escape.XML(title))
		}
		s.drawSquare(c, class, router.NodeID(n))
		if s.named {
			c.text(words, middle.x, middle.y+3.5, s.plan.name(router.NodeID(n)))
		}
		if pointed {
			fmt.Fprintln(c, "</g>")
		}
	}
}

// squares are the squares of the nodes, on which no words may lie.
func (s *scale) squares() []box {
	var taken []box
	for n, at := range s.plan.at {
		if s.plan.shown[n] {
			middle := s.place(at)
			taken = append(taken, around(middle.x, middle.y, s.node, s.node).grown(1))
		}
	}
	return taken
}

// drawSquare draws the square of a node.
func (s *scale) drawSquare(c *canvas, class string, n router.NodeID) {
	at := s.place(s.plan.at[n])
	c.rect(class, at.x-s.node/2, at.y-s.node/2, s.node, s.node, fmt.Sprintf(` rx="%s"`, num(min(4, s.node/6))))
}
