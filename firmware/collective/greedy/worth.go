// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"math/bits"

	"meshwright/internal/bitset"
	"meshwright/router"
)

// worth says what a piece is worth to a node: the links to the nearest node that has it, to some power. A piece that is near
// comes cheaply at any time, and with many others for one startup. One from far away is new to all nodes around the receiver, so it goes early, while
// messages are short:
//
//	piece 7 is at node 7:    0   1   2   3   4   5   6   7     worth 7 to node 0
//	and at node 2:           0   1   2   3   4   5   6   7     worth 2 to node 0, and to node 4
//
// Worth is counted in levels of 1, 2, 4 … links, so that a message's is a few counts of bits.
type worth struct {
	links   []int32        // by pair of nodes
	nearest []int32        // by piece and node: the links from the nearest node to which it is promised
	beyond  [][]bitset.Set // by level and node: the pieces that are as many links away, or more
	adds    []float64      // by level: what a piece that far away is worth more than one of the level before
	counts  []int          // by level, see gain
}

// newWorth returns the worth of pieces that no node has yet.
func newWorth(n *network, pieces int, power float64) *worth {
	w := &worth{links: n.distances(), nearest: make([]int32, n.nodes*pieces), adds: []float64{1}}
	for i := range w.nearest {
		w.nearest[i] = math.MaxInt32
	}
	for links := 1; links <= n.Furthest; links *= 2 {
		level := make([]bitset.Set, n.nodes)
		for v := range level {
			level[v] = bitset.New(pieces)
			for i := range level[v] {
				level[v][i] = math.MaxUint64
			}
		}
		w.beyond = append(w.beyond, level)
		if links > 1 { // in the middle of a level, roughly
			w.adds = append(w.adds, math.Pow(math.Sqrt2*float64(links), power)-math.Pow(math.Sqrt2*float64(links/2), power))
		}
	}
	w.counts = make([]int, len(w.beyond))
	return w
}

// has notes that a node is to get a piece, or has it.
func (w *worth) has(node, piece int32, nodes int) {
	nearest := w.nearest[int(piece)*nodes:][:nodes]
	for v, links := range w.links[int(node)*nodes:][:nodes] {
		if links >= nearest[v] {
			continue
		}
		nearest[v] = links
		for k := len(w.beyond) - 1; k >= 0 && 1<<k > links; k-- {
			w.beyond[k][v].Clear(piece)
		}
	}
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

// gain returns what the best message from a node to another is worth for its time, and how far away its pieces are at least: those of the level of beyond. Pieces from
// near may be left to a later message from a neighbour.
func (s *spread) gain(from, to int32) (best float64, level int) {
	w := s.worth
	clear(w.counts)
	held, promised := s.held[from], s.promised[to]
	for i, h := range held {
		f := h &^ promised[i]
		for k := 0; f != 0 && k < len(w.counts); k++ {
			f &= w.beyond[k][to][i]
			w.counts[k] += bits.OnesCount64(f)
		}
	}
	before := 0
	for k := len(w.counts) - 1; k >= 0; k-- {
		pieces := w.counts[k]
		if pieces == before {
			continue
		}
		before = pieces
		sum := 0.0
		for j, more := range w.counts {
			sum += w.adds[j] * float64(min(pieces, more))
		}
		words := pieces * s.usual
		if words > s.most {
			sum *= float64(s.most) / float64(words)
			words = s.most
		}
		if gain := sum * float64(s.usual) / float64(s.time(from, to, words)); gain > best {
			best, level = gain, k
		}
	}
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
