// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Broken is a dead node, or a dead link: both ways in the same cycles, or one way.
type Broken struct {
	Kind       Kind          // Node or Link
	From, To   router.NodeID // the ends of the link, the lower first if both ways are dead; of a node both are the node
	BothWays   bool
	Start, End router.Cycle // in cycles of the machine, without the last one
}

// BrokenOf lists the dead nodes and links among faults, each once: nodes first, in rising order.
func BrokenOf(faults []Fault) []Broken {
	all := map[Broken]bool{}
	for _, f := range faults {
		if f.Kind == Node || f.Kind == Link {
			all[Broken{Kind: f.Kind, From: f.From, To: f.To, Start: f.Start, End: f.End}] = true
		}
	}
	var list []Broken
	for b := range all {
		back := b
		back.From, back.To = b.To, b.From
		if b.Kind == Link && all[back] {
			if b.BothWays = true; b.From > b.To {
				continue // listed the other way round
			}
		}
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b Broken) int {
		return cmp.Or(-cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return list
}

// Broken lists the dead nodes and links of a network.
func (f *Faults) Broken() []Broken { return BrokenOf(f.broken) }

// name is the node, or the link as in a file of faults: 3>4, or 3-4 for both ways.
func (b *Broken) name(t *topology.Topology) string {
	switch {
	case b.Kind == Node:
		return t.NodeText(b.From)
	case b.BothWays:
		return t.LinkText(b.From, b.To, "-")
	}
	return t.LinkText(b.From, b.To, ">")
}

// When says in which cycles it is dead; "" from cycle 0 on for good.
func (b *Broken) When() string {
	switch {
	case b.End == b.Start+1:
		return fmt.Sprintf("in cycle %d", b.Start)
	case b.End < Never:
		return fmt.Sprintf("in cycles %d to %d", b.Start, b.End-1)
	case b.Start > 0:
		return fmt.Sprintf("from cycle %d on", b.Start)
	}
	return ""
}

// WhenOf says in which cycles a link is dead, by itself or with one of its nodes; of a node both ends are the node. It is "" of what is dead from cycle 0 on for good.
func WhenOf(list []Broken, from, to router.NodeID) string {
	var all []string
	for i := range list {
		b := &list[i]
		whole := b.Kind == Node && (b.From == from || b.From == to)
		if !whole && (b.Kind == Node || (b.From != from || b.To != to) && (!b.BothWays || b.From != to || b.To != from)) {
			continue
		}
		when := b.When()
		if when == "" {
			return ""
		}
		if !slices.Contains(all, when) {
			all = append(all, when)
		}
	}
	return strings.Join(all, " and ")
}

// mostBroken bounds the nodes and links that a text names.
const mostBroken = 10

// BrokenText names the first of some dead nodes and links: "node 5; links 0-6, 3>4 from cycle 100 on". It is "none" of an empty list.
func BrokenText(t *topology.Topology, list []Broken) string {
	if len(list) == 0 {
		return "none"
	}
	var b strings.Builder
	first := list[:min(mostBroken, len(list))]
	for i := range first {
		x := &first[i]
		switch {
		case i > 0 && x.Kind == first[i-1].Kind:
			b.WriteString(", ")
		default:
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(string(x.Kind))
			if next := i + 1; next < len(first) && first[next].Kind == x.Kind {
				b.WriteString("s")
			}
			b.WriteString(" ")
		}
		b.WriteString(x.name(t))
		if when := x.When(); when != "" {
			b.WriteString(" " + when)
		}
	}
	if left := len(list) - len(first); left > 0 {
		fmt.Fprintf(&b, " and %d more", left)
	}
	return b.String()
}

// BrokenCounts counts dead nodes and links: "1 dead node, 2 dead links, both ways". A link that is dead both ways counts once.
func BrokenCounts(list []Broken) string {
	nodes, both, oneWay := map[router.NodeID]bool{}, map[link]bool{}, map[link]bool{}
	for _, x := range list {
		switch {
		case x.Kind == Node:
			nodes[x.From] = true
		case x.BothWays:
			both[link{x.From, x.To}] = true
		default:
			oneWay[link{x.From, x.To}] = true
		}
	}
	for at := range oneWay {
		if back := (link{at.to, at.from}); oneWay[back] || both[at] || both[back] {
			delete(oneWay, at)
			delete(oneWay, back)
			both[link{min(at.from, at.to), max(at.from, at.to)}] = true
		}
	}
	text := input.Count(len(nodes), "dead node") + ", " + input.Count(len(both)+len(oneWay), "dead link")
	switch {
	case len(both)+len(oneWay) == 0:
		return text
	case len(oneWay) == 0:
		return text + ", both ways"
	case len(both) == 0:
		return text + ", one way"
	}
	return text + fmt.Sprintf(", %d of them one way", len(oneWay))
}
