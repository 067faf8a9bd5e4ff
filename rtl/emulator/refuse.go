// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"

	"meshwright/internal/input"
	"meshwright/router"
)

// refuse returns the error of a machine that the emulator does not have.
func (e *Emulator) refuse() error {
	m := &e.net.Machine
	switch {
	case m.Elements() > 1 && e.Word != m.Width:
		return input.At("--word", 0, fmt.Sprintf("expected the %d bits of a flit's payload, or no --word", m.Width), "words of %d bits", e.Word)
	case m.Elements() == 1 && (e.Word%8 != 0 || e.Word < 8 || e.Word > 32):
		return input.At("--word", 0, "expected 8, 16, 24 or 32", "words of %d bits", e.Word)
	case e.Word < m.Width:
		return input.At("--word", 0, fmt.Sprintf("expected at least the %d bits of a flit's payload", m.Width), "words of %d bits", e.Word)
	}
	return nil
}

// fits refuses a run whose numbers do not fit the words of the PEs: sums and comparisons are those of 32 bits as long as
// all numbers are between -2^(Word-1) and 2^(Word-1).
func (e *Emulator) fits(cycles router.Cycle, maxTag uint32) error {
	if e.Word >= 32 {
		return nil
	}
	const want = "expected a larger --word"
	most := uint64(1)<<(e.Word-1) - 1
	nodes := len(e.images)
	switch {
	case uint64(cycles) > most:
		return input.At("--word", 0, want, "a run of %d cycles with words of %d bits", cycles, e.Word)
	case uint64(maxTag) > most:
		return input.At("--word", 0, want, "a tag %d with words of %d bits", maxTag, e.Word)
	case uint64(nodes) > most:
		return input.At("--word", 0, want, "%d nodes with words of %d bits", nodes, e.Word)
	}
	for n := range nodes {
		for at, word := range e.images[n].memory {
			if !e.holds(word) {
				return e.large(n, at, word, "starts")
			}
		}
		for at, word := range e.array.Memory(router.NodeID(n)) {
			if !e.holds(word) {
				return e.large(n, at, word, "ends")
			}
		}
	}
	return nil
}

// holds tells the numbers of 32 bits that a word of the PE holds, with or without a sign.
func (e *Emulator) holds(word uint32) bool {
	return bits.Len32(word) <= e.Word || int32(word)>>(e.Word-1) == -1
}

func (e *Emulator) large(node, at int, word uint32, when string) error {
	return input.At("--word", 0, "expected a larger --word", "PE %d %s with %08x at address %d, more than %d bits", node, when, word, at, e.Word)
}
