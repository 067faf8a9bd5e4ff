// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"math/bits"
)

// window returns the 64 bits of a set from bit x on; there are none behind its
// end.
func window(set []uint64, x int) uint64 {
	w, shift := x/64, x%64
	if w >= len(set) {
		return 0
	}
	word := set[w] >> shift
	if shift > 0 && w+1 < len(set) {
		word |= set[w+1] << (64 - shift)
	}
	return word
}

// mark puts the bits from to to-1 into a set, which grows.
func mark(set []uint64, from, to int) []uint64 {
	for len(set)*64 < to {
		set = append(set, 0)
	}
	each(from, to, func(w int, mask uint64) { set[w] |= mask })
	return set
}

// unmark takes the bits from to to-1 out of a set.
func unmark(set []uint64, from, to int) {
	each(from, to, func(w int, mask uint64) { set[w] &^= mask })
}

// each calls f with the words, and the bits in them, of a range.
func each(from, to int, f func(w int, mask uint64)) {
	for w := from / 64; 64*w < to; w++ {
		mask := ^uint64(0)
		if 64*w < from {
			mask <<= from % 64
		}
		if to < 64*w+64 {
			mask &= 1<<(to%64) - 1
		}
		f(w, mask)
	}
}

func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// blocked returns the starts from x on, 64 of them, from which so many bits are
// not all free: bit i is set when one of set's bits from x+i to x+i+width-1 is.
func blocked(set []uint64, x, width int) uint64 {
	if width == 1 {
		return window(set, x)
	}
	if width < 64 {
		return dilated(set, x, width)
	}
	// All ranges have x+63 to x+width-1 in common.
	if anyBit(set, x+63, x+width) {
		return ^uint64(0)
	}
	mask := uint64(0)
	if before := window(set, x) &^ (1 << 63); before != 0 {
		mask = 2<<(63-bits.LeadingZeros64(before)) - 1
	}
	if behind := window(set, x+width) &^ (1 << 63); behind != 0 {
		mask |= ^uint64(0) << (bits.TrailingZeros64(behind) + 1)
	}
	return mask
}

// dilated is blocked for widths below 64: ors of doubling width.
func dilated(set []uint64, x, width int) uint64 {
	low, high := window(set, x), window(set, x+64)
	for done := 1; done < width; {
		step := min(done, width-done)
		low |= low>>step | high<<(64-step)
		high |= high >> step
		done += step
	}
	return low
}

// anyBit reports whether one of the bits from to to-1 is set.
func anyBit(set []uint64, from, to int) bool {
	to = min(to, 64*len(set))
	found := uint64(0)
	for w := from / 64; 64*w < to && found == 0; w++ {
		mask := ^uint64(0)
		if 64*w < from {
			mask <<= from % 64
		}
		if to < 64*w+64 {
			mask &= 1<<(to%64) - 1
		}
		found = set[w] & mask
	}
	return found != 0
}
