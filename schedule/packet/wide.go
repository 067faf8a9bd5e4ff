// SPDX-License-Identifier: Apache-2.0

package packet

import "math/bits"

// wide is a 128-bit unsigned number. Its users keep their values below 2^128.
type wide struct{ hi, lo uint64 }

// product is a*b.
func product(a, b uint64) wide {
	hi, lo := bits.Mul64(a, b)
	return wide{hi, lo}
}

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

func (a wide) sub(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

func (a wide) less(b wide) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

func (a wide) zero() bool { return a.hi|a.lo == 0 }

// times is a*n, which must fit.
func (a wide) times(n uint64) wide {
	hi, lo := bits.Mul64(a.lo, n)
	return wide{hi + a.hi*n, lo}
}

// long is a*n in 192 bits, most significant word first.
func (a wide) long(n uint64) [3]uint64 {
	high, lo := bits.Mul64(a.lo, n)
	top, mid := bits.Mul64(a.hi, n)
	mid, carry := bits.Add64(mid, high, 0)
	return [3]uint64{top + carry, mid, lo}
}

// above tells whether a > b.
func above(a, b [3]uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return false
}

// float is a, rounded.
func (a wide) float() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }
