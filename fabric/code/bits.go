// SPDX-License-Identifier: Apache-2.0

package code

import "math/bits"

// mostBits is the room of Bits: the widest payload with all check bits of a code.
const mostBits = 576

// Bits are the bits of a word of a code, or of a payload: bit i is bit i%32 of element i/32.
type Bits [mostBits / 32]uint32

// Bit returns the word in which only bit i is set.
func Bit(i int) (b Bits) {
	b.Flip(i)
	return b
}

// Flip inverts bit i.
func (b *Bits) Flip(i int) { b[i/32] ^= 1 << (i % 32) }

// Has reports whether bit i is set.
func (b *Bits) Has(i int) bool { return b[i/32]>>(i%32)&1 != 0 }

// Any reports whether any bit is set.
func (b *Bits) Any() bool { return *b != Bits{} }

// Xor returns the bits in which two words differ.
func (b Bits) Xor(c Bits) Bits {
	for i := range b {
		b[i] ^= c[i]
	}
	return b
}

// Low returns the lowest bits of a word.
func (b Bits) Low(width int) Bits {
	for i := range b {
		b[i] &= 1<<min(32, max(0, width-32*i)) - 1
	}
	return b
}

// odd reports whether the number of bits that are set is odd.
func (b *Bits) odd() bool {
	sum := uint32(0)
	for _, element := range b {
		sum ^= element
	}
	return bits.OnesCount32(sum)%2 == 1
}
