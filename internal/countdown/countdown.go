// SPDX-License-Identifier: Apache-2.0

// Package countdown counts many numbers down together, 64 by each word
// operation.
package countdown

// Period is how many steps the words count by themselves. A countdown of no more reports its last step only.
const Period = 8

// Word is 64 countdowns: plane p holds bit p of their low digits. The owner of a countdown
// keeps the number that was left when it was last loaded or reported; Step reports every
// eighth step and the last, so that most steps cost no work of their own.
type Word [3]uint64

// Load makes the countdown of a bit stand before left steps, at least 1.
func (w *Word) Load(bit uint64, left uint32) {
	if left%Period == 0 { // as most packets have it
		w[0] |= bit
		w[1] |= bit
		w[2] |= bit
		return
	}
	low := left - 1
	w[0] = w[0]&^bit | bit&-uint64(low&1)
	w[1] = w[1]&^bit | bit&-uint64(low>>1&1)
	w[2] = w[2]&^bit | bit&-uint64(low>>2&1)
}

// Step counts down the countdowns in the mask, and returns those for which Rest is to be
// called.
func (w *Word) Step(mask uint64) uint64 {
	a, b, c := w[0], w[1], w[2]
	w[0] = a ^ mask
	mask &^= a
	w[1] = b ^ mask
	mask &^= b
	w[2] = c ^ mask
	return mask &^ c
}

// Due returns the countdowns whose next step is reported.
func (w *Word) Due() uint64 { return ^(w[0] | w[1] | w[2]) }

// Left returns the rest of countdown i, 0 to 63, at any time.
func (w *Word) Left(i int32, kept uint32) uint32 {
	low := uint32(w[0]>>(i&63)&1) | uint32(w[1]>>(i&63)&1)<<1 | uint32(w[2]>>(i&63)&1)<<2
	return Rest(kept) + low + 1
}

// Rest returns the rest of a countdown after a report; kept is the number that the owner kept.
func Rest(kept uint32) uint32 { return (kept - 1) &^ (Period - 1) }

// Reports returns 1 if the next report of a countdown is not its last one, otherwise 0; kept is the number that the owner
// kept.
func Reports(kept uint32) uint64 { return (Period - uint64(kept)) >> 63 }

// Set is countdowns by number, 64 to a word.
type Set []Word

// New returns n countdowns.
func New(n int) Set { return make(Set, (n+63)/64) }

// Load makes countdown i stand before left steps, at least 1.
func (s Set) Load(i int32, left uint32) { s[i>>6].Load(1<<(i&63), left) }

// Step counts down the countdowns of word w that are in the mask, see [Word.Step].
func (s Set) Step(w int, mask uint64) uint64 { return s[w].Step(mask) }

// Left returns the rest of countdown i at any time.
func (s Set) Left(i int32, kept uint32) uint32 { return s[i>>6].Left(i, kept) }
