// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// PacketsOnAllPorts bounds the time, in ticks, in which a root sends every node its
// words, or gets every node's, over chips of which every link sends a packet and
// receives a packet at the same time. The second bound holds for packets with words
// of one node only, the first for all (see [MixedPackets]). Lengths are by node,
// the root's is ignored. Errors: as MixedPackets's.
//
// Without the root the network falls into parts. Take the W flits, of M messages,
// that go k links or more into a part to which the root has c links.
//
//   - One of these links carries w = ceil(W/c) flits or more, in ceil(w/x) packets or
//     more of x flits at most. That takes flit*w + setup*ceil(w/x), and the last flit
//     then needs at least setup + flit on each of the k-1 links that it still has
//     to go.
//   - If no packet has words of two nodes, there are M packets or more, each with a
//     set-up, or as many as their messages need: one link works for at least a c-th
//     of flit*W and all set-ups.
//
// A gather is the same backwards in time.
func PacketsOnAllPorts(t *topology.Topology, root router.NodeID, lengths []int, links PacketLinks) (mixed, uncombined router.Cycle, err error) {
	if err := t.ValidNode("root", root); err != nil {
		return 0, 0, err
	}
	p := packets{float64(links.Setup), float64(links.Flit), int64(links.Setup), int64(links.Flit)}
	r := reach(t, root)
	if err := p.check(r.distance, lengths); err != nil {
		return 0, 0, err
	}
	number := make([]int, len(lengths)) // of packets, by node
	for n, length := range lengths {
		number[n] = links.least(length)
	}
	words, setups := r.tallyParts(lengths), r.tallyParts(number)
	for part, c := range r.links {
		sum, packets := router.Cycle(0), router.Cycle(0)
		for k := len(words[part]) - 1; k > 0; k-- {
			sum += words[part][k].words
			packets += setups[part][k].words
			if sum == 0 {
				continue
			}
			rest := router.Cycle(k-1) * (links.Setup + links.Flit)
			most := share(sum, c)
			mixed = max(mixed, most*links.Flit+router.Cycle(links.least(int(most)))*links.Setup+rest)
			uncombined = max(uncombined, share(sum*links.Flit+packets*links.Setup, c)+rest)
		}
	}
	return mixed, max(mixed, uncombined), nil
}

// least returns how many packets so many flits are at least.
func (l PacketLinks) least(flits int) int {
	switch {
	case flits == 0:
		return 0
	case l.Largest == 0:
		return 1
	}
	return int(share(router.Cycle(flits), l.Largest))
}
