// SPDX-License-Identifier: Apache-2.0

// Package meshwright holds what callers of all other packages share: the errors
// that they tell apart, the limit on memory, and exact fractions.
//
// Most programs start with packages fabric/topology and fabric/machine (on what
// hardware), firmware/collective (run a collective), schedule and schedule/check
// (run or check a timetable of messages), fabric (components on the clock),
// capture (files that show a run) and rtl (Verilog). docs/library.md has a
// program that uses them.
package meshwright

import (
	"context"

	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/rational"
)

// InputError is the error of every function that refuses its arguments, a file or a
// combination of keys. Its fields are What (the fault), Want (what was expected), and File
// and Line (where the fault is). Some functions return several errors at once; errors.As
// finds the first.
type InputError = input.Error

// TooLarge is the error of work that needs more memory than the limit of its
// context. It is returned before the memory is allocated.
type TooLarge = memory.TooLarge

// Bytes is an amount of memory.
type Bytes = memory.Bytes

// LimitMemory returns a context in which functions that estimate their memory
// return a *TooLarge when the estimate and the live heap of the process together
// exceed limit. Without such a context they never refuse.
func LimitMemory(ctx context.Context, limit Bytes) context.Context {
	return memory.With(ctx, limit)
}

// Rational is an exact fraction that is not negative, such as the set-up of a
// machine that switches packets. Its zero value is 0.
type Rational = rational.Rational

// ParseRational reads a whole number, a decimal or a fraction: 2, 1.5, 3/2. The
// error is an *InputError.
func ParseRational(text string) (Rational, error) { return rational.Parse(text) }
