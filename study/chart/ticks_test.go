// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

func TestShortNumbers(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "1": 1, "-3": -3, "0.3": 0.1 + 0.2, "0.0001": 0.0001, "1e-16": 1e-16, "-2.5e-5": -2.5e-5, "1.235": 1.23456, "9999": 9999,
		"10k": 9999.9, "12.35k": 12346, "123.5k": 123456, "999.9k": 999900, "1M": 999977, "1.5M": 1.5e6, "2000M": 2e9, "1e10": 1e10, "-1e300": -1e300,
		"NaN": math.NaN(),
	} {
		require.Equal(t, want, short(x))
	}
	require.Equal(t, "0", short(math.Copysign(0, -1)))
	for _, tick := range linearTicks(-0.4, 10) {
		require.NotEqual(t, "-0", tick.Label)
	}
}

// Numbers that are close get as many digits as tell them apart.
func TestDigits(t *testing.T) {
	for _, row := range []struct {
		low, high float64
		want      [2]string
	}{
		{0.100587, 0.100703, [2]string{"0.100587", "0.100703"}},
		{1, 1000, [2]string{"1", "1000"}},
		{12, 12, [2]string{"12", "12"}},
		{123456, 123460, [2]string{"123.456k", "123.46k"}},
		{1e6, 1e6 + 2, [2]string{"1M", "1.000002M"}},
		{0, 0, [2]string{"0", "0"}},
		{1, 1 + 1e-13, [2]string{"1", "1"}}, // no more than nine digits
	} {
		digits := digitsOfCells(row.low, row.high)
		require.LessOrEqual(t, digits, mostDigits)
		require.Equal(t, row.want, [2]string{rounded(row.low, digits), rounded(row.high, digits)})
	}
	require.Equal(t, 4, digitsApart([]float64{1, 2, 1000}))
	require.Equal(t, 5, digitsApart([]float64{1, 1000.01, 1000.11}))
	require.Equal(t, 4, digitsApart([]float64{7}))
	labels := func(low, high float64) (list []string) {
		for _, tick := range linearTicks(low, high) {
			list = append(list, tick.Label)
		}
		return list
	}
	require.Equal(t, []string{"0", "20", "40", "60", "80", "100"}, labels(0, 100))
	require.Contains(t, labels(20000.5, 20003.5), "20.0015k")
}

// Bytes are labelled as studies write them, where they are whole multiples of 1024 and there is room.
func TestBytesAreLabelledInTheirUnits(t *testing.T) {
	for _, row := range []struct {
		places, want []string
	}{
		{[]string{"4096", "16384", "65536"}, []string{"4KiB", "16KiB", "64KiB"}},
		{[]string{"1000", "10000", "65536"}, []string{"1000", "10k", "64KiB"}},
		{[]string{"512", "1048576", "1073741824"}, []string{"512", "1MiB", "1GiB"}},
		{[]string{"1536", "6144"}, []string{"1536", "6KiB"}},
	} {
		var places []float64
		for _, text := range row.places {
			x, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			places = append(places, x)
		}
		low, high := places[0]/1.15, places[len(places)-1]*1.15
		var labels []string
		for _, tick := range inKiB(ticksAt(places, low, high, plot.LogScale{}), low, high, plot.LogScale{}) {
			labels = append(labels, tick.Label)
		}
		require.Equal(t, row.want, labels)
	}
	tight := plot.ConstantTicks{{Value: 900, Label: "900"}, {Value: 1024, Label: "1024"}}
	require.Equal(t, tight, inKiB(tight, 900, 4000, plot.LinearScale{}))
}

// Labels below an axis never touch, and some stay.
func TestLabelsStandApart(t *testing.T) {
	count := func(ticks plot.ConstantTicks, low, high float64, scale plot.Normalizer) int {
		require.True(t, apart(ticks, low, high, scale), "%v", ticks)
		labels := 0
		for _, tick := range ticks {
			if tick.Label != "" {
				labels++
			}
		}
		return labels
	}
	linear, log := plot.LinearScale{}, plot.LogScale{}
	require.Equal(t, 6, count(thinned(linearTicks(0, 100), 0, 100, linear), 0, 100, linear))
	require.Positive(t, count(thinned(linearTicks(20000.5, 20003.5), 20000.5, 20003.5, linear), 20000.5, 20003.5, linear))
	for _, span := range [][2]float64{{1, 4.5}, {1e5, 4e5}, {123456, 1e6}, {1, 300}, {1e-9, 1e9}, {1e-4, 1e12}} {
		require.Positive(t, count(thinned(logTicks(span[0], span[1]), span[0], span[1], log), span[0], span[1], log), "%v", span)
	}
	require.Nil(t, ticksAt([]float64{123456, 123457, 123458, 123459, 123460, 123461, 123462}, 123455, 123463, linear), "seven long numbers")
	require.Len(t, ticksAt([]float64{1, 2, 3, 4, 5, 6, 7}, 0, 8, linear), 7)
}
