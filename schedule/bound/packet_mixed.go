// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// PacketLinks describes how links pass packets on.
type PacketLinks struct {
	Setup, Flit router.Cycle // ticks of a packet, and of each of its flits
	Largest     int          // flits of the largest packet, 0: of any size
	CutThrough  bool         // packets need not be whole in a node to go on
}

// MixedPackets bounds the time, in ticks, in which a root sends every node its words, or
// receives every node's words, over links that pass packets on. Packets may mix the words of
// several nodes, and PEs may take packets apart and form new ones on the way; for packets of
// one message each [PacketScatter] is sharper. Lengths are by node, the root's is ignored.
// Errors: as for PacketScatter; a root that is no node.
//
// Take the W flits that go k links or more, in packets of x flits at most. A node sends one
// packet at a time.
//
//   - The root. Without the root the network falls into parts, and a packet leaves the root
//     for one of them. So the W_i flits to part i are at least ceil(W_i/x) packets. The root
//     has sent them after flit*W + setup*sum ceil(W_i/x) or later, and the last flit needs at
//     least setup + flit on each of the k-1 links that it still has to go.
//   - Store-and-forward, k > 1. A packet with y of these flits is whole at the next node when
//     the root has sent it. From there its flits take setup + flit*y at least, in one packet
//     or several, since one node sends them, and the last flit takes (k-2)*(setup + flit)
//     after that. So the time that is left limits y, which grows towards the beginning, as in
//     PacketScatter (drained).
//
// A gather is the same, reversed in time.
func MixedPackets(t *topology.Topology, root router.NodeID, lengths []int, links PacketLinks) (router.Cycle, error) {
	if err := t.ValidNode("root", root); err != nil {
		return 0, err
	}
	p := packets{float64(links.Setup), float64(links.Flit), int64(links.Setup), int64(links.Flit)}
	r := reach(t, root)
	if err := p.check(r.distance, lengths); err != nil {
		return 0, err
	}
	all := r.tally(lengths)
	number := r.packets(lengths, len(all), links.Largest)
	skip := 1 + len(all)/maxDrains
	return worst(all, func(k int, words, _ router.Cycle) router.Cycle {
		time := words*links.Flit + number[k]*links.Setup + router.Cycle(k-1)*(links.Setup+links.Flit)
		if k == 1 || links.CutThrough || k%skip != 0 {
			return time
		}
		largest := int64(words)
		if links.Largest > 0 {
			largest = min(largest, int64(links.Largest))
		}
		return max(time, router.Cycle(p.mixed(int64(words), largest, int64(k))))
	}), nil
}

// packets counts, for every k below most, the fewest packets for the words that go k links or
// more: the packets of each part, added up.
func (r *reached) packets(lengths []int, most, largest int) []router.Cycle {
	number := make([]router.Cycle, most)
	for _, part := range r.tallyParts(lengths) {
		words := router.Cycle(0)
		for k := len(part) - 1; k > 0; k-- {
			words += part[k].words
			switch {
			case words == 0:
			case largest == 0:
				number[k]++
			default:
				number[k] += share(words, largest)
			}
		}
	}
	return number
}

// mixed bounds the time of so many flits that go k > 1 links or more.
func (p packets) mixed(flits, largest, k int64) int64 {
	way := float64(k-2) * (p.setup + p.flit)
	r := p.reversed(func(size int64) float64 { return p.setup + p.flit*float64(size) + way })
	r.bring(flits, largest)
	return r.ticks()
}
