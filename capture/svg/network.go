// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"io"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
)

// Network is a picture of a network as such: its nodes and links, and spanning trees on them, one colour each, with
// arrows from the root outwards. It may show arrows of other kinds instead, or groups of nodes.
type Network struct {
	Title, Subtitle string
	Topology        *topology.Topology
	Root            router.NodeID
	Trees           []*topology.SpanningTree   // may leave out nodes
	Arrows          []Arrow                    // on links
	Groups          []Group                    // of nodes, each with a colour
	Names           func(router.NodeID) string // nil: numbers
	Faults          []Fault                    // dead nodes and links, red and dashed
	Slow            []Slow                     // links that are slower than the others
	Notes           []string                   // what else is to be said
}

// Arrow is a directed link, with the words that the mouse shows.
type Arrow struct {
	From, To router.NodeID
	Words    string // "step 3"
}

// Group is some nodes, with a name for the legend.
type Group struct {
	Name  string
	Nodes []router.NodeID
}

// Write draws the picture. The error is the writer's, or an *input.Error if a tree is none of the network's or the
// network has no room in a picture.
func (n *Network) Write(w io.Writer) error {
	if err := n.Topology.Valid(); err != nil {
		return err
	}
	for _, s := range n.Trees {
		if s == nil || len(s.Parent) != n.Topology.Nodes() {
			return input.Errorf("expected a tree of "+n.Topology.String(), "a tree of another network")
		}
	}
	p := newPlan(n.Topology, nil)
	p.names = n.Names
	if err := p.room(n.Topology); err != nil {
		return err
	}
	c := &canvas{styles: ".n{fill:#fff;stroke:#8b93a0;stroke-width:1}\n.k{font-size:10px}\n.w{stroke:#b3b9c3;stroke-width:1.2;fill:none}\n.r{fill:#fdf0d5;stroke:#2b2f36;stroke-width:1.5}\n"}
	for i, hue := range hues {
		c.styles += fmt.Sprintf(".f%d{fill:%s}\n.h%d{stroke:%s;fill:none}\n", i, hue, i, hue)
		if i < len(n.Groups) {
			c.styles += fmt.Sprintf(".%s{stroke:%s;stroke-width:2;fill:%s;fill-opacity:.3}\n", groupClass(i), hue, hue)
		}
	}
	dead, slow := n.dead(), newSlowSigns(n.Slow)
	c.styles += dead.styles() + slow.styles()
	top := n.legend(c, c.heading(n.Title, n.Subtitle))
	s := p.scale(margin, top, n.Topology.Links())
	slow.draw(c, s, n.Topology.Links(), false)
	n.drawLinks(c, s)
	for k, tree := range n.Trees {
		n.drawTree(c, s, k, tree)
	}
	beside := n.aside(s)
	for _, a := range n.Arrows {
		n.drawArrow(c, beside, 0, a.Words, a.From, a.To)
	}
	dead.draw(c, s)
	s.marked = n.marks()
	s.drawNodes(c)
	if p.shown[n.Root] && len(n.Trees) > 0 {
		n.drawRoot(c, s)
	}
	s.headings(c, &labels{taken: s.squares()})
	width, height := s.size()
	notes := slices.Clone(n.Notes)
	if count := p.count(); count < n.Topology.Nodes() {
		notes = append(notes, fmt.Sprintf("Large network: the %s nodes nearest to node %d, of %s, are shown.", thousands(int64(count)), n.Topology.Root, thousands(int64(n.Topology.Nodes()))))
	}
	width = max(width, 420)
	strokes := "lines"
	if len(n.Trees) > 0 || len(n.Arrows) > 0 {
		strokes = "arrows"
	}
	bottom := c.notes(margin, top+height+22, width, append(notes, s.explain(strokes)...))
	return c.document(w, width+2*margin, bottom+margin-12, n.Title)
}

// Room returns an *input.Error if a network has no room in a picture: Network.Write would refuse it.
func Room(t *topology.Topology) error {
	if !t.IsGrid() {
		return nil
	}
	return newPlan(t, nil).room(t)
}

// room refuses grids that are too wide or too high.
func (p *plan) room(t *topology.Topology) error {
	if p.grid && (p.right >= maxAbreast || p.bottom >= maxAbreast) {
		return input.Errorf(fmt.Sprintf("expected at most %d nodes beside each other", maxAbreast), "%s has no room in a picture", t)
	}
	return nil
}

// drawLinks draws a line for both directions of each link.
func (n *Network) drawLinks(c *canvas, s *scale) {
	middle := s.onLinks()
	for _, link := range n.Topology.Links() {
		_, stub := s.plan.stub(link)
		if !s.plan.shown[link.From] || !s.plan.shown[link.To] || link.From > link.To && !stub {
			continue
		}
		for _, line := range middle.stretches(link) {
			fmt.Fprintf(c, `<path class="w" d="%s"/>`+"\n", line.curve())
		}
	}
}

// onLinks is the scale of arrows that lie on the lines of their links.
func (s *scale) onLinks() *scale {
	middle := *s
	middle.aside = 0
	return &middle
}

// aside is the scale of the arrows of Arrows: on the lines of their links, or beside them where two have opposite directions.
func (n *Network) aside(s *scale) *scale {
	drawn := map[[2]router.NodeID]bool{}
	for _, a := range n.Arrows {
		drawn[[2]router.NodeID{a.From, a.To}] = true
		if drawn[[2]router.NodeID{a.To, a.From}] {
			return s
		}
	}
	return s.onLinks()
}

// drawTree draws arrows from parents to children.
func (n *Network) drawTree(c *canvas, s *scale, k int, tree *topology.SpanningTree) {
	way := s
	if len(n.Trees) == 1 {
		way = s.onLinks()
	}
	for _, child := range tree.Order {
		if child != tree.Root {
			n.drawArrow(c, way, k%len(hues), fmt.Sprintf("tree %d", k+1), tree.Parent[child], child)
		}
	}
}

// drawArrow draws an arrow from a node to its neighbour, where both are shown.
func (n *Network) drawArrow(c *canvas, s *scale, hue int, of string, from, to router.NodeID) {
	port, ok := n.Topology.PortTo(from, to)
	if !ok || !s.plan.shown[from] || !s.plan.shown[to] {
		return
	}
	thick := max(1.2, s.thick*0.55)
	link := topology.Link{From: from, FromPort: port, To: to, ToPort: n.Topology.BackPort(from, port)}
	fmt.Fprintf(c, "<g><title>%s: %s</title>", of, escape.XML(n.Topology.LinkText(from, to, " > ")))
	for _, arrow := range s.stretches(link) {
		if arrow.bow != 0 {
			fmt.Fprintf(c, `<path class="h%d" stroke-width="%s" d="%s"/>`, hue, num(thick), arrow.curve())
		}
		fmt.Fprintf(c, `<path class="f%d" d="%s"/>`, hue, arrow.outline(thick))
	}
	fmt.Fprintln(c, "</g>")
}

// dead are the signs of the faults.
func (n *Network) dead() *deadSigns { return &deadSigns{topology: n.Topology, faults: n.Faults} }

// legend names the colours of the groups, and the signs of faults and of slow links; it returns where the drawing can begin.
func (n *Network) legend(c *canvas, y float64) float64 {
	if len(n.Groups)+len(n.Faults)+len(n.Slow) == 0 {
		return y
	}
	x := margin
	entry := func(class, words string) {
		c.rect(class, x, y, 14, 14, ` rx="3"`)
		c.text("", x+20, y+11, words)
		x += 36 + textWidth(words, 11)
	}
	for i, g := range n.Groups {
		entry(groupClass(i), g.Name)
	}
	x = newSlowSigns(n.Slow).legend(c, n.dead().legend(c, x, y), y)
	c.widest = max(c.widest, x-margin)
	return y + 30
}

// marks are the classes of the nodes of the groups.
func (n *Network) marks() map[router.NodeID]string {
	marks := map[router.NodeID]string{}
	for i, g := range n.Groups {
		for _, node := range g.Nodes {
			marks[node] = groupClass(i)
		}
	}
	n.dead().mark(marks)
	return marks
}

func groupClass(i int) string { return fmt.Sprintf("g%d", i%len(hues)) }

// drawRoot marks the root.
func (n *Network) drawRoot(c *canvas, s *scale) {
	s.drawSquare(c, "r", n.Root)
	if at := s.place(s.plan.at[n.Root]); s.named {
		c.text("m k b", at.x, at.y+3.5, s.plan.name(n.Root))
	}
}
