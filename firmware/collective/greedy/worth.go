// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"meshwright/firmware/collective/worth"
	"meshwright/router"
)

// newWorth returns the worth of pieces that no node has yet.
func newWorth(n *network, pieces int, power float64) *worth.Worth {
	n.distances()
	return worth.New(n.nodes, pieces, n.Furthest, power)
}

// distances returns the links between all nodes.
func (n *network) distances() []int32 {
	if n.apart == nil {
		n.apart = make([]int32, n.nodes*n.nodes)
		for i := range n.apart {
			n.apart[i] = int32(n.Links(int32(i/n.nodes), int32(i%n.nodes)))
		}
	}
	return n.apart
}

// gain returns what the best message from a node to another is worth for its time, and the level of its pieces.
func (s *spread) gain(from, to int32) (best float64, level int) {
	best, level, _ = s.worth.Best(worth.Offer{
		To: to, Held: s.held[from], Promised: s.promised[to], Words: s.usual, Most: s.most,
		Time: func(words int) router.Cycle { return s.time(from, to, words) },
	})
	return best, level
}

// time returns the time that counts for a message.
func (s *spread) time(from, to int32, words int) router.Cycle {
	links := s.Links(from, to)
	time := s.model.UntilWhole(links, words) + 1
	if s.local {
		time += router.Cycle(links-1) * s.model.Work(words)
	}
	return time
}

// waits reports whether a message should wait for more words: it is worth too little for its time, and does not bring all that the receiver lacks.
func (s *spread) waits(to int32, words int, score float64) bool {
	return s.patience > 0 && words < s.most && words < int(s.lacking[to])*s.usual && score*float64(s.model.Flit) < s.patience
}
