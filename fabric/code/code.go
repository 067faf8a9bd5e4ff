// SPDX-License-Identifier: Apache-2.0

// Package code has the codes that protect flits in the buffers of chips: parity,
// and SECDED, the extended Hamming code that corrects one wrong bit and detects two.
//
// A code word holds the data in its low bits and the check bits above them:
//
//	parity   {parity, data}
//	SECDED   {parity, Hamming checks, data}
//
// The Hamming code numbers the bits of a word from 1. Check bit j has the position 2^j;
// the data have the other positions in rising order. Check bit j is the parity of the
// data at positions in which bit j is set. The parity bit makes the parity of the whole word even.
//
// Both codes are linear: what a decoder does to a word depends on its wrong bits
// alone. So a model that knows the wrong bits needs no data.
package code

// Code names a code.
type Code string

// The codes.
const (
	None   Code = "none"   // no check bits
	Parity Code = "parity" // one check bit: detects every odd number of wrong bits
	SECDED Code = "secded" // corrects one wrong bit, detects two
)

// Codes lists the codes.
func Codes() []Code { return []Code{None, Parity, SECDED} }

// Verdict is what a decoder says of a word.
type Verdict uint8

// The verdicts.
const (
	Sound     Verdict = iota // a word of the code
	Corrected                // one bit was wrong, and is right now
	Detected                 // bits are wrong; the data stay as they are
)

// Checks returns the check bits of a word with so many bits of data.
func (c Code) Checks(width int) int {
	switch c {
	case Parity:
		return 1
	case SECDED:
		return hamming(width) + 1
	}
	return 0
}

// hamming returns the least number of check bits that gives every bit a position.
func hamming(width int) int {
	checks := 1
	for 1<<checks < width+checks+1 {
		checks++
	}
	return checks
}

// Decode returns the data of a word as the decoder shows them, and its verdict.
func (c Code) Decode(word Bits, width int) (data Bits, v Verdict) {
	data = word.Low(width)
	switch c {
	case Parity:
		if word.odd() {
			return data, Detected
		}
	case SECDED:
		return correct(data, syndrome(&word, width), word.odd(), width)
	}
	return data, Sound
}

// syndrome returns the position of the wrong bit if one bit of a word is wrong and it is
// not the parity bit; 0 if the Hamming checks are right.
func syndrome(word *Bits, width int) int {
	wrong, at := 0, 0
	for i := range width {
		at = next(at)
		if word.Has(i) {
			wrong ^= at
		}
	}
	for check := range hamming(width) {
		if word.Has(width + check) {
			wrong ^= 1 << check
		}
	}
	return wrong
}

// next returns the position of the data bit behind position at.
func next(at int) int {
	at++
	for at&(at-1) == 0 {
		at++
	}
	return at
}

// correct inverts the data bit at the position of a syndrome.
func correct(data Bits, wrong int, odd bool, width int) (Bits, Verdict) {
	switch {
	case !odd && wrong == 0:
		return data, Sound
	case !odd:
		return data, Detected
	case wrong&(wrong-1) == 0: // a check bit, or the parity bit
		return data, Corrected
	}
	at := 0
	for i := range width {
		if at = next(at); at == wrong {
			data.Flip(i)
			return data, Corrected
		}
	}
	return data, Detected
}
