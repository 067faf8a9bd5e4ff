// SPDX-License-Identifier: Apache-2.0

// Package countdown counts many numbers down together, 64 by each word
// operation.
package countdown

// period is how many steps the words count by themselves.
const period = 8

// Set is countdowns by number, all at once: plane p of word w holds bit p of
// the low digits of countdowns 64*w to 64*w+63. The owner of a countdown keeps
// the number that was left when it was last loaded or reported; Step reports
// every eighth step and the last, so that most steps cost no work of their own.
type Set [][3]uint64

// New returns n countdowns.
func New(n int) Set { return make(Set, (n+63)/64) }

// Load makes countdown i stand before left steps, at least 1.
func (s Set) Load(i int32, left uint32) {
	planes, bit, low := &s[i>>6], uint64(1)<<(i&63), left-1
	for p := range planes {
		planes[p] = planes[p]&^bit | bit&-uint64(low>>p&1)
	}
}

// Step counts down the countdowns of word w that are in the mask, and returns the countdowns
// for which Rest is to be called.
func (s Set) Step(w int, mask uint64) uint64 {
	planes := &s[w]
	a, b, c := planes[0], planes[1], planes[2]
	planes[0] = a ^ mask
	mask &^= a
	planes[1] = b ^ mask
	mask &^= b
	planes[2] = c ^ mask
	return mask &^ c
}

// Due returns the countdowns of word w whose next step is reported.
func (s Set) Due(w int) uint64 { return ^(s[w][0] | s[w][1] | s[w][2]) }

// Rest returns the rest of a countdown after a report; kept is the number that the owner kept.
func Rest(kept uint32) uint32 { return (kept - 1) &^ (period - 1) }

// Left returns the rest of countdown i at any time.
func (s Set) Left(i int32, kept uint32) uint32 {
	low := uint32(0)
	for p, plane := range s[i>>6] {
		low |= uint32(plane>>(i&63)&1) << p
	}
	return Rest(kept) + low + 1
}
