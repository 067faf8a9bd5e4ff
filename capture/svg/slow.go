// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/router"
)

// Slow is a link, in one direction, that is slower than the machine's fastest ones.
type Slow struct {
	From, To router.NodeID
	Times    machine.LinkTime
}

// SlowLinks lists the links of a machine that are slower than its keys hop and flit say. Its errors are *input.Error.
func SlowLinks(t *topology.Topology, m *machine.Machine) ([]Slow, error) {
	times, err := m.LinkTimes(t)
	if times == nil || err != nil {
		return nil, err
	}
	var list []Slow
	fastest := machine.LinkTime{Hop: m.Hop, Flit: m.Flit}
	for link := range t.EachLink() {
		if of := times.Of(link.From, link.FromPort); of != fastest {
			list = append(list, Slow{link.From, link.To, of})
		}
	}
	return list, nil
}

// slowSigns draws slow links into a picture, as wide pale bands behind the links: the slower, the darker.
type slowSigns struct {
	links []Slow
	kinds []machine.LinkTime // all times there are, the fastest first
	of    map[[2]router.NodeID]machine.LinkTime
}

func newSlowSigns(links []Slow) *slowSigns {
	s := &slowSigns{links: links, of: map[[2]router.NodeID]machine.LinkTime{}}
	for _, l := range links {
		s.of[[2]router.NodeID{l.From, l.To}] = l.Times
		if !slices.Contains(s.kinds, l.Times) {
			s.kinds = append(s.kinds, l.Times)
		}
	}
	slices.SortFunc(s.kinds, func(a, b machine.LinkTime) int {
		return cmp.Or(cmp.Compare(a.Flit, b.Flit), cmp.Compare(a.Hop, b.Hop))
	})
	return s
}

// amber are the colours of the bands. If there are more kinds of times than colours, the last colour is that of all others.
var amber = [...]string{"#fbe3b0", "#f6c667", "#e9a23b", "#cf7d22", "#a85a17", "#7a3d12"}

// styles are those of the bands.
func (s *slowSigns) styles() string {
	text := ""
	for i := range min(len(s.kinds), len(amber)) {
		text += fmt.Sprintf(".sl%d{stroke:%s;fill:none}\n.sf%d{fill:%s}\n", i, amber[i], i, amber[i])
	}
	return text
}

// kind returns the number of the colour of a time.
func (s *slowSigns) kind(t machine.LinkTime) int {
	return min(slices.Index(s.kinds, t), len(amber)-1)
}

// entries are the words of the legend, by colour.
func (s *slowSigns) entries() []string {
	counts := map[machine.LinkTime]int64{}
	for _, l := range s.links {
		counts[l.Times]++
	}
	var words []string
	for i, t := range s.kinds {
		if last := len(amber) - 1; i == last && len(s.kinds) > len(amber) {
			rest := int64(0)
			for _, other := range s.kinds[i:] {
				rest += counts[other]
			}
			return append(words, fmt.Sprintf("slower still (%s)", plural(rest, "link")))
		}
		words = append(words, fmt.Sprintf("%s (%s)", timesText(t), plural(counts[t], "link")))
	}
	return words
}

func timesText(t machine.LinkTime) string { return fmt.Sprintf("hop %d, flit %d", t.Hop, t.Flit) }

// words says what the mouse shows of a link besides other words: nothing of one that is not slow.
func (s *slowSigns) words(from, to router.NodeID) string {
	if t, slow := s.of[[2]router.NodeID{from, to}]; slow {
		return timesText(t)
	}
	return ""
}

// legend explains the bands in a row, beginning at a place; it returns where they end.
func (s *slowSigns) legend(c *canvas, x, y float64) float64 {
	for i, words := range s.entries() {
		x = s.entry(c, i, words, x, y)
	}
	return x
}

// entry draws an entry of the legend; it returns where the next one begins.
func (s *slowSigns) entry(c *canvas, i int, words string, x, y float64) float64 {
	c.rect(fmt.Sprintf("sf%d", i), x, y+2, 24, 10, "")
	c.line("w", x, y+7, x+24, y+7)
	c.text("", x+30, y+11, words)
	return x + 46 + textWidth(words, 11)
}

// draw draws the bands: in a picture with an arrow for each direction one beside the other, otherwise one for both directions where these are alike.
func (s *slowSigns) draw(c *canvas, at *scale, links []topology.Link, arrows bool) {
	if len(s.links) == 0 {
		return
	}
	for _, link := range links {
		t, slow := s.of[[2]router.NodeID{link.From, link.To}]
		if !slow || !at.plan.shown[link.From] || !at.plan.shown[link.To] || !at.plan.asked(link.From) && !at.plan.asked(link.To) {
			continue
		}
		way, width := at, 1.9*at.aside
		title := fmt.Sprintf("%s > %s: %s", at.plan.name(link.From), at.plan.name(link.To), timesText(t))
		if back, both := s.of[[2]router.NodeID{link.To, link.From}]; !arrows && both && back == t {
			if _, stub := at.plan.stub(link); link.From > link.To && !stub {
				continue // drawn the other way round
			}
			way, width = at.onLinks(), 2*width
			title = fmt.Sprintf("%s – %s: %s", at.plan.name(link.From), at.plan.name(link.To), timesText(t))
		}
		fmt.Fprintf(c, "<g><title>%s</title>", escape.XML(title))
		for _, line := range way.stretches(link) {
			fmt.Fprintf(c, `<path class="sl%d" stroke-width="%s" d="%s"/>`, s.kind(t), num(max(2, width)), line.curve())
		}
		fmt.Fprintln(c, "</g>")
	}
}

// columnStyles are those of the strips of a space-time diagram.
func (s *slowSigns) columnStyles() string {
	if len(s.links) == 0 {
		return ""
	}
	return ".strip{fill-opacity:.35}\n"
}

// beside reports whether a link joins neighbouring columns from low to high.
func (l *Slow) beside(low, high router.NodeID) bool {
	left, right := min(l.From, l.To), max(l.From, l.To)
	return right-left == 1 && left >= low && right <= high
}

// drawColumns draws a strip between two columns whose link is slow; of different directions it shows the slower one.
func (s *slowSigns) drawColumns(c *canvas, f *frame) {
	for _, l := range s.links {
		back, both := s.of[[2]router.NodeID{l.To, l.From}]
		kind := s.kind(l.Times)
		if !l.beside(f.low, f.low+router.NodeID(f.columns)-1) || both && (s.kind(back) > kind || s.kind(back) == kind && l.From > l.To) {
			continue
		}
		title := fmt.Sprintf("%d > %d: %s", l.From, l.To, timesText(l.Times))
		if both {
			title += fmt.Sprintf("; %d > %d: %s", l.To, l.From, timesText(back))
		}
		left := f.atNode(float64(min(l.From, l.To)))
		fmt.Fprintf(c, "<g><title>%s</title>", escape.XML(title))
		c.rect(fmt.Sprintf("strip sf%d", kind), left+f.pitch*0.25, f.y, f.pitch*0.5, f.height(), "")
		fmt.Fprintln(c, "</g>")
	}
}

// legendOfColumns explains the strips between columns from low to high, and says how many slow links there are elsewhere.
func (s *slowSigns) legendOfColumns(f *flow, low, high router.NodeID) {
	elsewhere := int64(0)
	for _, l := range s.links {
		if !l.beside(low, high) {
			elsewhere++
		}
	}
	for i, words := range s.entries() {
		f.chip(fmt.Sprintf("strip sf%d", i), "links with "+words)
	}
	if elsewhere > 0 {
		f.words(fmt.Sprintf("%s not marked: between columns that are not neighbours", plural(elsewhere, "slow link")))
	}
}
