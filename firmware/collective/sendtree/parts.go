// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"iter"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// MaxTransfers bounds the messages of a list that is planned without being
// asked for so many parts.
const MaxTransfers = 1 << 20

// Pipelined returns the time of a broadcast (or reduce) of W words in k parts
// along a tree of neighbours. A part of c = ceil(W/k) words, the largest and
// the last, needs s + c*f + h - 1 cycles a link, and parts follow one another
// at the distance of the busiest node's turns.
//
// With a channel for every link all children are served at once and the time
// is exact: with depth D and p = max(0, s+1-f), the rest of a channel,
//
//	W*f + (k-1)*p + (D-1)*c*f + D*(s+h-1) + 1
//
// The root is done with the last part's channel after all W words and k-1
// pauses; that part, or one as large before it, waits for D-1 more nodes. With
// one channel and g children at most it is an upper bound: the time of one part
// alone and k-1 times the g turns of a node.
func (t *Tree) Pipelined(m machine.Machine, words, parts int) router.Cycle {
	c := newClock(m)
	if words == 0 || len(t.Order) == 1 {
		return 0
	}
	parts = max(1, min(parts, words))
	largest := (words + parts - 1) / parts
	if !c.links {
		alone := t.Cycles(m, func(router.NodeID) int { return largest })
		return alone + router.Cycle(parts-1)*router.Cycle(t.mostChildren())*c.turn(largest)
	}
	depth := router.Cycle(t.MaxDepth())
	return c.Work(words) + router.Cycle(parts-1)*c.rest + (depth-1)*c.Work(largest) +
		depth*(c.Startup+c.Hop-1) + 1
}

func (t *Tree) mostChildren() int {
	count := make([]int, len(t.Parent))
	most := 0
	for _, n := range t.Order[1:] {
		p := t.Parent[n]
		count[p]++
		most = max(most, count[p])
	}
	return most
}

// BestParts returns the number of parts for which Pipelined is least, and that time. It
// considers numbers with at most MaxTransfers messages.
func (t *Tree) BestParts(m machine.Machine, words int) (parts int, time router.Cycle) {
	most := max(1, MaxTransfers/max(1, len(t.Order)-1))
	for k := range partCounts(words, most) {
		if at := t.Pipelined(m, words, k); parts == 0 || at < time {
			parts, time = k, at
		}
	}
	return max(1, parts), time
}

// partCounts yields numbers of parts, at most most: of those with equal
// largest parts the least, rising.
func partCounts(words, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := 1; k <= min(words, most); {
			if !yield(k) {
				return
			}
			largest := (words + k - 1) / k
			if largest == 1 {
				return
			}
			k = (words + largest - 2) / (largest - 1) // the least with parts of at most largest-1
		}
	}
}
