// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Trees is a picture of spanning trees of a network beside each other, roots on top. The colour of
// a link is its dimension, outside grids and star graphs its port at the parent. Children stand in the
// order of dimensions, from that of the tree's number on: trees that are rotations of one another have
// the same shape.
type Trees struct {
	Title, Subtitle string
	Topology        *topology.Topology
	Trees           []*topology.SpanningTree   // may leave out nodes
	Names           func(router.NodeID) string // nil: numbers
	Faults          []Fault                    // dead nodes and links, red and dashed
	Notes           []string                   // what else is to be said
}

// Sizes of a tree on the page, in pixels.
const (
	treePitch  = 38.0 // from leaf to leaf
	levelPitch = 52.0 // from level to level
	treeGap    = 34.0 // from tree to tree
	treeNode   = 17.0 // height of a node
)

// hues are the colours of dimensions (Okabe and Ito, darkened where they are pale).
var hues = [...]string{"#0072b2", "#d55e00", "#009e73", "#b8559b", "#3f9bd1", "#b98500", "#5b5b5b", "#8a8200"}

// Write draws the picture. The error is the writer's, or an *input.Error if a tree is none of the
// network's.
func (t *Trees) Write(w io.Writer) error {
	if err := t.Topology.Valid(); err != nil {
		return err
	}
	for _, s := range t.Trees {
		if s == nil || len(s.Parent) != t.Topology.Nodes() {
			return input.Errorf("expected a tree of "+t.Topology.String(), "a tree of another network")
		}
	}
	dead := &deadSigns{topology: t.Topology, faults: t.Faults}
	c := &canvas{styles: ".n{fill:#fff;stroke:#8b93a0;stroke-width:1}\n.k{font-size:10px}\n"}
	for i, hue := range hues {
		c.styles += fmt.Sprintf(".h%d{stroke:%s;stroke-width:2;fill:none}\n", i, hue)
	}
	c.styles += dead.styles()
	x, y := margin, c.heading(t.Title, t.Subtitle)+14
	x = dead.legend(c, t.legend(c, x, y), y-11)
	right, bottom := x, y
	left, y := margin, y+26
	for i, s := range t.Trees {
		width, height := t.draw(c, i, s, dead, left, y)
		left += width + treeGap
		bottom = max(bottom, y+height)
	}
	width := max(right, left-treeGap)
	if len(t.Notes) > 0 {
		bottom = c.notes(margin, bottom+30, width-margin, t.Notes) - 17
	}
	return c.document(w, width+margin, bottom+margin, t.Title)
}

// legend names the colours; it returns where they end.
func (t *Trees) legend(c *canvas, x, y float64) float64 {
	named := map[int]string{}
	for p := range router.Port(t.Topology.Ports(t.Topology.Root)) {
		d := t.dimension(p)
		if named[d] = t.Topology.PortName(t.Topology.Root, p); t.Topology.IsGrid() {
			named[d] = named[d][1:]
		}
	}
	for d := range len(named) {
		c.line(fmt.Sprintf("h%d", d%len(hues)), x, y-4, x+22, y-4)
		c.text("", x+28, y, named[d])
		x += 44 + textWidth(named[d], 11)
	}
	return x
}

// dimension returns that of a port.
func (t *Trees) dimension(p router.Port) int {
	if t.Topology.IsGrid() {
		return int(p / 2)
	}
	return int(p)
}

// link returns the dimension of the link from a node to its child.
func (t *Trees) link(n, child router.NodeID) int {
	p, _ := t.Topology.PortTo(n, child)
	return t.dimension(p)
}

// draw draws a tree with its corner at x, y; it returns the size.
func (t *Trees) draw(c *canvas, number int, s *topology.SpanningTree, dead *deadSigns, x, y float64) (width, height float64) {
	children := s.Children()
	dimensions := max(1, t.dimension(router.Port(t.Topology.Ports(s.Root))))
	for n, list := range children {
		slices.SortStableFunc(list, func(a, b router.NodeID) int {
			turned := func(child router.NodeID) int {
				return (t.link(router.NodeID(n), child) - number + dimensions) % dimensions
			}
			return cmp.Compare(turned(a), turned(b))
		})
	}
	across := columns(s, children, inTree(s))
	place := func(n router.NodeID) spot {
		return spot{x + (across[n]+0.5)*treePitch, y + treeNode/2 + float64(s.Depth[n])*levelPitch}
	}
	cut, marks := dead.links(), map[router.NodeID]string{}
	dead.mark(marks)
	for _, n := range s.Order[1:] {
		from, to := place(s.Parent[n]), place(n)
		class := fmt.Sprintf("h%d", t.link(s.Parent[n], n)%len(hues))
		if when := cut[[2]router.NodeID{s.Parent[n], n}]; when != "" {
			class = sign("dl", when)
		}
		c.line(class, from.x, from.y, to.x, to.y)
	}
	for _, n := range s.Order {
		at := place(n)
		width = max(width, (across[n]+1)*treePitch)
		name := fmt.Sprint(n)
		if t.Names != nil {
			name = t.Names(n)
		}
		wide := max(treeNode, textWidth(name, 10)+8)
		c.rect(cmp.Or(marks[n], "n"), at.x-wide/2, at.y-treeNode/2, wide, treeNode, ` rx="3"`)
		c.text("m k", at.x, at.y+3.5, name)
	}
	return width, float64(s.MaxDepth())*levelPitch + treeNode
}

// inTree says of each node whether a tree has it.
func inTree(s *topology.SpanningTree) []bool {
	shown := make([]bool, len(s.Parent))
	for _, n := range s.Order {
		shown[n] = true
	}
	return shown
}
