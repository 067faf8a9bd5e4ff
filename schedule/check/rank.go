// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"math/bits"

	"meshwright/router"
)

// rankSet is a set of ranks 0 to n-1 that finds neighbours in a few steps: a
// bit a rank, a bit a word of those, and so on up to one word.
type rankSet [][]uint64

func newRankSet(n int) rankSet {
	var s rankSet
	for {
		n = (n + 63) / 64
		s = append(s, make([]uint64, n))
		if n <= 1 {
			return s
		}
	}
}

func (s rankSet) add(r int32) {
	for _, level := range s {
		word := &level[r>>6]
		was := *word
		*word |= 1 << (r & 63)
		if was != 0 {
			return
		}
		r >>= 6
	}
}

func (s rankSet) remove(r int32) {
	for _, level := range s {
		word := &level[r>>6]
		*word &^= 1 << (r & 63)
		if *word != 0 {
			return
		}
		r >>= 6
	}
}

// before returns the greatest member below r, -1 if none.
func (s rankSet) before(r int32) int32 {
	for depth, level := range s {
		if below := level[r>>6] & (1<<(r&63) - 1); below != 0 {
			r = r&^63 | int32(bits.Len64(below)-1)
			for depth--; depth >= 0; depth-- {
				r = r<<6 | int32(bits.Len64(s[depth][r])-1)
			}
			return r
		}
		r >>= 6
	}
	return -1
}

// after returns the least member above r, -1 if none.
func (s rankSet) after(r int32) int32 {
	for depth, level := range s {
		if above := level[r>>6] &^ (1<<(r&63)<<1 - 1); above != 0 {
			r = r&^63 | int32(bits.TrailingZeros64(above))
			for depth--; depth >= 0; depth-- {
				r = r<<6 | int32(bits.TrailingZeros64(s[depth][r]))
			}
			return r
		}
		r >>= 6
	}
	return -1
}

// noEnd is the end of a rectangle that does not exist.
const noEnd = router.Cycle(math.MinInt64)

// endTree knows the ends of the active rectangles by rank and the latest of
// any range of ranks.
type endTree struct {
	size int
	ends []router.Cycle // node k has children 2k, 2k+1; leaves from size on
}

func newEndTree(n int) *endTree {
	size := 1
	for size < n {
		size *= 2
	}
	t := &endTree{size: size, ends: make([]router.Cycle, 2*size)}
	for i := range t.ends {
		t.ends[i] = noEnd
	}
	return t
}

func (t *endTree) set(r int32, end router.Cycle) {
	k := t.size + int(r)
	for t.ends[k] = end; k > 1; k /= 2 {
		latest := max(t.ends[k], t.ends[k^1])
		if t.ends[k/2] == latest {
			return
		}
		t.ends[k/2] = latest
	}
}

// below calls yield for the ranks below r with ends after start, rising, until
// yield returns false.
func (t *endTree) below(r int32, start router.Cycle, yield func(int32) bool) {
	t.visit(1, 0, t.size, int(r), start, yield)
}

// visit looks through node k, which stands for width ranks from first on.
func (t *endTree) visit(k, first, width, r int, start router.Cycle, yield func(int32) bool) bool {
	if first >= r || t.ends[k] <= start {
		return true
	}
	if width == 1 {
		return yield(int32(first))
	}
	width /= 2
	return t.visit(2*k, first, width, r, start, yield) && t.visit(2*k+1, first+width, width, r, start, yield)
}
