// SPDX-License-Identifier: Apache-2.0

// Package worth says what a piece of the words is worth to a node in a schedule that grows: the links to the nearest node that has it, to some power. A piece that is near
// comes cheaply at any time, and with many others for one startup. One from far away is new to all nodes around the receiver, so it goes early, while
// messages are short:
//
//	piece 7 is at node 7:    0   1   2   3   4   5   6   7     worth 7 to node 0
//	and at node 2:           0   1   2   3   4   5   6   7     worth 2 to node 0, and to node 4
package worth

import (
	"math"
	"math/bits"

	"meshwright/internal/bitset"
	"meshwright/router"
)

// Worth is that of all pieces to all nodes. It is counted in levels of 1, 2, 4 … links, so that a message's is a few counts of bits.
type Worth struct {
	nodes   int
	nearest []uint16       // by piece and node: the links from the nearest node to which it is promised
	beyond  [][]bitset.Set // by level and node: the pieces that are as many links away, or more
	adds    []float64      // by level: what a piece that far away is worth more than one of the level before
	counts  []int          // by level, see Best
}

// nowhere is the links from the nearest node with a piece that no node has.
const nowhere = math.MaxUint16

// New returns the worth of pieces that no node has yet, on a network whose nodes are so many links from one another at most.
func New(nodes, pieces, furthest int, power float64) *Worth {
	w := &Worth{nodes: nodes, nearest: make([]uint16, nodes*pieces), adds: []float64{1}}
	for i := range w.nearest {
		w.nearest[i] = nowhere
	}
	for links := 1; links <= furthest; links *= 2 {
		level := make([]bitset.Set, nodes)
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

// Near notes that a node to which a piece is promised is so many links from a node. It reports whether that is nearer than all before.
func (w *Worth) Near(node, piece int32, links uint16) bool {
	nearest := &w.nearest[int(piece)*w.nodes+int(node)]
	if links >= *nearest {
		return false
	}
	*nearest = links
	for k := len(w.beyond) - 1; k >= 0 && 1<<k > int(links); k-- {
		w.beyond[k][node].Clear(piece)
	}
	return true
}

// Promised notes that a piece is promised to a node which is so many links from each node.
func (w *Worth) Promised(piece int32, links []int32) {
	nearest := w.nearest[int(piece)*w.nodes:][:w.nodes]
	for v, l := range links {
		if uint16(l) < nearest[v] {
			w.Near(int32(v), piece, uint16(l))
		}
	}
}

// Nearest returns the links to a node from the nearest one to which a piece is promised, more than to any node if there is none.
func (w *Worth) Nearest(node, piece int32) int { return int(w.nearest[int(piece)*w.nodes+int(node)]) }

// Beyond returns the pieces that are as far from a node as those of a level, or further. It is a set of bits, not to be changed.
func (w *Worth) Beyond(level int, node int32) []uint64 { return w.beyond[level][node] }

// Offer is what one node has for another.
type Offer struct {
	To       int32
	Held     []uint64 // bits of the pieces that the sender has
	Promised []uint64 // those that the receiver has, or that are in flight to it
	Words    int      // of a piece on the average
	Most     int      // words of a message
	Time     func(words int) router.Cycle
}

// Best returns what the best message of an offer is worth for its time, how far away its pieces are at least (those of the level of Beyond), and its words, about. Pieces from
// near may be left to a later message from a neighbour. It is worth nothing if the sender has nothing for the receiver.
func (w *Worth) Best(o Offer) (best float64, level, words int) {
	clear(w.counts)
	for i, h := range o.Held {
		f := h &^ o.Promised[i]
		for k := 0; f != 0 && k < len(w.counts); k++ {
			f &= w.beyond[k][o.To][i]
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
		size := pieces * o.Words
		if size > o.Most {
			sum *= float64(o.Most) / float64(size)
			size = o.Most
		}
		if gain := sum * float64(o.Words) / float64(o.Time(size)); gain > best {
			best, level, words = gain, k, size
		}
	}
	return best, level, words
}
