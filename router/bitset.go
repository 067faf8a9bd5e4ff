// SPDX-License-Identifier: Apache-2.0

package router

// bitset is a set of small numbers that is walked in rising order.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) set(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) clear(i int)    { s[i>>6] &^= 1 << (i & 63) }
func (s bitset) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }
