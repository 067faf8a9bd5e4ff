// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"strconv"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// linkSet is some links of a network: one or both directions of one, those of a dimension, those between blocks, or all.
type linkSet struct {
	text     string
	kind     string // before the colon, linkKinds; "": a link by its ends
	from, to router.NodeID
	both     bool
	dim      int
	sides    []int // of a block
}

// The kinds of sets that have a name.
const (
	dimLinks   = "dim"
	blockLinks = "blocks"
	allLinks   = "all"
)

// wantLinks is what is expected of links.
const wantLinks = "expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all"

// String returns the text of the set.
func (s linkSet) String() string { return s.text }

func parseLinkSet(text string) (linkSet, *input.Error) {
	s := linkSet{text: text}
	kind, value, named := strings.Cut(text, ":")
	bad := func() (linkSet, *input.Error) { return s, input.Errorf(wantLinks, "%q", input.Clip(text)) }
	switch {
	case text == allLinks:
		s.kind = allLinks
		return s, nil
	case named && kind == dimLinks:
		dim, err := strconv.ParseUint(value, 10, 16)
		if err != nil {
			return bad()
		}
		s.kind, s.dim = kind, int(dim)
		return s, nil
	case named && kind == blockLinks:
		for _, side := range strings.Split(value, "x") {
			n, err := strconv.ParseUint(side, 10, 31)
			if err != nil || n == 0 {
				return bad()
			}
			s.sides = append(s.sides, int(n))
		}
		s.kind = kind
		return s, nil
	}
	at := strings.IndexAny(text, "->")
	if at < 0 {
		return bad()
	}
	from, e := strconv.ParseUint(text[:at], 10, 31)
	to, f := strconv.ParseUint(text[at+1:], 10, 31)
	if e != nil || f != nil {
		return bad()
	}
	s.from, s.to, s.both = router.NodeID(from), router.NodeID(to), text[at] == '-'
	return s, nil
}

// each calls see with all links of the set, by their nodes and ports. A dimension or blocks without links are an error: the times would have no effect.
func (s *linkSet) each(t *topology.Topology, see func(router.NodeID, router.Port)) *input.Error {
	switch s.kind {
	case "":
		out, ok := t.PortTo(s.from, s.to)
		if !ok {
			return input.Errorf("expected two neighbours", "%d>%d is not a link of %s", s.from, s.to, t)
		}
		see(s.from, out)
		if s.both {
			see(s.to, t.BackPort(s.from, out))
		}
		return nil
	case dimLinks:
		if s.dim >= len(t.Dims) {
			return input.Errorf(wantDimensions(t), "dimension %d of %s", s.dim, t)
		}
	case blockLinks:
		if len(s.sides) != len(t.Dims) {
			return input.Errorf(wantDimensions(t)+", and a side of the blocks for each", "blocks with %s on %s", input.Count(len(s.sides), "side"), t)
		}
	}
	none := true
	for link := range t.EachLink() {
		if s.has(t, &link) {
			see(link.From, link.FromPort)
			none = false
		}
	}
	switch {
	case none && s.kind == blockLinks:
		return input.Errorf("expected a side below that of the network, or links even", "no link of %s joins two blocks", t)
	case none && s.kind == dimLinks:
		return input.Errorf("expected a dimension with two nodes or more, or links even", "%s has no links of dimension %d", t, s.dim)
	}
	return nil
}

// wantDimensions says which dimensions a topology has.
func wantDimensions(t *topology.Topology) string {
	if !t.IsGrid() {
		return "expected a grid"
	}
	return "expected dimensions 0 to " + strconv.Itoa(len(t.Dims)-1)
}

// has reports whether a link is in a set of a grid, or in that of all links.
func (s *linkSet) has(t *topology.Topology, l *topology.Link) bool {
	switch s.kind {
	case dimLinks:
		return int(l.FromPort)/2 == s.dim
	case blockLinks:
		d := int(l.FromPort) / 2
		from, to := t.Coordinate(l.From, d), t.Coordinate(l.To, d)
		return from/s.sides[d] != to/s.sides[d] || s.sides[d] < t.Dims[d] && t.Closes(l.From, l.FromPort)
	}
	return true
}
