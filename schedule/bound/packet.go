// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"slices"

	"meshwright/internal/input"
	"meshwright/router"
)

// PacketScatter bounds the time, in ticks, in which a root sends every node its message over
// store-and-forward links. It holds for all networks, orders, and splits of messages into
// packets, as long as packets do not mix messages and are not split again on the way (for
// other packets see [MixedPackets]).
//
// A packet of L flits takes setup + L*flit ticks on a link. (With beta = p/q cycles of set-up,
// setup is p and flit is q ticks of 1/q cycle.) A node sends one packet at a time. distance
// and lengths are by node; a node at distance 0, the root, needs no packets. Errors: slices of
// unequal length, negative lengths or distances, setup below 0, flit below 1.
//
// It is the larger of two bounds.
//
//   - One message of L flits over d links: if its packets have at most x flits, it takes
//     flit*L + setup*ceil(L/x) + (d-1)*(setup + flit*x), for the best x. There are at least
//     ceil(L/x) packets. No packet of the message passes another one, and the largest one
//     crosses all d links.
//   - All messages at distance k or more: see drained.
func PacketScatter(distance []int32, lengths []int, setup, flit router.Cycle) (router.Cycle, error) {
	p := packets{float64(setup), float64(flit), int64(setup), int64(flit)}
	if err := p.check(distance, lengths); err != nil {
		return 0, err
	}
	best := int64(0)
	type message struct {
		distance int32
		length   int
	}
	seen := map[message]bool{}
	for v, d := range distance {
		if m := (message{d, lengths[v]}); d > 0 && m.length > 0 && !seen[m] {
			seen[m] = true
			best = max(best, p.through([]pile{{int64(m.length), 1}}, int64(d), best))
		}
	}
	return router.Cycle(max(best, p.drain(distance, lengths))), nil
}

// PacketGather bounds the time in which the root receives every node's message; see
// PacketScatter. A gather reversed in time is a scatter of the same machine: a packet is
// received where it was sent, no node sends or receives two packets at a time, and a node has
// received the whole packet before it begins to send it. So the bounds are the same.
func PacketGather(distance []int32, lengths []int, setup, flit router.Cycle) (router.Cycle, error) {
	return PacketScatter(distance, lengths, setup, flit)
}

// PacketTree bounds scatter and gather over the edges of one tree, parent by node (-1: the
// root). It is sharper than PacketScatter.
//
// For every node v the packets to v and to the nodes behind v all cross the links to v, one
// after the other. Let d be the depth of v and x the size of the largest of these packets.
// Then the last packet is at v no earlier than
//
//	flit*flits + setup*packets + (d-1)*(setup + flit*x),
//
// the makespan of jobs that take equally long on each of d machines. There are at least sum
// ceil(L/x) packets. If all of them go to depth k or more, the last packet has k-d links to go
// behind v.
//
// PacketTree takes the best x for every v and k. Its work is proportional to the sum of all
// depths times the number of different lengths. Where that sum is above 20 million it returns
// the bound of PacketScatter. Errors: see PacketScatter; parents that do not form a tree.
func PacketTree(parent []int, lengths []int, setup, flit router.Cycle) (router.Cycle, error) {
	distance, err := depths(parent)
	if err != nil {
		return 0, err
	}
	best, err := PacketScatter(distance, lengths, setup, flit)
	if err != nil {
		return 0, err
	}
	p := packets{float64(setup), float64(flit), int64(setup), int64(flit)}
	below := behind(parent, lengths, distance)
	for v, messages := range below {
		if len(messages) < 2 {
			continue
		}
		slices.SortFunc(messages, func(a, b int) int { return int(distance[b] - distance[a]) })
		var set []pile
		for i, u := range messages {
			set = insert(set, int64(lengths[u]))
			if i+1 == len(messages) || distance[messages[i+1]] < distance[u] {
				rest := int64(distance[u]-distance[v]) * (p.s + p.f)
				best = max(best, router.Cycle(p.through(set, int64(distance[v]), int64(best)-rest)+rest))
			}
		}
	}
	return best, nil
}

// maxBehind bounds the sum of depths for which PacketTree looks at all nodes.
const maxBehind = 20_000_000

// behind lists by node the messages that cross its link, unless these are too many.
func behind(parent, lengths []int, depth []int32) [][]int {
	sum := 0
	for v, d := range depth {
		if lengths[v] > 0 {
			sum += int(d)
		}
	}
	if sum > maxBehind {
		return nil
	}
	below := make([][]int, len(parent))
	for v := range parent {
		for u := v; lengths[v] > 0 && parent[u] >= 0; u = parent[u] {
			below[u] = append(below[u], v)
		}
	}
	return below
}

// depths follows every node up to one whose depth is known.
func depths(parent []int) ([]int32, error) {
	depth := make([]int32, len(parent)) // plus 1; 0 is unknown
	var trail []int
	for v := range parent {
		trail = trail[:0]
		u := v
		for ; parent[u] != -1 && depth[u] == 0; u = parent[u] {
			if trail = append(trail, u); parent[u] < 0 || parent[u] >= len(parent) || len(trail) > len(parent) {
				return nil, input.Errorf("expected the parents of a tree, -1 for the root", "node %d does not hang from a root", v)
			}
		}
		depth[u] = max(depth[u], 1)
		for i := len(trail) - 1; i >= 0; i-- {
			depth[trail[i]] = depth[parent[trail[i]]] + 1
		}
	}
	for v := range depth {
		depth[v]--
	}
	return depth, nil
}

// packets holds the machine's ticks of set-up and ticks per flit.
type packets struct {
	setup, flit float64 // the same as s and f
	s, f        int64
}

func (p packets) check(distance []int32, lengths []int) error {
	if p.s < 0 || p.f < 1 {
		return input.Errorf("expected setup of 0 or more and flit of 1 or more", "setup %d, flit %d ticks", p.s, p.f)
	}
	if len(distance) != len(lengths) {
		return input.Errorf("expected one length a node", "%s for %s", input.Count(len(lengths), "length"), input.Count(len(distance), "node"))
	}
	total, furthest := 0.0, int32(0)
	for v, d := range distance {
		if d < 0 || lengths[v] < 0 {
			return input.Errorf("expected 0 or more", "node %d: distance %d, length %d", v, d, lengths[v])
		}
		total, furthest = total+float64(lengths[v]), max(furthest, d)
	}
	if total*(p.setup+p.flit)*float64(furthest+1) > 1<<61 {
		return input.Errorf("expected fewer flits, or a setup with a smaller denominator", "%.0f flits over %d links take too many ticks to count", total, furthest)
	}
	return nil
}

// pile is a number of messages of one length.
type pile struct{ length, count int64 }

// insert adds a message to a set in rising order of length.
func insert(set []pile, length int64) []pile {
	i, found := slices.BinarySearchFunc(set, length, func(h pile, l int64) int { return int(h.length - l) })
	if found {
		set[i].count++
		return set
	}
	return slices.Insert(set, i, pile{length, 1})
}

// through bounds the time that a set of messages takes over the same d links. It is the least
// over x of
//
//	cost(x) = flit*flits + setup*sum ceil(L/x) + (d-1)*(setup + flit*x).
//
// The sum falls with x, and the last term rises. So between a and b the cost is at least the
// sum for b and the last term for a. Intervals that cannot be below the best known value are
// dropped.
//
// The result is exact where it is above beat. If the x near the real optimum show that the
// result is not above beat, the search ends there.
func (p packets) through(set []pile, d, beat int64) int64 {
	flits := int64(0)
	for _, h := range set {
		flits += h.length * h.count
	}
	setups := func(x int64) int64 {
		n := int64(0)
		for _, h := range set {
			n += (h.length + x - 1) / x * h.count
		}
		return n * p.s
	}
	hops := func(x int64) int64 { return (d - 1) * (p.s + p.f*x) }
	longest := set[len(set)-1].length
	if d > 1 {
		x := max(1, min(longest, int64(math.Sqrt(p.setup*float64(flits)/(p.flit*float64(d-1))))))
		if guess := setups(x) + hops(x) + flits*p.f; guess <= beat {
			return guess
		}
	}
	first, last := setups(1), setups(longest)
	best := min(first+hops(1), last+hops(longest))
	var search func(a, b, atA, atB int64)
	search = func(a, b, atA, atB int64) {
		if b-a < 2 || atB+hops(a+1) >= best {
			return
		}
		mid := a + (b-a)/2
		at := setups(mid)
		best = min(best, at+hops(mid))
		search(a, mid, atA, at)
		search(mid, b, at, atB)
	}
	search(1, longest, first, last)
	return best + flits*p.f
}

// maxDrains bounds the distances for which drain looks closely.
const maxDrains = 256

// drain returns the largest of drained over all k; when there are many k, over some of them.
func (p packets) drain(distance []int32, lengths []int) int64 {
	furthest := int32(0)
	for v, d := range distance {
		if lengths[v] > 0 {
			furthest = max(furthest, d)
		}
	}
	at := make([][]int, furthest+1)
	for v, d := range distance {
		if lengths[v] > 0 && d > 0 {
			at[d] = append(at[d], lengths[v])
		}
	}
	var set []pile
	best, skip := int64(0), 1+len(at)/maxDrains
	for k := int(furthest); k > 0; k-- {
		for _, l := range at[k] {
			set = insert(set, int64(l))
		}
		if len(at[k]) > 0 && (k%skip == 0 || k == 1) {
			best = max(best, p.drained(set, int64(k)))
		}
	}
	return best
}

// drained bounds the time of messages that all go k links or more.
//
// Let u be the time that is left when the root has sent a packet. The packet has k-1 links to
// go. So its size x satisfies (k-1)*(setup + flit*x) <= u, and x is at most its message's
// length L:
//
//	x = min(X(u), L),    X(u) = floor((u/(k-1) - setup)/flit).
//
// X(u) grows with u. Packets of x flits bring flits at the rate flit*x/(setup + flit*x) of
// full speed. The root sends as much at every moment as this rate allows. Where X(u) exceeds
// the length of short messages, only the long messages gain. So, by exchange, it is best to
// send the short messages last, at small u. Go back in time from the least u, (k-1)*(setup +
// flit), and take the shortest message first. The u at which all messages are sent is the
// least time.
//
// The sum uses floating-point numbers. 1e-9 of it is given up for rounding errors, and the
// rest is rounded up to a tick.
func (p packets) drained(set []pile, k int64) int64 {
	if k == 1 {
		ticks := int64(0)
		for _, h := range set {
			ticks += (p.s + p.f*h.length) * h.count
		}
		return ticks
	}
	links := float64(k - 1)
	r := p.reversed(func(size int64) float64 { return links * (p.setup + p.flit*float64(size)) })
	for _, h := range set {
		r.bring(h.length*h.count, h.length)
	}
	return r.ticks()
}

// reversal goes back in time from the end of a scatter. edge(size) is the number of ticks
// before the end at which the root has sent a packet of that size at the latest.
type reversal struct {
	packets
	edge func(size int64) float64
	size int64 // largest that is possible at u
	u    float64
}

func (p packets) reversed(edge func(int64) float64) *reversal {
	return &reversal{p, edge, 1, edge(1)}
}

// bring lets the root send so many flits, in packets of at most a given size, before the flits
// that it has already sent. (The time runs backwards.)
func (r *reversal) bring(flits, longest int64) {
	left := float64(flits) * r.flit
	for left > 0 {
		most, end := longest, math.Inf(1)
		if r.size < longest { // sizes in steps of a thousandth, at the largest one's rate
			next := min(longest, r.size+1+r.size/1024)
			most, end = next-1, r.edge(next)
		}
		share := r.flit * float64(most) / (r.setup + r.flit*float64(most))
		if gain := max(0, end-r.u) * share; gain < left {
			left, r.u, r.size = left-gain, max(r.u, end), most+1
			continue
		}
		r.u, left = r.u+left/share, 0
	}
}

// ticks is the time from the beginning.
func (r *reversal) ticks() int64 { return int64(math.Ceil(r.u * (1 - 1e-9))) }
