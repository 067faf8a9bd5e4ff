// SPDX-License-Identifier: Apache-2.0

package bitset

// The other set of an operation on two sets has room for the same numbers.

// Unite puts in all that another set has.
func (s Set) Unite(other Set) {
	for i, word := range other {
		s[i] |= word
	}
}

// Subtract takes out all that another set has.
func (s Set) Subtract(other Set) {
	for i, word := range other {
		s[i] &^= word
	}
}

// Intersect takes out all that another set does not have.
func (s Set) Intersect(other Set) {
	for i, word := range other {
		s[i] &= word
	}
}

// Within reports whether another set has all numbers of this one.
func (s Set) Within(other Set) bool {
	for i, word := range s {
		if word&^other[i] != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether another set has a number of this one.
func (s Set) Meets(other Set) bool {
	for i, word := range s {
		if word&other[i] != 0 {
			return true
		}
	}
	return false
}
