// SPDX-License-Identifier: Apache-2.0

package greedy

import "meshwright/fabric/machine"

// fasterOnBeat returns a broadcast or a reduction that is faster than a known one, if a search on the beat finds one, and otherwise the known one. It is for half-duplex machines without startups, with all ports and a channel for each
// link. On the beat all nodes send together, for as long as a flit takes over a link, and then receive together as long:
//
//	hop 4, flit 2   cycles     0-3           4-7           8-11           12-15
//	                all nodes  send 2 flits  receive them  send 2 others  receive them
//
// So no node waits until another one is done with sending. Messages of so few words over 1, 3, 5 ... links never come while their receiver sends.
func (n *network) fasterOnBeat(known *schedule, longest int, grow growerOf) (*schedule, error) {
	size := min(longest, int(n.model.Hop/n.model.Flit))
	if n.Machine.Duplex != machine.Half || n.Machine.Ports == machine.SinglePort || n.Machine.Channels != machine.Links || !n.Kind.Rooted || n.model.Startup > 0 ||
		size == 0 || longest/size > mostPieces || known.cycles <= n.LowerBound() {
		return known, nil
	}
	own := *n
	own.beat = 2 * n.model.Hop
	best, err := own.best(own.beatDrafts(longest, size), known.cycles, 0, grow.on(&own))
	if best == nil {
		best = known
	}
	return best, err
}

// beatDrafts lists what is tried on the beat for so many words: pieces that take no longer than a link.
func (n *network) beatDrafts(words, size int) (list []draft) {
	n.longest, n.total = words, words
	for reach := 1; ; reach = n.Furthest {
		for _, pull := range []int{0, 1, 4} {
			how := try{most: size, reach: reach, scarce: true, local: pull != 1, pull: pull, seed: n.Seed + uint64(len(list))}
			list = append(list, draft{try: how, size: size})
		}
		if reach == n.Furthest {
			return list
		}
	}
}
