// SPDX-License-Identifier: Apache-2.0

// Package soak shortens the longest tests. The variable SOAK in the environment, which make soak sets,
// makes them take all their cases; without it, as in make test, they take some of each kind.
package soak

import "os"

// On reports whether tests take all their cases.
func On() bool { return os.Getenv("SOAK") != "" }

// Some returns all cases in a soak, otherwise the first of every n cases.
func Some[T any](n int, cases []T) []T {
	if On() {
		return cases
	}
	var some []T
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// Number returns the number of random cases: all in a soak, otherwise few.
func Number[N int | uint64](few, all N) N {
	if On() {
		return all
	}
	return few
}
