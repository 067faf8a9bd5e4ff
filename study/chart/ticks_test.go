// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShortNumbers(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "1": 1, "-3": -3, "0.3": 0.1 + 0.2, "0.0001": 0.0001, "1e-16": 1e-16, "-2.5e-5": -2.5e-5, "1.235": 1.23456, "9999": 9999,
		"10k": 9999.9, "12.35k": 12346, "123.5k": 123456, "999.9k": 999900, "1M": 999977, "1.5M": 1.5e6, "2000M": 2e9, "1e10": 1e10, "-1e300": -1e300,
		"NaN": math.NaN(),
	} {
		require.Equal(t, want, short(x))
	}
}
