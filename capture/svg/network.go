// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"io"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Network is a picture of a network as such: its nodes and links, and spanning trees on them, one colour each, with
// arrows from the root outwards.
type Network struct {
	Title, Subtitle string
	Topology        *topology.Topology
	Root            router.NodeID
	Trees           []*topology.SpanningTree // may leave out nodes
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
	if p.grid && (p.right >= maxAbreast || p.bottom >= maxAbreast) {
		return input.Errorf(fmt.Sprintf("expected at most %d nodes beside each other", maxAbreast), "%s has no room in a picture", n.Topology)
	}
	c := &canvas{styles: ".n{fill:#fff;stroke:#8b93a0;stroke-width:1}\n.k{font-size:10px}\n.w{stroke:#b3b9c3;stroke-width:1.2;fill:none}\n.r{fill:#fdf0d5;stroke:#2b2f36;stroke-width:1.5}\n"}
	for i, hue := range hues {
		c.styles += fmt.Sprintf(".f%d{fill:%s}\n.h%d{stroke:%s;fill:none}\n", i, hue, i, hue)
	}
	top := c.heading(n.Title, n.Subtitle)
	s := p.scale(margin, top, n.Topology.Links())
	n.drawLinks(c, s)
	for k, tree := range n.Trees {
		n.drawTree(c, s, k, tree)
	}
	s.drawNodes(c)
	if p.shown[n.Root] && len(n.Trees) > 0 {
		n.drawRoot(c, s)
	}
	free := &labels{}
	s.headings(c, free)
	width, height := s.size()
	var notes []string
	if count := p.count(); count < n.Topology.Nodes() {
		notes = append(notes, fmt.Sprintf("Large network: the %s nodes nearest to node %d, of %s, are shown.", thousands(int64(count)), n.Topology.Root, thousands(int64(n.Topology.Nodes()))))
	}
	width = max(width, 420)
	bottom := c.notes(margin, top+height+22, width, append(notes, s.explain()...))
	return c.document(w, width+2*margin, bottom+margin-12, n.Title)
}

// drawLinks draws a line for both directions of each link.
func (n *Network) drawLinks(c *canvas, s *scale) {
	middle := *s
	middle.thick = 0 // no room between the directions
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

// drawTree draws arrows from parents to children.
func (n *Network) drawTree(c *canvas, s *scale, k int, tree *topology.SpanningTree) {
	hue := k % len(hues)
	thick := max(1.2, s.thick*0.55)
	way := *s
	if len(n.Trees) == 1 {
		way.thick = 0 // on the line of the link
	}
	for _, child := range tree.Order {
		parent := tree.Parent[child]
		if child == tree.Root || !s.plan.shown[child] || !s.plan.shown[parent] {
			continue
		}
		port, ok := n.Topology.PortTo(parent, child)
		if !ok {
			continue
		}
		link := topology.Link{From: parent, FromPort: port, To: child, ToPort: n.Topology.BackPort(parent, port)}
		fmt.Fprintf(c, "<g><title>tree %d: %d &gt; %d</title>", k+1, parent, child)
		for _, arrow := range way.stretches(link) {
			arrow.head = 1.5 * s.thick
			if arrow.bow != 0 {
				fmt.Fprintf(c, `<path class="h%d" stroke-width="%s" d="%s"/>`, hue, num(thick), arrow.curve())
			}
			fmt.Fprintf(c, `<path class="f%d" d="%s"/>`, hue, arrow.outline(thick))
		}
		fmt.Fprintln(c, "</g>")
	}
}

// drawRoot marks the root.
func (n *Network) drawRoot(c *canvas, s *scale) {
	at := s.place(s.plan.at[n.Root])
	c.rect("r", at.x-s.node/2, at.y-s.node/2, s.node, s.node, fmt.Sprintf(` rx="%s"`, num(min(4, s.node/6))))
	if s.named {
		c.text("m k b", at.x, at.y+3.5, fmt.Sprint(n.Root))
	}
}
