// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Shared is a broadcast (or reduce) over several spanning trees without a
// common directed link: the words are cut into parts of equal size, as far as
// that goes, and every tree carries some of them, one behind the other.
type Shared struct {
	Trees []*Tree
	Depth []int // by tree, in links
	Parts []int // by tree: how many it carries, deeper trees fewer
	Words int
}

// Share shares words out over a cover in so many parts. Its trees must reach
// every node (cover.Cover.Spanning).
//
// When all trees are to be done in step L, a tree of depth D has time for
// L-D+1 parts: L is the least with enough of these in all (Johnsson and Ho; the
// same count is in the broadcast over the star graph's trees by Fragopoulou
// and Akl).
func Share(trees []*Tree, words, parts int) *Shared {
	s := &Shared{Trees: trees, Words: words}
	for _, t := range trees {
		s.Depth = append(s.Depth, t.MaxDepth())
	}
	return s.again(max(1, min(parts, words)))
}

// leastStep returns the least L for which sum max(0, L-D+1) >= parts.
func leastStep(depths []int, parts int) int {
	low, high := 1, parts+depths[0]
	for _, d := range depths {
		high = min(high, parts+d)
	}
	for low < high {
		middle, room := (low+high)/2, 0
		for _, d := range depths {
			room += max(0, middle-d+1)
		}
		if room >= parts {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// Trees makes the trees of a cover.
func Trees(c *cover.Cover, tree func(i int) *Tree) []*Tree {
	trees := make([]*Tree, len(c.Trees))
	for i := range trees {
		trees[i] = tree(i)
	}
	return trees
}

func (s *Shared) total() int {
	total := 0
	for _, k := range s.Parts {
		total += k
	}
	return total
}

// Cycles returns the time with a channel for every link. With parts of c =
// ceil(W/K) words, K in all, and k of them in a tree of depth D, a step takes
// s + c*f + h - 1 cycles, and the time is that many for each of the L = max
// (D+k-1) steps, and 1. It is exact when K divides W and the rest of a channel
// is no shorter than a step's other parts (f = h = 1), else an upper bound: a
// PE waits for the parts of all trees of a step before it sends the parts of the
// next step.
func (s *Shared) Cycles(m machine.Machine) router.Cycle {
	total := s.total()
	if s.Words == 0 {
		return 0
	}
	model := timing.Of(&m)
	step := model.UntilWhole(1, (s.Words+total-1)/total)
	return router.Cycle(s.steps())*step + 1
}

// steps returns the number of steps.
func (s *Shared) steps() int {
	last := 0
	for i, k := range s.Parts {
		if k > 0 {
			last = max(last, s.Depth[i]+k-1)
		}
	}
	return last
}

// BestShare divides words among trees, in the number of parts for which Cycles is least.
// It considers numbers with at most maxTransfers messages.
func BestShare(m machine.Machine, trees []*Tree, words int) *Shared {
	most := max(1, maxTransfers/max(1, len(trees[0].Order)-1))
	var best *Shared
	least := router.Cycle(0)
	s := Share(trees, words, 1)
	for k := range partCounts(words, most) {
		s = s.again(k)
		if at := s.Cycles(m); best == nil || at < least {
			best, least = s, at
		}
	}
	if best == nil {
		return s
	}
	return best
}

// again shares the same words out in another number of parts.
func (s *Shared) again(parts int) *Shared {
	n := &Shared{Trees: s.Trees, Depth: s.Depth, Words: s.Words, Parts: make([]int, len(s.Depth))}
	last := leastStep(s.Depth, parts)
	for i, d := range s.Depth {
		n.Parts[i] = min(parts, max(0, last-d+1))
		parts -= n.Parts[i]
	}
	return n
}

// Broadcast lists the transfers: in step g a node at depth d of a tree sends
// the tree's part g-d on to its children there.
func (s *Shared) Broadcast() *transfer.List {
	l := &transfer.List{Nodes: len(s.Trees[0].Parent)}
	if s.Words == 0 {
		return l
	}
	total, first := s.total(), 0
	for i, t := range s.Trees {
		steps := t.steps()
		for p := range s.Parts[i] {
			part := all(s.Words).Part(first+p, total)
			for _, n := range t.Order[1:] {
				l.Transfers = append(l.Transfers, transfer.Transfer{Step: p + steps[n] - 1, From: t.Parent[n], To: n, Out: part})
			}
		}
		first += s.Parts[i]
	}
	return l
}

// Reduce is Broadcast reversed in time.
func (s *Shared) Reduce() *transfer.List { return Reversed(s.Broadcast(), transfer.Add) }
