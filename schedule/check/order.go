// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"meshwright/internal/parallel"
)

const (
	digitBits = 11
	digits    = 1 << digitBits
)

// radixSort sorts numbers by their bits from shift on; those with equal ones keep their order. It returns the
// sorted numbers, in the given array or in scratch of the same length, and the other array.
func radixSort(list, scratch []uint64, shift int) (sorted, other []uint64) {
	varies := uint64(0)
	for _, v := range list {
		varies |= v ^ list[0]
	}
	for ; shift < bits.Len64(varies); shift += digitBits {
		if varies>>shift&(digits-1) == 0 {
			continue
		}
		var place [digits]int32
		for _, v := range list {
			place[v>>shift&(digits-1)]++
		}
		next := int32(0)
		for d, n := range place {
			place[d] = next
			next += n
		}
		for _, v := range list {
			d := v >> shift & (digits - 1)
			scratch[place[d]] = v
			place[d]++
		}
		list, scratch = scratch, list
	}
	return list, scratch
}

// sorter keeps the arrays of sorts.
type sorter struct {
	list, scratch []uint64
	order         []int32
}

// sort returns 0 to n-1 by rising key; equal keys keep their order. The result
// is valid until the next call.
func (s *sorter) sort(n int, key func(i int) uint64) []int32 {
	if cap(s.order) < n {
		s.list, s.scratch, s.order = make([]uint64, n), make([]uint64, n), make([]int32, n)
	}
	s.list, s.scratch, s.order = s.list[:n], s.scratch[:n], s.order[:n]
	low, high := uint64(math.MaxUint64), uint64(0)
	for i := range s.list {
		k := key(i)
		s.list[i] = k
		low, high = min(low, k), max(high, k)
	}
	// A key and its index share a number, the index in the low bits. The first bits of a key that is too wide come in a second round.
	width := bits.Len(uint(n))
	for i, k := range s.list {
		s.list[i] = (k-low)<<width | uint64(i)
	}
	s.round(width)
	if rest := 64 - width; n > 0 && (high-low)>>rest != 0 {
		first := slices.Clone(s.order)
		for i, of := range first {
			s.list[i] = (key(int(of))-low)>>rest<<width | uint64(i)
		}
		s.round(width)
		for i, at := range s.order {
			s.order[i] = first[at]
		}
	}
	return s.order
}

// round sorts the list, and takes the order from its low bits.
func (s *sorter) round(width int) {
	s.list, s.scratch = radixSort(s.list, s.scratch, width)
	for i, v := range s.list {
		s.order[i] = int32(v & (1<<width - 1))
	}
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
	sorted := make([]rect, len(rects))
	if width+bits.Len32(uint32(groups)) <= 64 {
		order := s.sort(len(rects), func(i int) uint64 {
			r := &rects[i]
			return uint64(group(r))<<width | uint64(r.from-low)
		})
		for i, of := range order {
			sorted[i] = rects[of]
		}
		return sorted
	}
	starts := slices.Clone(s.sort(len(rects), func(i int) uint64 { return uint64(rects[i].from - low) }))
	for i, at := range s.sort(len(rects), func(i int) uint64 { return uint64(group(&rects[starts[i]])) }) {
		sorted[i] = rects[starts[at]]
	}
	return sorted
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
