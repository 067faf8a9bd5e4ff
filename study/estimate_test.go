// SPDX-License-Identifier: Apache-2.0

package study

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mean and its interval end at the second digit of the interval.
func TestRoundedEstimates(t *testing.T) {
	for _, row := range []struct {
		mean, interval     float64
		wantMean, wantHalf string
	}{
		{28.01663, 33, "28", "33"},
		{128.5, 170.4, "130", "170"},
		{11.0647, 0.13, "11.06", "0.13"},
		{11.1612, 0.2, "11.16", "0.20"},
		{18.1704, 3.94, "18.2", "3.9"},
		{0.130409, 0.0028, "0.1304", "0.0028"},
		{0.5, 0.0998, "0.50", "0.10"},
		{7, 9.96, "7", "10"},
		{1234567, 99.6, "1234570", "100"},
		{-3.14159, 0.01, "-3.142", "0.010"},
		{0, 0.1, "0.00", "0.10"},
		{1e18, 1e15, "1e+18", "1e+15"},
		{1e-20, 1e-21, "1e-20", "1e-21"},
		{5, 0, "", ""},
		{5, math.NaN(), "", ""},
		{0.1, 1e-17, "", ""},
		{5, math.Inf(1), "", ""},
	} {
		mean, half := Estimate{row.mean, row.interval}.Rounded()
		require.Equal(t, []string{row.wantMean, row.wantHalf}, []string{mean, half}, "%g ±%g", row.mean, row.interval)
	}
}

func TestOverlaps(t *testing.T) {
	for _, row := range []struct {
		a, b Estimate
		want bool
	}{
		{Estimate{1, math.NaN()}, Estimate{1, math.NaN()}, true},
		{Estimate{1, math.NaN()}, Estimate{1.001, math.NaN()}, false},
		{Estimate{1, 0.5}, Estimate{2, 0.5}, true},
		{Estimate{1, 0.5}, Estimate{2, 0.4}, false},
		{Estimate{1, 0}, Estimate{2, 1.5}, true},
	} {
		require.Equal(t, row.want, row.a.Overlaps(row.b))
		require.Equal(t, row.want, row.b.Overlaps(row.a))
	}
}
