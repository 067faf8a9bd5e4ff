// SPDX-License-Identifier: Apache-2.0

package code_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/code"
)

// encode is the textbook's extended Hamming code: bits at their positions, each check
// bit the parity of its group, then all bits in the order of our words.
func encode(data code.Bits, width int) code.Bits {
	at := map[int]int{}
	last, group := 0, 0
	for p, i := 1, 0; i < width; p++ {
		if bits.OnesCount(uint(p)) == 1 {
			group = p
			continue
		}
		at[p], last = bit(data, i), p
		i++
	}
	for check := 1; check <= group; check *= 2 {
		for p := 1; p <= last; p++ {
			if p&check != 0 && p != check {
				at[check] ^= at[p]
			}
		}
	}
	word, n := data, width
	for check := 1; check <= group; check *= 2 {
		if at[check] != 0 {
			word.Flip(n)
		}
		n++
	}
	parity := 0
	for i := range n {
		parity ^= bit(word, i)
	}
	if parity != 0 {
		word.Flip(n)
	}
	return word
}

func bit(word code.Bits, i int) int {
	if word.Has(i) {
		return 1
	}
	return 0
}

// random returns a word of so many bits.
func random(rng *rand.Rand, width int) (word code.Bits) {
	for i := range width {
		if rng.IntN(2) == 1 {
			word.Flip(i)
		}
	}
	return word
}

// widths are all widths of a payload and smaller ones.
func widths() []int {
	list := []int{64, 128, 256, 512}
	for width := range 32 {
		list = append(list, width+1)
	}
	return list
}

// Every word of up to 8 bits, samples of longer ones; every error of up to two bits, of wide words with one of a few.
func TestSECDEDCorrectsOneBitAndDetectsTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, width := range widths() {
		words, step := 1<<min(width, 8), max(1, width/16-3)
		if width > 8 {
			words = 12
		}
		if width > 32 {
			words = 2
		}
		length := width + code.SECDED.Checks(width)
		for k := range words {
			data := code.Bits{uint32(k)}
			if width > 8 {
				data = random(rng, width)
			}
			word := encode(data, width)
			expect(t, word, width, data, code.Sound)
			for i := range length {
				one := word.Xor(code.Bit(i))
				expect(t, one, width, data, code.Corrected)
				for j := i % step; j < i; j += step {
					wrong := one.Xor(code.Bit(j))
					expect(t, wrong, width, wrong.Low(width), code.Detected)
				}
			}
		}
	}
}

func expect(t *testing.T, word code.Bits, width int, data code.Bits, want code.Verdict) {
	got, verdict := code.SECDED.Decode(word, width)
	if got != data || verdict != want {
		require.Failf(t, "decoded wrong", "width %d word %x: %x %d, expected %x %d", width, word, got, verdict, data, want)
	}
}

// What a decoder does depends on the wrong bits alone, however many they are.
func TestCodesAreLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, width := range widths() {
		for range 50 {
			data, wrong := random(rng, width), random(rng, width+code.SECDED.Checks(width))
			got, verdict := code.SECDED.Decode(encode(data, width).Xor(wrong), width)
			residual, want := code.SECDED.Decode(wrong, width)
			require.Equal(t, []any{data.Xor(residual), want}, []any{got, verdict})
		}
	}
}

func TestParityDetectsOddErrors(t *testing.T) {
	for width := 1; width <= 8; width++ {
		for word := range uint32(1) << (width + 1) {
			data, verdict := code.Parity.Decode(code.Bits{word}, width)
			require.Equal(t, code.Bits{word & (1<<width - 1)}, data)
			require.Equal(t, bits.OnesCount32(word)%2 == 1, verdict == code.Detected)
		}
	}
	_, verdict := code.Parity.Decode(code.Bit(512), 512)
	require.Equal(t, code.Detected, verdict)
}

func TestCheckBits(t *testing.T) {
	for _, row := range []struct{ width, want int }{{1, 3}, {4, 4}, {5, 5}, {8, 5}, {11, 5}, {12, 6}, {16, 6}, {26, 6}, {27, 7}, {32, 7}, {57, 7}, {64, 8}, {128, 9}, {256, 10}, {512, 11}} {
		require.Equal(t, row.want, code.SECDED.Checks(row.width), row.width)
	}
	require.Equal(t, 1, code.Parity.Checks(32))
	require.Zero(t, code.None.Checks(32))
	require.Zero(t, code.Code("").Checks(32))
}

func Example() {
	for _, c := range code.Codes() {
		data, verdict := c.Decode(code.Bit(5), 32) // bit 5 is wrong
		fmt.Println(c, data[0], verdict == code.Corrected, verdict == code.Detected)
	}
	// Output:
	// none 32 false false
	// parity 32 false true
	// secded 0 true false
}
