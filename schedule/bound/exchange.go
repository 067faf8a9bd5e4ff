// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"maps"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Exchange bounds the time of an all-to-all: every node sends every other node a message of
// its own; lengths are by source, in flits. Words may be split, combined and relayed in any
// way. It returns 0 where there is nothing to send. It is the largest of these bounds:
//
//   - A node's own channels and ports, as in Gather, for every node and every k: the words
//     that have at least k links to go to the node, and, reversed in time, from the node.
//   - With half duplex, what a node sends and receives over the same channels: see duplex.
//   - Links. Let H be the sum of flits x distance. Some link passes its share of these H flits or more, and stalls where buffers are too small for
//     the full rate (see wires), or with a single port some port. Nothing is on a link before cycle s, and the last flit needs h cycles.
//   - The best flow: see dearest. With half duplex PEs and their chips have prices besides, see dearestTrees and ownWays.
//   - Cuts: the words that go from one side of a grid to the other, or over an edge of a tree,
//     cross the links between the two sides, see cuts.
//   - The cuts at the branches of a spanning tree: see branches.
//   - With a single port, what a node has to pass on: see transit.
//   - Flow: see below.
//   - Startups: every node scatters its messages, see Scatter. The bound looks at the nodes
//     with the longest messages.
//   - Startups and words of all nodes together: see relayed.
//
// Flow. Every flit enters the register of its first link once, in some cycle p, and reaches
// its destination for good in some cycle q. Between p and q it makes its hops, of h cycles
// each. Let C be the number of channels of all nodes, F the number of flits, and T the time.
// Then
//
//	entered by cycle t, at most          C*(floor((t-s)/f)+1)
//	not arrived by cycle t, at most      C*(floor((T-f-1-t)/f)+1)
//	on the links in cycle t, at most     links*ceil(h/f)
//	entered less arrived, at most        C*(floor((T-s-1)/f)+1) - F
//
// The least of these four is the most flits that are on a hop in cycle t. Over all t these
// numbers have to add up to h*H.
//
// Example: single flits, K+1 nodes that all look the same, of g links each and one channel.
// Let D be the sum of the distances from one node. Flow says
//
//		sum over t < T-1 of min(g, t+1, T-1-t, T-K) >= D.
//
//	  - With the term T-K alone this is K*(T-K) >= D, that is T >= K + ceil(D/K).
//	  - With g alone it is T >= D/g + 1.
//	  - With the ramps t+1 and T-1-t it is g*(T-1) - g*(g-1) >= D, that is T >= D/g + g. One
//	    flit enters a node in a cycle, so its links cannot all work at once in the first cycles,
//	    nor in the last ones.
//
// On square tori of side 2 to 10 the bound is 5, 10, 18, 27, 39, 52, 68, 94, 129.
func Exchange(t *topology.Topology, m machine.Machine, lengths []int) (best Proven) {
	if !possible(t, m) || !fitting(t, lengths) {
		return best
	}
	x := newExchanged(t, m, lengths)
	if x.flits == 0 {
		return best
	}
	best = x.reached
	if x.links > 0 {
		best.raise(x.startup+x.hop+x.passed(x.flitHops, x.links), ByLinks)
	}
	best.raise(x.cuts(), ByCut)
	best.raise(x.branches(), ByCut)
	best.raise(x.dearest(), ByLinks)
	if m.Duplex == machine.Half {
		best.exceed(dearestTrees(t, m, lengths, &ownWays{t.Nodes()}, best.Cycles), ByLinks)
	}
	best.raise(exchangeTransit(t, m, lengths), ByPort)
	best.raise(x.flow(), ByFlow)
	x.startups(&best)
	best.exceed(x.relayed(best.Cycles), ByStartups)
	best.exceed(slowExchange(t, m, lengths, best.Cycles), ByCut)
	return best
}

// UncombinedExchange bounds an all-to-all in which every message goes by itself from its
// source to its destination, with its block whole or cut. It is the larger of Exchange,
// and of [UncombinedScatter] for every node.
func UncombinedExchange(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	if !possible(t, m) || !fitting(t, lengths) {
		return 0
	}
	_, uncombined := Exchanges(t, m, lengths)
	return uncombined
}

// Exchanges returns the results of Exchange and UncombinedExchange, for less work than
// both calls.
func Exchanges(t *topology.Topology, m machine.Machine, lengths []int) (all Proven, uncombined router.Cycle) {
	if !possible(t, m) || !fitting(t, lengths) {
		return Proven{}, 0
	}
	all = Exchange(t, m, lengths)
	best := all.Cycles
	if best == 0 || m.Startup == 0 {
		return all, best
	}
	out := make([]int, len(lengths))
	for n := range router.NodeID(t.Nodes()) {
		if lengths[n] > 0 {
			for to := range out {
				out[to] = lengths[n]
			}
			best = max(best, reach(t, n).alone(t, m, n, out))
		}
	}
	return all, best
}

// passed returns the time in which so many links, or single ports, pass so many flits.
func (x *exchanged) passed(flits, links router.Cycle) router.Cycle {
	if x.m.Ports == machine.SinglePort { // while one link stalls, another may pass a flit
		return x.flit * share(flits, int(links))
	}
	return x.wires.shared(flits, int(links))
}

// startups bounds the scatters. Among the nodes with equally many channels it takes the
// scatter of a node with the longest messages.
func (x *exchanged) startups(best *Proven) {
	g := newGrowth(x.t, x.m, x.t.Nodes()-1, period(&x.m))
	for n := range router.NodeID(min(hardest(x.t, x.lengths), maxRoots)) {
		if x.lengths[n] > 0 {
			best.raise(g.from(reach(x.t, n), nil)+1, ByGrowth)
		}
	}
	longest := map[int]router.NodeID{}
	for n, length := range x.lengths {
		c := channels(x.t, x.m, router.NodeID(n))
		if root, ok := longest[c]; !ok || length > x.lengths[root] {
			longest[c] = router.NodeID(n)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(longest)) {
		root := longest[c]
		best.raise(relays(x.t, x.m, root, slices.Repeat(x.lengths[root:root+1], x.t.Nodes()), best.Cycles), ByStartups)
	}
}

// exchanged holds the work that an all-to-all puts on a machine.
type exchanged struct {
	t       *topology.Topology
	m       machine.Machine
	lengths []int
	wires   wires
	times   *machine.LinkTimes // nil: links are alike
	room    router.Cycle       // flits in the buffers behind a link; 0: nothing stalls

	startup, hop, flit router.Cycle
	total              router.Cycle   // of all lengths
	flits, flitHops    router.Cycle   // of all messages; flits x distance
	channels, links    router.Cycle   // of all nodes; links that can work at once
	along, linksAlong  []router.Cycle // flits x distance, and links, by dimension of a grid
	reached            Proven         // best bound of a single node

	crossed func(flits router.Cycle, ways, links int) router.Cycle // time in which flits go over links of a cut
}

func newExchanged(t *topology.Topology, m machine.Machine, lengths []int) *exchanged {
	x := &exchanged{t: t, m: m, lengths: lengths, wires: wiresOf(t, m), startup: lead(&m), hop: router.Cycle(m.Hop), flit: router.Cycle(m.Flit)}
	x.crossed = x.overLinks
	x.times, x.room = slowTimes(t, m)
	for _, length := range lengths {
		x.total += router.Cycle(length)
	}
	x.flits = x.total * router.Cycle(t.Nodes()-1)
	x.count()
	if x.flits > 0 {
		x.measure()
	}
	return x
}

// count adds up channels and links.
func (x *exchanged) count() {
	if x.t.IsGrid() {
		x.along, x.linksAlong = make([]router.Cycle, len(x.t.Dims)), make([]router.Cycle, len(x.t.Dims))
	}
	for n := range router.NodeID(x.t.Nodes()) {
		degree := router.Cycle(x.t.Degree(n))
		switch {
		case degree == 0:
		case x.m.Ports == machine.SinglePort:
			x.channels, x.links = x.channels+1, x.links+1
		default:
			x.channels, x.links = x.channels+router.Cycle(channels(x.t, x.m, n)), x.links+degree
		}
	}
	if x.linksAlong != nil {
		for _, l := range x.t.Links() {
			x.linksAlong[l.FromPort/2]++
		}
	}
}

// measure adds up distances, and bounds the work of every node by itself.
func (x *exchanged) measure() {
	in, out := append([]int(nil), x.lengths...), make([]int, len(x.lengths))
	for n := range router.NodeID(x.t.Nodes()) {
		length := x.lengths[n]
		if length == 0 && len(x.lengths)*len(x.lengths) > mostReached { // it has only to receive
			continue
		}
		r := reach(x.t, n)
		sum := router.Cycle(0)
		for m, d := range r.distance {
			sum += router.Cycle(max(d, 0))
			out[m] = length
		}
		x.flitHops += sum * router.Cycle(length)
		in[n], out[n] = 0, 0
		x.reached.raise(max(r.gather(x.t, x.m, n, in), r.gather(x.t, x.m, n, out), r.sent(x.t, x.m, out)), ByDistance)
		x.reached.raise(x.duplex(n), ByDuplex)
		in[n] = length
	}
	for d, axis := range x.t.Axes() {
		x.along[d] = lengthwise(x.t, axis, x.lengths)
	}
}

// lengthwise adds up flits x distance along an axis of a grid.
func lengthwise(t *topology.Topology, axis topology.Axis, lengths []int) (sum router.Cycle) {
	size := axis.Size
	from := make([]router.Cycle, size) // distance to all nodes of a line
	for a := range size {
		for b := range size {
			way := max(a-b, b-a)
			if axis.Wrap {
				way = min(way, size-way)
			}
			from[a] += router.Cycle(way)
		}
	}
	for n, length := range lengths {
		sum += router.Cycle(length) * from[axis.Coordinate(router.NodeID(n))]
	}
	return sum * router.Cycle(t.Nodes()/size)
}

// duplex bounds the work of a node that cannot send and receive in one cycle.
func (x *exchanged) duplex(n router.NodeID) router.Cycle {
	c := gates(x.t, x.m, n)
	if x.m.Duplex != machine.Half || c == 0 {
		return 0
	}
	own := router.Cycle(x.lengths[n]) * router.Cycle(x.t.Nodes()-1)
	return x.startup + share(own*x.flit, c) + share((x.total-router.Cycle(x.lengths[n]))*x.flit, c)
}

// flow returns the least time that the bound by flow allows: for all
// links together, and for the links of each dimension of a grid with the hops along it.
func (x *exchanged) flow() router.Cycle {
	least := x.flowOver(0, x.links, x.flitHops)
	if x.m.Ports == machine.SinglePort {
		return least
	}
	for d := range x.along {
		least = x.flowOver(least, x.linksAlong[d], x.along[d])
	}
	return least
}

// flowOver returns the least time, at least the given one, in which so many hops of flits fit over so many links.
func (x *exchanged) flowOver(least, links, flitHops router.Cycle) router.Cycle {
	high := max(least, 1)
	for !x.flows(high, links, flitHops) {
		high *= 2
	}
	for low := least; low < high; {
		if middle := (low + high) / 2; x.flows(middle, links, flitHops) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high
}

// flows reports whether so many hops of flits over so many links fit into a
// time.
func (x *exchanged) flows(time, links, flitHops router.Cycle) bool {
	cycles := time - x.flit - x.startup // in which a flit may be on a hop
	if flitHops == 0 {
		return true
	}
	if cycles <= 0 {
		return false
	}
	most := min(links*share(x.hop, int(x.flit)), x.channels*((time-x.startup-1)/x.flit+1)-x.flits)
	if most <= 0 {
		return false
	}
	// The ramps: f cycles with C flits, f with 2C …, until most are on a hop.
	steps := share(most, int(x.channels)) - 1
	if 2*steps*x.flit >= cycles {
		sum := router.Cycle(0)
		for i := range cycles {
			sum += min(most, x.channels*(i/x.flit+1), x.channels*((cycles-1-i)/x.flit+1))
		}
		return sum >= x.hop*flitHops
	}
	missing := steps*most - x.channels*steps*(steps+1)/2
	return most*cycles-2*x.flit*missing >= x.hop*flitHops
}
