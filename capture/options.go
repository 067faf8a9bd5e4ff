// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"math"
	"slices"

	"meshwright/fabric"
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

// Options selects the messages, cycles and nodes that a capture shows, and their
// names. The zero value shows everything.
type Options struct {
	// Label returns a message's number in the file. Without a Label, tables use
	// the program's number (ByTag) and other files the number that is unique in
	// the run (fabric.Network.Number).
	Label func(w *router.Worm) int64 `snapshot:"-"`
	// From and Until are the window of cycles: From <= cycle < Until. An Until
	// of 0 means to the end. For a table the cycle of a flit is the cycle of its row; for
	// traces and pictures it is the cycle in which the flit leaves a node. On machines
	// that switch packets the window is in cycles, too; a cycle may have several ticks.
	From, Until router.Cycle
	// Nodes are the nodes of interest; nil: all. Traces and pictures show links
	// that begin or end at one of them, tables have a column for each. A
	// space-time picture has a column for every node from the lowest to the highest.
	Nodes []router.NodeID
	// Picture is the kind of picture in an .svg file.
	Picture Picture
	// Title is the headline of a picture; "": the topology.
	Title string `snapshot:"-"`
	// Measured returns the part of a run that was measured; a picture, whose second line names it, asks when it is completed. A picture of
	// loads without From and Until shows the loads of this part. nil, or no part: nothing was measured.
	Measured func() *Measured `snapshot:"-"`
}

// Measured is the part of a run that was measured: From <= tick < Until.
type Measured struct {
	From, Until router.Cycle
	Links       []fabric.LinkUse // what every link did in it, without Idle; nil: unknown
}

// ByTag names a message by its tag, the number that its program gives it.
func ByTag(w *router.Worm) int64 { return int64(w.Tag) }

// byNumber names a message by its number in the run.
func byNumber(net *fabric.Network) func(w *router.Worm) int64 {
	return func(w *router.Worm) int64 { return net.Number(w.Message) }
}

// resolve fills in defaults, rejects what makes no sense for the network, and
// turns cycles into ticks.
func (o Options) resolve(net *fabric.Network, label func(w *router.Worm) int64) (Options, error) {
	if net == nil || net.Topology.Valid() != nil {
		return o, input.Errorf("expected one that fabric.New has made", "no network")
	}
	t := net.Topology
	if o.Label == nil {
		o.Label = label
	}
	if o.From < 0 || o.Until < 0 || o.Until > 0 && o.Until <= o.From {
		return o, input.Errorf("expected 0 <= from < until", "window of cycles from %d until %d", o.From, o.Until)
	}
	o.From, o.Until = inTicks(o.From, net), inTicks(o.Until, net)
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

// measured is what Measured returns.
func (o *Options) measured() *Measured {
	if o.Measured == nil {
		return nil
	}
	return o.Measured()
}

// inTicks returns a number of cycles in ticks of a network's clock; what is
// beyond every clock stays so.
func inTicks(cycles router.Cycle, net *fabric.Network) router.Cycle {
	per := router.Cycle(net.Machine.Ticks())
	return min(cycles, math.MaxInt64/per) * per
}

// isLine reports whether the nodes, in order of number, are neighbours.
func isLine(t *topology.Topology) bool { return t.IsGrid() && len(t.Dims) == 1 }

// inWindow reports whether the capture shows a cycle.
func (o *Options) inWindow(c router.Cycle) bool {
	return c >= o.From && (o.Until == 0 || c < o.Until)
}

// overlap returns how many of the ticks from, … until-1 the capture shows.
func (o *Options) overlap(from, until router.Cycle) int64 {
	if o.Until > 0 {
		until = min(until, o.Until)
	}
	return int64(max(0, until-max(from, o.From)))
}

// ofInterest reports whether the capture shows a node.
func (o *Options) ofInterest(n router.NodeID) bool {
	if o.Nodes == nil {
		return true
	}
	_, found := slices.BinarySearch(o.Nodes, n)
	return found
}
