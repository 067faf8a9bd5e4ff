// SPDX-License-Identifier: Apache-2.0

package router

import (
	"iter"
	"math/bits"
)

// bitset is a set of small numbers that is walked in rising order. Hot loops
// take it word by word, others with all.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) clear(i int32)    { s[i>>6] &^= 1 << (i & 63) }
func (s bitset) flip(i int32)     { s[i>>6] ^= 1 << (i & 63) }
func (s bitset) has(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// all ranges over the numbers; those of a word are fixed when it is reached.
func (s bitset) all() iter.Seq[int32] {
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

func (s bitset) size() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// empty reports whether the set has no numbers; it stops at the first it finds.
func (s bitset) empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}
