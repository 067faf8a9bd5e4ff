// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Picture names a kind of drawing.
type Picture string

// The pictures of a run.
const (
	AutoPicture Picture = ""          // SpaceTime on paths and rings, else LinkLoad
	SpaceTime   Picture = "spacetime" // columns are nodes, rows are cycles; paths and rings only
	LinkLoad    Picture = "load"      // the network, its links coloured by the share of cycles they were busy
)

// Options says what a capture shows. The zero value shows everything.
type Options struct {
	// Label returns a message's name in the file; nil: ByTag.
	Label func(w *router.Worm) int64
	// From and Until are the window of cycles: From <= cycle < Until. An Until
	// of 0 means to the end. A table's cycles are those of its rows, all other
	// cycles are those in which a flit leaves a node.
	From, Until router.Cycle
	// Nodes are the nodes of interest; nil: all. Traces and pictures show links
	// that begin or end at one of them, tables have a column for each. A
	// space-time picture has a column for every node from the lowest to the highest.
	Nodes []router.NodeID
	// Picture is what an .svg file shows.
	Picture Picture
	// Title is the headline of a picture; "": the topology.
	Title string
}

// ByTag names a message by what its program calls it.
func ByTag(w *router.Worm) int64 { return int64(w.Tag) }

// BySerial names a message by its place in the order of sending, from 0.
func BySerial(w *router.Worm) int64 { return int64(w.Message) }

// resolve fills in defaults and rejects what makes no sense for the topology.
func (o Options) resolve(t *topology.Topology) (Options, error) {
	if o.Label == nil {
		o.Label = ByTag
	}
	if o.From < 0 || o.Until < 0 || o.Until > 0 && o.Until <= o.From {
		return o, input.Errorf("expected 0 <= from < until", "window of cycles from %d until %d", o.From, o.Until)
	}
	for _, n := range o.Nodes {
		if n < 0 || int(n) >= t.Nodes() {
			return o, input.Errorf("", "node %d is not in %s (nodes 0 to %d)", n, t, t.Nodes()-1)
		}
	}
	if o.Nodes != nil {
		o.Nodes = slices.Compact(slices.Sorted(slices.Values(o.Nodes)))
	}
	if o.Picture == AutoPicture {
		if o.Picture = LinkLoad; isLine(t) {
			o.Picture = SpaceTime
		}
	}
	switch {
	case o.Picture != SpaceTime && o.Picture != LinkLoad:
		known := []string{string(SpaceTime), string(LinkLoad)}
		return o, input.Errorf(input.Suggest(string(o.Picture), known), "unknown picture %q", string(o.Picture))
	case o.Picture == SpaceTime && !isLine(t):
		return o, input.Errorf("expected a path or ring, or picture load", "%s has no order of nodes for a space-time picture", t)
	}
	if o.Title == "" {
		o.Title = t.String()
	}
	return o, nil
}

// isLine reports whether the nodes, in order of number, are neighbours.
func isLine(t *topology.Topology) bool { return t.IsGrid() && len(t.Dims) == 1 }

// inWindow reports whether the capture shows a cycle.
func (o *Options) inWindow(c router.Cycle) bool {
	return c >= o.From && (o.Until == 0 || c < o.Until)
}

// ofInterest reports whether the capture shows a node.
func (o *Options) ofInterest(n router.NodeID) bool {
	if o.Nodes == nil {
		return true
	}
	_, found := slices.BinarySearch(o.Nodes, n)
	return found
}
