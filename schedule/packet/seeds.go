// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"iter"
	"slices"
	"sort"
)

// seeds yields schedules from which the local search starts; each is good for some machines.
//
//   - Packets of at most x flits, for x in steps of an eighth: when the links behind the root
//     are the bottleneck.
//   - Packets that take at most a given time from the root's neighbour to their destination,
//     in the same steps.
//   - The fewest packets with which every message arrives by a common deadline, if messages do
//     not wait for one another: the least deadline that works.
//
// Each comes in two orders: furthest first, and by falling time from the root's neighbour to
// the destination. The second order is right when no packets meet behind the root (Jackson's
// rule for jobs with delivery times).
func (k *climb) seeds(m messages) iter.Seq[[]Burst] {
	longest, deepest := int64(0), int64(0)
	for i, v := range m.node {
		longest, deepest = max(longest, m.flits[i]), max(deepest, int64(k.tree.depth[v]))
	}
	return func(yield func([]Burst) bool) {
		both := func(bursts []Burst) bool {
			k.furthest(bursts)
			if !yield(bursts) {
				return false
			}
			k.slowest(bursts)
			return yield(bursts)
		}
		for x := int64(1); x <= longest; x = x + 1 + x/8 {
			if !both(k.capped(m, func(int64) int64 { return x })) {
				return
			}
		}
		longestTail := (deepest - 1) * k.clock.cost(longest)
		for tail := k.clock.cost(1); tail <= longestTail; tail = tail + 1 + tail/8 {
			size := func(depth int64) int64 { return (tail/max(1, depth-1) - k.clock.setup) / k.clock.flit }
			if !both(k.capped(m, size)) {
				return
			}
		}
		start := slices.Clone(k.record)
		for range 3 { // the order depends on the sizes, and the sizes on the order
			k.deadline(start)
			if !yield(start) {
				return
			}
			k.slowest(start)
			if !yield(start) {
				return
			}
		}
	}
}

// capped splits every message into packets of at most size(depth) flits.
func (k *climb) capped(m messages, size func(depth int64) int64) []Burst {
	bursts := make([]Burst, len(m.node))
	for i, v := range m.node {
		x := max(1, min(m.flits[i], size(int64(k.tree.depth[v]))))
		bursts[i] = Burst{int(v), int(m.flits[i]), int(ceil(m.flits[i], x))}
	}
	return bursts
}

func (k *climb) furthest(bursts []Burst) {
	slices.SortStableFunc(bursts, func(a, b Burst) int { return cmp.Compare(k.tree.depth[b.Node], k.tree.depth[a.Node]) })
}

// slowest sorts by the time from the root's neighbour, the longest first.
func (k *climb) slowest(bursts []Burst) {
	slices.SortStableFunc(bursts, func(a, b Burst) int { return cmp.Compare(k.tail(b, b.Packets), k.tail(a, a.Packets)) })
}

func (k *climb) tail(b Burst, packets int) int64 {
	return int64(k.tree.depth[b.Node]-1) * k.clock.cost(ceil(int64(b.Flits), int64(packets)))
}

// deadline splits bursts, in their order, into as few packets as meet the least
// common deadline by the formula of lemma 12.
func (k *climb) deadline(bursts []Burst) {
	most := make([]int, len(bursts)) // more packets than this are never better
	for i, b := range bursts {
		most[i] = int(choose64(int64(k.tree.depth[b.Node]-1), int64(b.Flits), k.clock))
	}
	// fit splits all bursts for a deadline, and fails if it cannot.
	fit := func(deadline int64) bool {
		sent := int64(0)
		for i := range bursts {
			b := &bursts[i]
			done := func(r int) int64 { return sent + int64(r)*k.clock.setup + int64(b.Flits)*k.clock.flit + k.tail(*b, r) }
			b.Packets = 1 + sort.Search(most[i]-1, func(r int) bool { return done(r+1) <= deadline })
			if done(b.Packets) > deadline {
				return false
			}
			sent += int64(b.Packets)*k.clock.setup + int64(b.Flits)*k.clock.flit
		}
		return true
	}
	low, high := int64(0), k.best.time
	for !fit(high) {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; fit(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	fit(high)
}

// choose64 is the best number of packets of a message alone, in ticks.
func choose64(hops, flits int64, c clock) uint64 {
	r, _ := cheapest(uint64(flits), product(1, uint64(c.setup)), product(uint64(hops), uint64(c.flit)))
	return r
}
