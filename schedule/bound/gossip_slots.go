// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// GossipSlots bounds the time in which every node gets every node's block by
// what startups do to the routes of the words, on machines whose worms hold
// links for their flits only. It is 0 where the argument says nothing (packets,
// one node, no words).
//
// Slots. With startup s let s' = s+1 and let slot i = 1, 2, .. be the cycles
// (i-1)s' to i*s'-1. A channel takes at most one message in a slot: it is busy
// for s cycles and at least one flit. What a message brings cannot be passed
// on in the slot in which that message was taken. So a word spreads over
// a tree of messages: in every slot each node that has it sends it over each of
// its g channels at most once, and after i slots at most (g+1)^i nodes have it.
// A message taken after cycle T - s - flit - hop is late for time T, which
// leaves H = 1 + floor((T-s-flit-hop)/s') slots.
//
// Load. An edge of the tree crosses as many links as its ends are apart. Let
// F(H, j) be the least sum of the lengths of all edges of slots j, j+1, .., H,
// over all trees that reach N nodes in H slots. No flit of these is on a link
// before cycle (j-1)s' + s, and none starts to cross one after T - hop - flit.
// With W words in all blocks, C directed links and f cycles a flit
//
//	T >= s + hop + (j-1)s' + f * ceil(W * F(H, j) / C)    for every j.
//
// The argument holds for every word by itself, so cutting blocks into parts
// does not help. It is about PEs that store and pass on words, as all gossips here do; one
// that sends sums of words (network coding) is not bound by the load. More slots need more time and allow shorter edges: the bound
// is the least T for which both hold. F is bounded below by [RingLoad] on rings and paths
// and by [GridLoad] on all grids.
func GossipSlots(t *topology.Topology, m machine.Machine, words int) router.Cycle {
	if !possible(t, m) || words < 0 {
		return 0
	}
	nodes := t.Nodes()
	if nodes == 1 || words == 0 || !t.IsGrid() || m.PacketSwitched() {
		return 0
	}
	b := newSlots(t, m, words)
	enough := sort.Search(nodes, func(h int) bool { return b.reach(h) >= nodes })
	meet := enough + sort.Search(nodes, func(k int) bool { return b.until(enough+k) >= b.carried(enough+k) })
	switch meet {
	case enough:
		return b.until(meet)
	case enough + nodes: // with so many slots all edges have length 1, and more do not help
		return b.carried(meet)
	}
	return min(b.until(meet), b.carried(meet-1))
}

// slots is what the bound knows of network and machine.
type slots struct {
	nodes, channels, links int // channels: of a node
	words                  int
	startup, hop, flit     router.Cycle
	line                   bool
	balls                  []int
}

func newSlots(t *topology.Topology, m machine.Machine, words int) *slots {
	b := &slots{
		nodes: t.Nodes(), words: words, line: len(t.Dims) == 1, balls: ballSizes(t),
		startup: router.Cycle(m.Startup), hop: router.Cycle(m.Hop), flit: router.Cycle(m.Flit),
	}
	for n := range router.NodeID(b.nodes) {
		b.links += t.Degree(n)
		b.channels = max(b.channels, channels(t, m, n))
	}
	return b
}

// reach is the most nodes that have a word after h slots.
func (b *slots) reach(h int) int { return power(b.channels+1, h, b.nodes) }

// until is the least time with h slots.
func (b *slots) until(h int) router.Cycle {
	return b.startup + b.flit + b.hop + router.Cycle(h-1)*(b.startup+1)
}

// carried is the least time in which the links carry what h slots leave to them.
func (b *slots) carried(h int) router.Cycle {
	best := router.Cycle(0)
	for j := 1; j <= h && b.reach(j-1) < b.nodes; j++ {
		best = max(best, b.startup+b.hop+router.Cycle(j-1)*(b.startup+1)+b.flits(b.load(h, j)))
	}
	return best
}

// load is at most the load of a word's tree of h slots in slots j to h, in links.
func (b *slots) load(h, j int) int {
	if b.line && b.channels > 1 { // never less than the other
		return RingLoad(b.nodes, h, j)
	}
	return GridLoad(b.nodes, b.channels, b.balls, h, j)
}

// flits is the time in which the links carry all words that far.
func (b *slots) flits(load int) router.Cycle {
	return router.Cycle((int64(b.words)*int64(load)+int64(b.links)-1)/int64(b.links)) * b.flit
}

// power is base^exponent, or most if that is less.
func power(base, exponent, most int) int {
	p := 1
	for range exponent {
		if p *= base; p >= most {
			return most
		}
	}
	return min(p, most)
}

// RingLoad is the least sum of the lengths of all edges of slots j to h, over
// all ways to bring one word from a node of a ring or path to n nodes in h
// slots, when in a slot every node that has the word sends at most one message
// each way round: the sum of the n smallest of the numbers among which every
// c = 0, 1, .. occurs 3^(j-1) * 2^c * binomial(h-j+1, c) times. (Without j: as if every
// node had a word of h signs, and the signs that are not 0 were its price.) It
// is exact for j = 1, and math.MaxInt when h slots do not suffice.
//
// Proof. A node v pays for the edges that enter it or pass over it, k(v) of
// them; the sum of all k(v) is the sum of the lengths. Between neighbouring
// nodes that have the word lie gaps, all nodes of a gap have been passed
// equally often, k. Let a multiset A be no better than B if, for all x, the sum of max(0, x-k)
// over A is at most that over B; this is so when A can be matched into B with
// no k growing smaller, it survives adding c to all members and taking unions, and
// it says that the n smallest members of A sum to no less than those of B.
// Claim: the gaps after a slot are no better than k, k+1, k+1 for every gap k before it.
//
// (1) It costs nothing to assume that when an edge of slot i to the right passes
// over a node y that has the word, y has sent one to the right in every slot since it
// got it, i included: otherwise let y send it, in the free slot, instead of its
// sender. No length grows and the sum falls, so this ends. Let A be the gap to
// the left of y, and B that to the right. All edges over B from y count for
// B, at most as many from y, to the left, for A, those over y for both, and the one that
// brought y the word for one of them. Hence k(A) <= k(B) + 1 where
// an edge to the right passes, and likewise to the left.
//
// (2) Let in gap i p edges to the right pass and a end, q and b to the left. They cut it
// into gaps no better than k+p+q and k+p+q+1 .. k+p+q+a, k+p+q+1 .. k+p+q+b (those that come
// from the left nearer to the left are best). Match the first with k. Edges to
// the right form a queue: every node adds at most one (exactly one where others pass),
// every gap takes some out; let it take out the oldest. Then those that end in gap i come from the
// nodes p, .., p+a-1 places back along the ring, all passed by edges to the right; the one from
// c = p+m-1 places back (m = 1..a) is matched with a gap k'+1 of the gap right of its sender.
// By (1) k' <= k + c, so k'+1 <= k+p+m. The same to the left. Every
// sender has one edge each way, so nothing is matched twice.
//
// From one gap k = 0 (a path has two, whose outer sides never get an edge from
// beyond: no better) the gaps after h slots are no better than 2^c binomial(h,c) times c. New
// nodes have the numbers of the gaps that end at them, so nodes and gaps have the same
// numbers: one node, one gap at the start, and k+1, k+1 more for each gap. Counting from slot j on, the
// start is at most 3^(j-1) nodes and gaps that have paid nothing, and (1) holds
// for what is counted. The tree that sends from every node into both gaps
// beside it, the inner parts as even as they can be, meets the numbers.
func RingLoad(n, h, j int) int {
	u := h - j + 1
	load, left := 0, n
	count := float64(power(3, j-1, n))
	for c := 0; left > 0; c++ {
		if c > u {
			return math.MaxInt
		}
		take := left
		if count < float64(left) {
			take = int(math.Round(count))
		}
		load += c * take
		left -= take
		count *= 2 * float64(u-c) / float64(c+1)
	}
	return load
}

// GridLoad is at most the sum of the lengths of all edges of slots j to h of
// any tree that brings one word from a node of a network to n nodes in h slots,
// when every node has g channels; balls are the most nodes within 0, 1, ..
// links of a node.
//
// The sum of the lengths is the sum over d >= 0 of the edges longer than d.
// Strike these: the nodes fall into clusters, each grown from the end of a long
// edge of slot i (or from one of the at most (g+1)^(j-1) nodes that have the word before slot
// j) by edges of at most d links in the h-i slots that are left. A cluster has at most
// min((g+1)^(h-i), balls[d(h-i)]) nodes, and slot i has at most g (g+1)^(i-1) long edges.
// The fewest long edges make n nodes when the early slots, whose clusters are largest, have all they can.
func GridLoad(n, g int, balls []int, h, j int) int {
	load := 0
	cluster := func(d, slots int) int {
		return power(g+1, slots, balls[min(d*slots, len(balls)-1)])
	}
	for d := 0; ; d++ {
		start := power(g+1, j-1, n)
		left := n - min(n, start*cluster(d, h-j+1))
		edges := 0
		for i := j; left > 0; i++ {
			if i > h {
				return math.MaxInt
			}
			size := cluster(d, h-i)
			long := min((left+size-1)/size, g*power(g+1, i-1, n))
			edges += long
			left -= min(left, long*size)
		}
		if edges == 0 {
			return load
		}
		load += edges
	}
}

// ballSizes returns the most nodes that a node of a grid has within 0, 1, ..
// links, up to all of them.
func ballSizes(t *topology.Topology) []int {
	at := []int{1} // nodes at a distance
	for d, side := range t.Dims {
		line := make([]int, side)
		for x := range side {
			from := abs(x - side/2)
			if t.Wrap[d] {
				from = min(x, side-x)
			}
			line[from]++
		}
		next := make([]int, len(at)+side-1)
		for i, a := range at {
			for k, b := range line {
				next[i+k] += a * b
			}
		}
		at = next
	}
	var balls []int
	sum := 0
	for _, count := range at {
		sum += count
		balls = append(balls, sum)
	}
	return balls
}

func abs(x int) int { return max(x, -x) }
