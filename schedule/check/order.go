// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"math/bits"
	"slices"
)

// item is a key with the index of its owner.
type item struct {
	key uint64
	of  int32
}

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// radixSort sorts items by key; equal ones keep their order. It returns the
// sorted items, in the given array or in scratch of the same length.
func radixSort(items, scratch []item) []item {
	varies := uint64(0)
	for i := range items {
		varies |= items[i].key ^ items[0].key
	}
	for shift := 0; shift < bits.Len64(varies); shift += digitBits {
		if varies>>shift&(digits-1) == 0 {
			continue
		}
		var place [digits]int32
		for i := range items {
			place[items[i].key>>shift&(digits-1)]++
		}
		next := int32(0)
		for d, n := range place {
			place[d] = next
			next += n
		}
		for i := range items {
			d := items[i].key >> shift & (digits - 1)
			scratch[place[d]] = items[i]
			place[d]++
		}
		items, scratch = scratch, items
	}
	return items
}

// sorter keeps the arrays of sorts.
type sorter struct{ items, scratch []item }

func (s *sorter) reserve(n int) []item {
	if cap(s.items) < n {
		s.items, s.scratch = make([]item, n), make([]item, n)
	}
	s.items, s.scratch = s.items[:n], s.scratch[:n]
	return s.items
}

// sort returns 0 to n-1 by rising key; equal keys keep their order. The result
// is valid until the next call.
func (s *sorter) sort(n int, key func(i int) uint64) []item {
	items := s.reserve(n)
	for i := range items {
		items[i] = item{key(i), int32(i)}
	}
	return radixSort(items, s.scratch)
}

// byGroupAndStart returns the rectangles sorted by group, then by start.
func (s *sorter) byGroupAndStart(rects []rect, group func(r *rect) int32) []rect {
	if len(rects) == 0 {
		return nil
	}
	low, high, groups := rects[0].from, rects[0].from, int32(0)
	for i := range rects {
		low, high = min(low, rects[i].from), max(high, rects[i].from)
		groups = max(groups, group(&rects[i]))
	}
	width := bits.Len64(uint64(high - low))
	var order []item
	if width+bits.Len32(uint32(groups)) <= 64 {
		order = s.sort(len(rects), func(i int) uint64 {
			r := &rects[i]
			return uint64(group(r))<<width | uint64(r.from-low)
		})
	} else {
		order = s.sort(len(rects), func(i int) uint64 { return uint64(rects[i].from - low) })
		for i := range order {
			order[i].key = uint64(group(&rects[order[i].of]))
		}
		order = radixSort(order, s.other(order))
	}
	sorted := make([]rect, len(rects))
	for i := range order {
		sorted[i] = rects[order[i].of]
	}
	return sorted
}

// other returns the array of the two that a sort's result is not in.
func (s *sorter) other(order []item) []item {
	if &order[0] == &s.items[0] {
		return s.scratch
	}
	return s.items
}

// byStart sorts rectangles by start, which often are in order already.
func (s *sorter) byStart(list []rect) []rect {
	starts := func(a, b rect) int { return cmp.Compare(a.from, b.from) }
	const few = 128 // up to which comparing is faster
	switch {
	case slices.IsSortedFunc(list, starts):
	case len(list) <= few:
		slices.SortStableFunc(list, starts)
	default:
		return s.byGroupAndStart(list, func(*rect) int32 { return 0 })
	}
	return list
}

// group sorts the members that each yields by their group, one of n. The members of group i
// are of[begin[i]:begin[i+1]], in the order in which they were yielded.
func group(n int, each func(yield func(group, member int32))) (begin, of []int32) {
	begin = make([]int32, n+2)
	each(func(group, _ int32) { begin[group+2]++ })
	for i := 2; i < len(begin); i++ {
		begin[i] += begin[i-1]
	}
	of = make([]int32, begin[n+1])
	each(func(group, member int32) {
		of[begin[group+1]] = member
		begin[group+1]++
	})
	return begin[:n+1], of
}
