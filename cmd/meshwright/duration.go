// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/big"
	"strings"

	"meshwright/internal/rational"
	"meshwright/router"
)

// duration is a time in ticks of which per make a cycle. It prints in cycles,
// exactly: as a whole number, a decimal fraction, or one such as 31/3.
type duration struct {
	ticks router.Cycle
	per   int
}

func (d duration) exact() *big.Rat { return big.NewRat(int64(d.ticks), int64(max(1, d.per))) }

// String prints the time in cycles.
func (d duration) String() string { return exactly(d.exact()) }

// MarshalJSON writes the time in cycles as a number; thirds and the like are rounded.
func (d duration) MarshalJSON() ([]byte, error) { return jsonNumber(d.exact()), nil }

// exactly prints a rational number as a decimal fraction if it is one, else as a/b.
func exactly(x *big.Rat) string { return rational.Text(x) }

// jsonNumber is exactly where that is a number, else rounded to 17 digits behind the point.
func jsonNumber(x *big.Rat) []byte {
	text := exactly(x)
	if strings.Contains(text, "/") {
		text = x.FloatString(17)
	}
	return []byte(text)
}
