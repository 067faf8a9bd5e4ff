// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// GossipSlots bounds the time in which every node gets every node's block. The bound counts
// the startups and the link cycles that the routes of the words need. It holds on machines
// whose worms hold a link only while their flits cross it. It is 0 where the argument does not
// apply (packets, one node, no words).
//
// Slots. Let s be the startup, s' = s+1, and let slot i = 1, 2, .. be the cycles (i-1)s' to
// i*s'-1. A channel takes at most one message in a slot, since a message keeps it busy for s
// cycles and at least one flit. The words of this message cannot be passed on in the same
// slot. So a word spreads over a tree of messages: in every slot each node that has the word
// sends it over each of its g channels at most once.
//
//	slot              1      2        3
//	nodes, at most   g+1  (g+1)^2  (g+1)^3
//
// A message that is taken after cycle T - s - flit - hop arrives later than T. So a time of T
// has H = 1 + floor((T-s-flit-hop)/s') slots, and N nodes need (g+1)^H >= N.
//
// Load. An edge of the tree crosses as many links as its ends are apart: its length. Let F(H,
// j) be the least sum of the lengths of all edges of slots j, j+1, .., H, over all trees that
// reach N nodes in H slots. No flit of these edges is on a link before cycle (j-1)s' + s, and
// none starts to cross a link after T - hop - flit. With W words in all blocks, C directed
// links that work at once, with a single port one of each node, and f cycles a flit
//
//	T >= s + hop + (j-1)s' + f * ceil(W * F(H, j) / C)    for every j.
//
// The bound is the least T that contradicts neither inequality: more slots need more time, and
// allow shorter edges. [RingLoad] is F on rings and a lower bound of F on paths; [GridLoad] is
// a lower bound of F on all grids.
//
// The argument holds for every word by itself, so cutting blocks into parts does not help. It
// assumes that PEs store words and pass them on, as in all all-gathers of this project. A PE
// that sends sums of words (network coding) can load the links less.
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

// slots holds the numbers of network and machine that the bound needs.
type slots struct {
	nodes, channels, links int // channels: of a node; links: that work at once
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
		if degree := t.Degree(n); m.Ports == machine.SinglePort {
			b.links += min(1, degree)
		} else {
			b.links += degree
		}
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

// load is a lower bound, in links, of the load of a word's tree of h slots in slots j to h.
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

// RingLoad bounds the load of one word on a ring or path from below. The word goes from one
// node to n nodes in h slots; in a slot every node that has the word sends at most one message
// in each direction. RingLoad is at most the sum of the lengths of all edges of slots j to h.
// It is math.MaxInt when h slots do not suffice.
//
// Statement. Take the numbers among which c = 0, 1, .. occurs 3^(j-1) * 2^c * binomial(h-j+1,
// c) times. The load is at least the sum of the n smallest of them. For j = 1 some tree on a
// ring meets this sum. (For j = 1 the numbers are the prices of all strings of h signs -, 0
// and +: a sign other than 0 costs 1.)
//
// Terms. A node v pays for every edge that enters it or passes over it; k(v) is the number of
// these edges. The sum of all k(v) is the sum of the lengths. A gap is the run of nodes
// without the word between two neighbouring nodes that have it. An edge that passes over one
// node of a gap passes over all of them, so they have paid the same number k.
//
// A multiset A of numbers is no better than B if, for all x, the sum of max(0, x-k) over A is
// at most the same sum over B.
//   - This holds if each member of A can be matched with a member of B of its own that is not
//     larger.
//   - It stays true when a constant is added to all members, and for unions.
//   - It implies that the n smallest members of A sum to no less than the n smallest members
//     of B.
//
// Claim. The gaps after a slot are no better than the numbers k, k+1, k+1 for every gap k
// before it.
//
// (1) Neighbouring gaps. Suppose that an edge of slot i to the right passes over a node y that
// has the word. Then we may assume that y has sent an edge to the right in every slot since it
// got the word, slot i included. Otherwise let y send this edge, in its free slot, instead of
// the edge's sender: no edge gets longer and the sum falls, so such changes come to an end.
//
//	x . . . . . . y . . . . . . w        an edge from x to w passes over y
//	          A       B                  the gaps beside y
//
// Every edge that y sent to the right has passed over B only, every edge that y sent to the
// left over A only. There are at most as many of the latter. An edge over y has passed over
// both gaps, and the edge that brought y the word over one of them. Hence k(A) <= k(B) + 1.
// The same holds with left and right exchanged.
//
// (2) Proof of the claim. In a slot let p edges to the right pass over gap i and a edges end
// in it; to the left let q pass and b end. The new nodes cut gap i into gaps no better than
//
//	k+p+q    and    k+p+q+1 .. k+p+q+a    and    k+p+q+1 .. k+p+q+b.
//
// Match k+p+q with k. The edges to the right form a queue along the ring: every node adds at
// most one edge (exactly one where others pass, by (1)), and every gap takes some out. Let
// each gap take out the oldest edges. Then the a edges that end in gap i come from the nodes
// p, .., p+a-1 places back, and edges to the right pass over all these nodes. Take the edge
// from c = p+m-1 places back (m = 1..a), and let k' be the gap to the right of its sender. By
// (1), applied c times, k' <= k + c, so k'+1 <= k+p+m. So the new gap k+p+q+m can be matched
// with k'+1. The same holds to the left. Every sender has one edge in each direction, so no
// number is matched twice.
//
// Conclusion. At the start there is one gap with k = 0. (On a path there are two, but no edge
// ever comes from beyond the ends, which is no better.) So after h slots the gaps are no
// better than the numbers in which c occurs 2^c binomial(h, c) times. A new node has the
// number of the gaps that end at it. So nodes and gaps have the same numbers: one node and one
// gap with 0 at the start, and two more with k+1 for each gap k. For j > 1 count from slot j
// on: at most 3^(j-1) nodes and gaps have then paid nothing, and (1) holds for the counted
// edges.
//
// Tightness for j = 1. Let every node send into both gaps beside it, such that the inner
// sections are as equal as possible. This tree meets the numbers.
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

// GridLoad is a lower bound of the sum of the lengths of all edges of slots j to h, over all
// trees that bring one word from a node of a network to n nodes in h slots. Every node has g
// channels; balls[d] is the most nodes within d links of a node.
//
// Proof. The sum of the lengths is the sum, over all d >= 0, of the number of edges longer
// than d. So it suffices to bound this number for each d. Remove the long edges: the nodes
// fall into clusters.
//
//	start or end of a long edge --- edges of at most d links ---> its cluster
//
// A cluster begins with the end of a long edge of slot i, or with one of the at most
// (g+1)^(j-1) nodes that have the word before slot j. It grows by edges of at most d links in
// the h-i slots that are left, so it has at most min((g+1)^(h-i), balls[d(h-i)]) nodes. Slot i
// has at most g (g+1)^(i-1) long edges. The clusters of early slots are the largest. So the
// number of long edges is least when early slots have as many of them as possible.
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
