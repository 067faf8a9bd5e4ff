// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// PacketGossip bounds the time, in ticks, of an all-gather over chips that switch packets; lengths are by node, in flits. Words may be split, combined and relayed in any way.
//
// A link, or with a single port a chip, that carries w flits sends ceil(w/x) packets or more of x flits at most, one after the other:
//
//		T >= startup + flit*w + setup*ceil(w/x).
//
//	  - All links, or chips: each word reaches N-1 nodes, over as many links at least. So one carries a share of (N-1) times all words.
//	  - The narrowest cut, see gossipCuts: one of its c exits carries ceil(W/c) of the words within. It is looked for in networks that are no grids with equal blocks.
//	  - With a single port, what a chip must pass on: see transit. To each part into which the network falls without it it sends all words but those of the part.
func PacketGossip(t *topology.Topology, m machine.Machine, lengths []int, links PacketLinks) (best Proven) {
	total := router.Cycle(0)
	for _, length := range lengths {
		total += router.Cycle(length)
	}
	if !fitting(t, lengths) || total == 0 || t.Nodes() == 1 {
		return best
	}
	carried := func(w router.Cycle, by Proof) {
		if w > 0 {
			best.raise(router.Cycle(m.StartupTicks())+w*links.Flit+router.Cycle(links.least(int(w)))*links.Setup, by)
		}
	}
	list := t.Links()
	senders := len(list)
	if m.Ports == machine.SinglePort {
		senders = t.Nodes()
		carried(router.Cycle(mostPassedOn(t, lengths, gossipPassesOn(int(total)))), ByPort)
	}
	carried(share(total*router.Cycle(t.Nodes()-1), senders), ByLinks)
	if hardest(t, lengths) > 1 && t.Nodes()*t.Nodes()*len(list) <= maxCutWork && slices.Max(lengths) > 0 {
		carried(router.Cycle(mostAcross(t, m, list, lengths)), ByCut)
	}
	return best
}

// PacketBroadcast bounds the time, in ticks, of a broadcast over chips with a single port that switch packets, as PacketGossip does: a chip sends all words to each
// part into which the network falls without it and in which the root is not.
func PacketBroadcast(t *topology.Topology, m machine.Machine, root router.NodeID, words int, links PacketLinks) (best Proven) {
	if m.Ports != machine.SinglePort || words == 0 || t.Nodes() == 1 {
		return best
	}
	lengths := make([]int, t.Nodes())
	lengths[root] = 1
	parts := mostPassedOn(t, lengths, func(_ router.NodeID, parts []int) int {
		lacking := 0
		for _, roots := range parts {
			lacking += 1 - roots
		}
		return lacking
	})
	if parts > 0 {
		best.raise(router.Cycle(m.StartupTicks())+router.Cycle(parts)*(router.Cycle(words)*links.Flit+router.Cycle(links.least(words))*links.Setup), ByPort)
	}
	return best
}

// PacketAllreduce bounds the time, in ticks, of an allreduce over chips that switch packets. For N nodes to know the sum of all, each word is sent 2(N-1) times or more (see Harary, Schwenk
// 1974, for calls one way), by one of the links, or chips with a single port.
func PacketAllreduce(t *topology.Topology, m machine.Machine, words int, links PacketLinks) (best Proven) {
	if words == 0 || t.Nodes() == 1 {
		return best
	}
	senders := len(t.Links())
	if m.Ports == machine.SinglePort {
		senders = t.Nodes()
	}
	w := share(router.Cycle(words)*router.Cycle(2*(t.Nodes()-1)), senders)
	best.raise(router.Cycle(m.StartupTicks())+w*links.Flit+router.Cycle(links.least(int(w)))*links.Setup, ByVolume)
	return best
}
