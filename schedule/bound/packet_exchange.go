// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// PacketExchange bounds the time, in ticks, of an all-to-all over chips that switch packets. Words may be split, combined and relayed in any way; lengths are by
// source, in flits. With a single port a chip sends one packet at a time, else each of its links does.
//
// Of E links, or chips with a single port, that carry F flits together, one carries w = ceil(F/E) or more. These are ceil(w/x) packets or more of x flits at most, one after the
// other:
//
//		T >= startup + flit*w + setup*ceil(w/x).
//
//	  - All links, or chips: F is the sum of flits x distance. On a grid with all ports the same holds of the links along each axis. In large networks that are
//	    neither grids nor star graphs this sum is not computed.
//	  - Cuts: the links of a cut carry the flits from one side to the other, see cuts.
func PacketExchange(t *topology.Topology, m machine.Machine, lengths []int, links PacketLinks) (best Proven) {
	if !fitting(t, lengths) {
		return best
	}
	x := &exchanged{t: t, m: m, lengths: lengths}
	for _, length := range lengths {
		x.total += router.Cycle(length)
	}
	x.crossed = func(flits router.Cycle, ways, _ int) router.Cycle {
		w := share(flits, ways)
		return router.Cycle(m.StartupTicks()) + w*links.Flit + router.Cycle(links.least(int(w)))*links.Setup
	}
	together := func(flitHops, senders router.Cycle) {
		if flitHops > 0 && senders > 0 {
			best.raise(x.crossed(flitHops, int(senders), 0), ByLinks)
		}
	}
	x.count()
	together(flitHops(t, lengths), x.links)
	if m.Ports != machine.SinglePort && t.IsGrid() {
		for d, axis := range t.Axes() {
			together(lengthwise(t, axis, lengths), x.linksAlong[d])
		}
	}
	best.raise(x.cuts(), ByCut)
	return best
}

// flitHops adds up flits x distance of an all-to-all.
func flitHops(t *topology.Topology, lengths []int) (sum router.Cycle) {
	if t.IsGrid() {
		for _, axis := range t.Axes() {
			sum += lengthwise(t, axis, lengths)
		}
		return sum
	}
	if t.Star() == nil && t.Nodes()*t.Nodes() > mostReached {
		return 0
	}
	from := router.Cycle(0) // distance to all nodes
	for n, length := range lengths {
		if n == 0 || t.Star() == nil { // a star graph looks alike from all nodes
			from = 0
			for _, d := range reach(t, router.NodeID(n)).distance {
				from += router.Cycle(max(d, 0))
			}
		}
		sum += from * router.Cycle(length)
	}
	return sum
}
