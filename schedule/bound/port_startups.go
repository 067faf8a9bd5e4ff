// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// portStartups bounds the time in which a node sends so many words over so many channels that share its single port, by the startups of each channel and the words of all of them.
//
//	channel 1   startup | small |  startup  | larger | ...
//	channel 2   startup | small |  startup  | larger | ...
//	            messages handed over before t0: few words   | the rest, one flit after the other through the port | hop
//
// The messages of each channel that are handed over before some cycle t0 have at most G words (see gossipStartups). All others come through the port from cycle t0+s on, f cycles for each of their words. So
//
//	T >= t0 + s + f*(words - channels*G) + h.
//
// The result is the largest of this for all G. In a reduce-scatter, reversed in time, t0 counts back from the end, and the rest comes through the port from cycle s on.
func (g *sending) portStartups(words, channels router.Cycle) (best router.Cycle) {
	unit := share(words, maxUnits)
	for k, at := range g.earliest(share(words, int(unit)), unit) {
		if rest := words - channels*router.Cycle(k)*unit; rest > 0 {
			best = max(best, at+g.Lead()+g.Flit*rest+g.Hop)
		}
	}
	return best
}

// earliest lists when a channel hands over the message with which it has sent more than 0, 1, 2, ... units, at the earliest.
func (g *sending) earliest(units, unit router.Cycle) (handed []router.Cycle) {
	free := make([]router.Cycle, units+1)
	for sent := router.Cycle(1); sent <= units; sent++ {
		first := router.Cycle(-1)
		for x := router.Cycle(1); x <= sent; x++ {
			at := g.hand(free[sent-x], sent-x, x, unit)
			if next := at + g.Flit*((x-1)*unit+1) + g.Overhead() + g.Rest(); x == 1 || next < free[sent] {
				free[sent] = next
			}
			if first < 0 || at < first {
				first = at
			}
		}
		handed = append(handed, first)
	}
	return handed
}

// reduceScatterStartups bounds a reduce-scatter by the startups and the words of each node, which sends all words but its own piece: over its channels, and through its port if it has a single one.
// Channels with more messages than these would only be slower. Reversed in time a message of x words is one of gossipStartups: it is whole R cycles before the end, and its receiver passes on
// all of them but those of its own piece in these R cycles. It was another node that could not receive while it sent, so half duplex is not counted.
func reduceScatterStartups(t *topology.Topology, m machine.Machine, pieces []int, words int) (best router.Cycle) {
	if m.Startup == 0 || words == 0 || m.PacketSwitched() {
		return 0
	}
	g := newSending(t, m, pieces)
	g.half = false
	most := map[router.Cycle]router.Cycle{} // by channels: what a node sends with so many
	for n := range t.Nodes() {
		own := router.Cycle(channels(t, m, router.NodeID(n)))
		most[own] = max(most[own], router.Cycle(words-pieces[n]))
	}
	for own, sent := range most {
		if sent == 0 || own == 0 {
			continue
		}
		best = max(best, g.least(share(sent, int(own))))
		if m.Ports == machine.SinglePort {
			best = max(best, g.portStartups(sent, own))
		}
	}
	return best
}

// newSending returns the numbers of a machine; lengths are the words of each node.
func newSending(t *topology.Topology, m machine.Machine, lengths []int) *sending {
	taking := 0
	for n := range router.NodeID(t.Nodes()) {
		taking = max(taking, gates(t, m, n))
	}
	return &sending{
		Model: timing.Of(&m), own: router.Cycle(slices.Max(lengths)), taking: router.Cycle(taking),
		half: m.Duplex == machine.Half && m.Channels != machine.Links,
	}
}
