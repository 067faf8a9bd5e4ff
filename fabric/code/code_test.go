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
func encode(data uint64, width int) uint64 {
	at := map[int]uint64{}
	last, group := 0, 0
	for p, i := 1, 0; i < width; p++ {
		if bits.OnesCount(uint(p)) == 1 {
			group = p
			continue
		}
		at[p], last = data>>i&1, p
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
		word |= at[check] << n
		n++
	}
	return word | uint64(bits.OnesCount64(word)%2)<<n
}

// Every word of up to 8 bits, samples of longer ones; every error of up to two bits.
func TestSECDEDCorrectsOneBitAndDetectsTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for width := 1; width <= 32; width++ {
		words := 1 << width
		if width > 8 {
			words = 12
		}
		length := width + code.SECDED.Checks(width)
		for k := range words {
			data := uint64(k)
			if width > 8 {
				data = rng.Uint64() & (1<<width - 1)
			}
			word := encode(data, width)
			expect(t, word, width, data, code.Sound)
			for i := range length {
				expect(t, word^1<<i, width, data, code.Corrected)
				for j := range i {
					wrong := word ^ 1<<i ^ 1<<j
					expect(t, wrong, width, wrong&(1<<width-1), code.Detected)
				}
			}
		}
	}
}

func expect(t *testing.T, word uint64, width int, data uint64, want code.Verdict) {
	got, verdict := code.SECDED.Decode(word, width)
	if got != data || verdict != want {
		require.Failf(t, "decoded wrong", "width %d word %b: %b %d, expected %b %d", width, word, got, verdict, data, want)
	}
}

// What a decoder does depends on the wrong bits alone, however many they are.
func TestCodesAreLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for width := 1; width <= 32; width++ {
		for range 50 {
			data, wrong := rng.Uint64()&(1<<width-1), rng.Uint64()&(1<<(width+code.SECDED.Checks(width))-1)
			got, verdict := code.SECDED.Decode(encode(data, width)^wrong, width)
			residual, want := code.SECDED.Decode(wrong, width)
			require.Equal(t, []any{data ^ residual, want}, []any{got, verdict})
		}
	}
}

func TestParityDetectsOddErrors(t *testing.T) {
	for width := 1; width <= 8; width++ {
		for word := range uint64(1) << (width + 1) {
			data, verdict := code.Parity.Decode(word, width)
			require.Equal(t, word&(1<<width-1), data)
			require.Equal(t, bits.OnesCount64(word)%2 == 1, verdict == code.Detected)
		}
	}
}

func TestCheckBits(t *testing.T) {
	for _, row := range []struct{ width, want int }{{1, 3}, {4, 4}, {5, 5}, {8, 5}, {11, 5}, {12, 6}, {16, 6}, {26, 6}, {27, 7}, {32, 7}, {57, 7}} {
		require.Equal(t, row.want, code.SECDED.Checks(row.width), row.width)
	}
	require.Equal(t, 1, code.Parity.Checks(32))
	require.Zero(t, code.None.Checks(32))
	require.Zero(t, code.Code("").Checks(32))
}

func Example() {
	for _, c := range code.Codes() {
		data, verdict := c.Decode(1<<5, 32) // bit 5 is wrong
		fmt.Println(c, data, verdict == code.Corrected, verdict == code.Detected)
	}
	// Output:
	// none 32 false false
	// parity 32 false true
	// secded 0 true false
}
