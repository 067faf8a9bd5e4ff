// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"slices"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Shared is a broadcast (or reduce) over several spanning trees without a
// common directed link: the words are cut into parts of equal size, as far as
// that goes, and every tree carries some of them, one behind the other. No tree waits for another.
type Shared struct {
	Trees []*Tree
	Depth []int // by tree, in links
	Parts []int // by tree: how many it carries, deeper trees fewer
	Words int

	behind [][]int // see behindLinks
	pace   pace
}

// pace is the times of the largest part.
type pace struct {
	timing.Model
	whole router.Cycle // until it is whole at the next node
	next  router.Cycle // until its channel takes the next part
}

// Share shares words out over a cover in so many parts. Its trees must reach
// every node (cover.Cover.Spanning).
//
// A part is whole at the next node w cycles after its hand-over, and its channel takes the next part after x cycles, stalls included where buffers are too small for the full rate. When all trees are to be done after L cycles, a tree of depth D
// has time for floor((L-D*w)/x)+1 parts: L is the least with enough of these in all. (With w = x this is the count of steps of Johnsson and Ho, which is also in the broadcast over the star graph's trees by
// Fragopoulou and Akl.)
func Share(m machine.Machine, trees []*Tree, words, parts int) *Shared {
	s := &Shared{Trees: trees, Words: words}
	for _, t := range trees {
		s.Depth = append(s.Depth, t.MaxDepth())
	}
	s.behind = behindLinks(trees, s.Depth)
	return s.again(m, max(1, min(parts, words)))
}

// again shares the same words out in another number of parts.
func (s *Shared) again(m machine.Machine, parts int) *Shared {
	model, largest := timing.Stalling(&m), (s.Words+parts-1)/parts
	n := &Shared{
		Trees: s.Trees, Depth: s.Depth, Words: s.Words, Parts: make([]int, len(s.Depth)), behind: s.behind,
		pace: pace{model, model.UntilWhole(1, largest), max(1, model.Hold(largest), model.Work(largest)+model.Stall())},
	}
	end := n.leastEnd(parts)
	for i, d := range s.Depth {
		n.Parts[i] = min(parts, n.room(d, end))
		parts -= n.Parts[i]
	}
	return n
}

// room returns the number of parts for which a tree of a depth has time until an end.
func (s *Shared) room(depth int, end router.Cycle) int {
	left := end - router.Cycle(depth)*s.pace.whole
	if left < 0 {
		return 0
	}
	return int(left/s.pace.next) + 1
}

// leastEnd returns the least number of cycles in which all trees together have room for so many parts.
func (s *Shared) leastEnd(parts int) router.Cycle {
	most := router.Cycle(slices.Min(s.Depth))*s.pace.whole + router.Cycle(parts-1)*s.pace.next
	return router.Cycle(sort.Search(int(most), func(end int) bool {
		room := 0
		for _, d := range s.Depth {
			room += s.room(d, router.Cycle(end))
		}
		return room >= parts
	}))
}

// Trees makes the trees of a cover.
func Trees(c *cover.Cover, tree func(i int) *Tree) []*Tree {
	trees := make([]*Tree, len(c.Trees))
	for i := range trees {
		trees[i] = tree(i)
	}
	return trees
}

// Total returns the parts of all trees.
func (s *Shared) Total() int {
	total := 0
	for _, k := range s.Parts {
		total += k
	}
	return total
}

// Cycles returns the time of a broadcast or a reduction, if each link works by itself in both directions: with k equal parts in a tree of depth D the most of D*w + (k-1)*x + 1, see Share.
func (s *Shared) Cycles() router.Cycle { return s.cycles(func(int) router.Cycle { return 0 }) }

// BothCycles returns the time of an AllReduce.
func (s *Shared) BothCycles() router.Cycle { return s.cycles(s.delay) }

// cycles returns the time of trees that begin late.
func (s *Shared) cycles(late func(tree int) router.Cycle) router.Cycle {
	if s.Words == 0 {
		return 0
	}
	end, total, first := router.Cycle(0), s.Total(), 0
	for i, k := range s.Parts {
		for p := max(0, k-2); p < k; p++ { // the last one may be shorter than the one before it
			start := late(i) + router.Cycle(s.Depth[i]-1)*s.pace.whole + router.Cycle(p)*s.pace.next
			end = max(end, start+s.pace.UntilWhole(1, all(s.Words).Part(first+p, total).Words()))
		}
		first += k
	}
	return end + 1
}

// BestShare divides words among trees, in the number of parts for which a time is least.
// It considers numbers with at most so many messages.
func BestShare(m machine.Machine, trees []*Tree, words, messages int, time func(*Shared) router.Cycle) *Shared {
	most := max(1, messages/max(1, len(trees[0].Order)-1))
	best := Share(m, trees, words, 1)
	least := time(best)
	for k := range partCounts(words, most) {
		s := best.again(m, k)
		if at := time(s); at < least {
			best, least = s, at
		}
	}
	return best
}

// Broadcast lists the transfers, with their times: each part goes from the root to all others, one behind the other.
func (s *Shared) Broadcast() *transfer.List { return s.list(s.outward) }

// Reduce is Broadcast reversed in time: the leaves begin.
func (s *Shared) Reduce() *transfer.List { return s.list(s.inward) }

// AllReduce is Reduce and then Broadcast, which begins over each tree as early as the root has the sums and links are free.
func (s *Shared) AllReduce() *transfer.List {
	l, steps := s.Reduce(), s.Total()+slices.Max(s.Depth)
	out := s.list(func(l *transfer.List, tree int, depth []int, part int, words transfer.Set) {
		first := len(l.Transfers)
		s.outward(l, tree, depth, part, words)
		delay := s.delay(tree)
		for i := first; i < len(l.Transfers); i++ {
			x := &l.Transfers[i]
			x.Step, x.Start, x.Due = x.Step+steps, x.Start+delay, x.Due+delay
		}
	})
	l.Transfers = append(l.Transfers, out.Transfers...)
	return l
}

// delay returns how many cycles behind the reduction the broadcast over a tree begins. The root has the first sum over a tree of depth D after D*w cycles, see Share.
// A link of this tree may carry the k parts of another tree in the reduction, each i links behind the leaves: it is free after i*w + k*x cycles. The broadcast uses a link that is j links behind the root j*w cycles after it begins.
func (s *Shared) delay(tree int) router.Cycle {
	delay := router.Cycle(s.Depth[tree]) * s.pace.whole
	for other, k := range s.Parts {
		if k > 0 {
			delay = max(delay, router.Cycle(s.behind[tree][other])*s.pace.whole+router.Cycle(k)*s.pace.next)
		}
	}
	return delay
}

// behindLinks returns, for the broadcast over one tree and the reduction over another, the most by which i exceeds j on a link of both, see delay.
func behindLinks(trees []*Tree, depths []int) [][]int {
	type link struct{ from, to router.NodeID }
	type use struct{ tree, links int }
	in := map[link]use{}
	for i, t := range trees {
		steps := t.steps()
		for _, n := range t.Order[1:] {
			in[link{n, t.Parent[n]}] = use{i, depths[i] - steps[n]}
		}
	}
	behind := make([][]int, len(trees))
	for i, t := range trees {
		behind[i] = slices.Repeat([]int{-2 * len(t.Parent)}, len(trees))
		steps := t.steps()
		for _, n := range t.Order[1:] {
			if u, used := in[link{t.Parent[n], n}]; used {
				behind[i][u.tree] = max(behind[i][u.tree], u.links-(steps[n]-1))
			}
		}
	}
	return behind
}

// list lists the transfers of all parts, which a function adds part by part: with the depths of the tree's nodes.
func (s *Shared) list(each func(l *transfer.List, tree int, depth []int, part int, words transfer.Set)) *transfer.List {
	l := &transfer.List{Nodes: len(s.Trees[0].Parent), Timed: true}
	if s.Words == 0 {
		return l
	}
	total, first := s.Total(), 0
	for i, t := range s.Trees {
		depth := t.steps()
		for p := range s.Parts[i] {
			each(l, i, depth, p, all(s.Words).Part(first+p, total))
		}
		first += s.Parts[i]
	}
	return l
}

// outward adds the messages of a part from the root to the leaves.
func (s *Shared) outward(l *transfer.List, tree int, depth []int, part int, words transfer.Set) {
	t := s.Trees[tree]
	for _, n := range t.Order[1:] {
		s.add(l, transfer.Transfer{From: t.Parent[n], To: n, Out: words}, part, depth[n]-1)
	}
}

// inward adds those from the leaves to the root, with sums.
func (s *Shared) inward(l *transfer.List, tree int, depth []int, part int, words transfer.Set) {
	t := s.Trees[tree]
	for _, n := range slices.Backward(t.Order[1:]) {
		s.add(l, transfer.Transfer{From: n, To: t.Parent[n], Out: words, Op: transfer.Add}, part, s.Depth[tree]-depth[n])
	}
}

// add adds a message, so many links behind the first of its part.
func (s *Shared) add(l *transfer.List, x transfer.Transfer, part, links int) {
	x.Step = part + links
	x.Start = router.Cycle(links)*s.pace.whole + router.Cycle(part)*s.pace.next
	x.Due = x.Start + s.pace.whole
	l.Transfers = append(l.Transfers, x)
}
