// SPDX-License-Identifier: Apache-2.0

// Package bitset has sets of small numbers, a bit for each. Sets of other shapes stay
// with their users: the windows of 64 starts of a search for timetables, the levels of
// counts in package check, and the words that the network interfaces walk.
package bitset

import (
	"iter"
	"math/bits"
)

// Set is a set of small numbers that is walked in rising order. Hot loops
// take it word by word, others with [Set.All].
type Set []uint64

// New returns an empty set with room for the numbers 0 to n-1.
func New(n int) Set { return make(Set, (n+63)/64) }

// Set puts a number in.
func (s Set) Set(i int32) { s[i>>6] |= 1 << (i & 63) }

// Clear takes a number out.
func (s Set) Clear(i int32) { s[i>>6] &^= 1 << (i & 63) }

// Flip puts a number in that is not there, and takes one out that is.
func (s Set) Flip(i int32) { s[i>>6] ^= 1 << (i & 63) }

// Has reports whether a number is there.
func (s Set) Has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// All ranges over the numbers in rising order. It reads each word of 64 numbers once,
// when the range gets there, so later changes to that word do not show.
func (s Set) All() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// Size counts the numbers.
func (s Set) Size() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Empty reports whether the set has no numbers; it stops at the first it finds.
func (s Set) Empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}
