// SPDX-License-Identifier: Apache-2.0

// Package snapshot keeps the state of plain values in files.
//
// The owner of a value says nothing of how it is kept: [Archive.Keep] walks the
// value's type, so a new field of a struct is kept without a further line. Kept are numbers,
// strings, arrays, slices, maps with plain keys, structs, pointers to structs and what
// interfaces hold. Two pointers to one struct stay two pointers to one struct. A
// tag on a field says what is no state:
//
//	wiring []int32 `snapshot:"start"` // fixed: compared by Digest, not kept
//	scratch []int32 `snapshot:"-"`    // rebuilt: neither
//
// A state is read into a value that was built in the same way as the value that was
// kept. So slices, pointers and interfaces that are there already are filled in place, and what
// is not kept is as it was built.
package snapshot

// keeper is a struct with state that is not in its fields, such as a file. It takes
// the place of the walk; Keep of another value walks what is in fields.
type keeper interface {
	// Snapshot keeps the state: it writes it, reads it or adds it to a digest, as
	// the archive does.
	Snapshot(*Archive) error
}
