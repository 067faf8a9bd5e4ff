// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"slices"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

// Fault is a dead node, whose number both ends are, or a link that is dead in one direction.
type Fault struct {
	From, To router.NodeID
	When     string // "dead", "dead from cycle 100 on"
}

// always is what Fault.When is of faults that last for the whole run.
const always = "dead"

// FaultsOf are the faults of a picture of a network with these dead nodes and links.
func FaultsOf(broken []fault.Broken) []Fault {
	var list []Fault
	for i := range broken {
		b := &broken[i]
		f := Fault{From: b.From, To: b.To, When: always}
		if when := b.When(); when != "" {
			f.When += " " + when
		}
		if list = append(list, f); b.BothWays {
			f.From, f.To = f.To, f.From
			list = append(list, f)
		}
	}
	return list
}

// deadSigns draws dead nodes and links into a picture of a network, red and dashed.
type deadSigns struct {
	topology *topology.Topology
	faults   []Fault
	more     func(topology.Link) string // what else the mouse shows at a dead link of a picture with an arrow for each direction; nil: of one without
}

// someCycles are the words for several spans of cycles.
const someCycles = "dead in some cycles"

// spans names the cycles of the faults that do not last for the whole run; "" if all do. The notes of a picture name several spans.
func (d *deadSigns) spans() string {
	words := ""
	for _, f := range d.faults {
		switch {
		case f.When == always || f.When == words:
		case words == "":
			words = f.When
		default:
			return someCycles
		}
	}
	return words
}

// sign is the class of a sign: dashed what is dead for good, dotted and without filling what is dead in some cycles.
func sign(class, when string) string {
	if when != always {
		class += "t"
	}
	return class
}

// red is the colour of what is dead.
const red = "#c62828"

// styles are those of the signs; those of what is dead in some cycles only where there is any.
func (d *deadSigns) styles() string {
	if len(d.faults) == 0 {
		return ""
	}
	styles := ".dn{fill:#fbe6e4;stroke:" + red + ";stroke-width:1.6;stroke-dasharray:4 2}\n.dl{stroke:" + red + ";stroke-width:2;stroke-dasharray:5 3;fill:none}\n.da{fill:" + red + "}\n"
	if d.spans() != "" {
		styles += ".dnt{fill:#fff;stroke:" + red + ";stroke-width:1.6;stroke-dasharray:1.5 3}\n.dlt{stroke:" + red + ";stroke-width:2;stroke-dasharray:1.5 4;fill:none}\n"
	}
	return styles
}

// legend explains the signs from a place on; it returns where they end.
func (d *deadSigns) legend(c *canvas, x, y float64) float64 {
	if d.any(func(f Fault) bool { return f.From == f.To && f.When == always }) {
		c.rect("dn", x, y, 14, 14, ` rx="3"`)
		c.text("", x+20, y+11, "dead node")
		x += 36 + textWidth("dead node", 11)
	}
	if d.any(func(f Fault) bool { return f.When == always }) { // all links of a dead node are
		c.line("dl", x, y+7, x+24, y+7)
		c.text("", x+30, y+11, "dead link")
		x += 46 + textWidth("dead link", 11)
	}
	if words := d.spans(); words != "" {
		c.line("dlt", x, y+7, x+24, y+7)
		c.text("", x+30, y+11, words)
		x += 46 + textWidth(words, 11)
	}
	return x
}

func (d *deadSigns) any(is func(Fault) bool) bool { return slices.ContainsFunc(d.faults, is) }

// mark enters the class of dead nodes.
func (d *deadSigns) mark(marks map[router.NodeID]string) {
	for _, f := range d.faults {
		if f.From == f.To && marks[f.From] != sign("dn", always) {
			marks[f.From] = sign("dn", f.When)
		}
	}
}

// links says of directed links when they are dead: "dead" what is for good, whatever else it is. All links of a dead node are dead.
func (d *deadSigns) links() map[[2]router.NodeID]string {
	when := map[[2]router.NodeID]string{}
	note := func(from, to router.NodeID, words string) {
		at := [2]router.NodeID{from, to}
		switch {
		case when[at] == "", words == always:
			when[at] = words
		case when[at] != always && when[at] != words:
			when[at] += ", " + words
		}
	}
	for _, f := range d.faults {
		if f.From != f.To {
			note(f.From, f.To, f.When)
			continue
		}
		for p := range router.Port(d.topology.Ports(f.From)) {
			if m := d.topology.Neighbor(f.From, p); m != router.None {
				note(f.From, m, f.When)
				note(m, f.From, f.When)
			}
		}
	}
	return when
}

// draw draws dead links over the others: an arrow for each direction, or in a picture without arrows for all links a line where both are dead.
func (d *deadSigns) draw(c *canvas, s *scale) {
	if len(d.faults) == 0 {
		return
	}
	dead := d.links()
	for _, link := range d.topology.Links() {
		words, is := dead[[2]router.NodeID{link.From, link.To}]
		if !is || !s.plan.shown[link.From] || !s.plan.shown[link.To] || !s.plan.asked(link.From) && !s.plan.asked(link.To) {
			continue
		}
		way := s
		if d.more == nil && words == dead[[2]router.NodeID{link.To, link.From}] {
			if _, stub := s.plan.stub(link); link.From > link.To && !stub {
				continue // drawn the other way round
			}
			way = s.onLinks()
		}
		fmt.Fprintf(c, "<g><title>%s</title>", escape.XML(d.title(link, words)))
		for _, arrow := range way.stretches(link) {
			fmt.Fprintf(c, `<path class="%s" d="%s"/>`, sign("dl", words), arrow.curve())
			if way == s {
				fmt.Fprintf(c, `<path class="da" d="%s"/>`, arrow.tip())
			}
		}
		fmt.Fprintln(c, "</g>")
	}
}

// title is what the mouse shows at a dead link.
func (d *deadSigns) title(link topology.Link, words string) string {
	title := d.topology.LinkText(link.From, link.To, " > ") + ": " + words
	if d.more != nil {
		title += ", " + d.more(link)
	}
	return title
}
