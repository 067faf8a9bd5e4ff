// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"meshwright/internal/parallel"
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

// inParts does parts of a range of items at the same time.
func inParts(items, parts int, do func(part, from, to int)) {
	var done sync.WaitGroup
	for part := range parts {
		done.Go(func() { do(part, items*part/parts, items*(part+1)/parts) })
	}
	done.Wait()
}

// partsOf returns into how many parts a number of items is worth to be cut.
func partsOf(items int) int {
	const fewest = 1 << 18 // items worth a core
	return max(1, min(parallel.Workers(), items/fewest))
}

// group sorts the members that each yields by their group, one of n. The members of group i
// are of[begin[i]:begin[i+1]], in the order in which they were yielded. Each is called for ranges of items, one for
// every core.
func group[T any](n, items int, each func(from, to int, yield func(group int32, member T))) (begin []int32, of []T) {
	parts := partsOf(items)
	places := make([][]int32, parts) // by part, by group: where its next member goes
	all := func(see func(part int) func(group int32, member T)) {
		inParts(items, parts, func(part, from, to int) { each(from, to, see(part)) })
	}
	all(func(part int) func(group int32, member T) {
		place := make([]int32, n)
		places[part] = place
		return func(group int32, _ T) { place[group]++ }
	})
	begin = make([]int32, n+1)
	next := int32(0)
	for i := range n {
		begin[i] = next
		for _, place := range places {
			place[i], next = next, next+place[i]
		}
	}
	begin[n] = next
	of = make([]T, next)
	all(func(part int) func(group int32, member T) {
		place := places[part]
		return func(group int32, member T) {
			of[place[group]] = member
			place[group]++
		}
	})
	return begin, of
}
