// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
)

const (
	mostTicks  = 6    // labels of an axis, about
	fewValues  = 9    // values of an axis that are all labelled
	leastApart = 0.05 // labels, as a part of the axis
	letterWide = 0.02 // of a label below the axis, as a part of the axis
)

// apart reports whether labels below an axis do not touch.
func apart(ticks plot.ConstantTicks, low, high float64, scale plot.Normalizer) bool {
	end := math.Inf(-1)
	for _, tick := range ticks {
		if tick.Label == "" {
			continue
		}
		half := letterWide * float64(utf8.RuneCountInString(tick.Label)) / 2
		at := scale.Normalize(low, high, tick.Value)
		if at-half < end {
			return false
		}
		end = at + half + letterWide
	}
	return true
}

// thinned takes labels away from the ticks below an axis until the others do not touch: those of single digits before those of powers of ten on a
// logarithmic axis, and every second one on another.
func thinned(ticks plot.ConstantTicks, low, high float64, scale plot.Normalizer) plot.ConstantTicks {
	_, log := scale.(plot.LogScale)
	kept := func(i, round int) bool { return i%(1<<round) == 0 }
	if log {
		kept = func(i, round int) bool {
			power := math.Floor(math.Log10(ticks[i].Value) + 1e-9)
			digit := int(math.Round(ticks[i].Value / math.Pow(10, power)))
			switch round {
			case 1:
				return slices.Contains([]int{1, 2, 5}, digit)
			case 2:
				return digit == 1
			}
			return digit == 1 && int(power)%(1<<(round-2)) == 0
		}
	}
	const rounds = 8
	for round := 1; round < rounds && !apart(ticks, low, high, scale); round++ {
		fewer := slices.Clone(ticks)
		labels := 0
		for i := range fewer {
			if !kept(i, round) {
				fewer[i].Label = ""
			}
			if fewer[i].Label != "" {
				labels++
			}
		}
		if labels == 0 {
			break
		}
		ticks = fewer
	}
	return ticks
}

// ticksAt labels the places that have points, if they are few and apart; nil if not.
func ticksAt(places []float64, low, high float64, scale plot.Normalizer) plot.ConstantTicks {
	places = slices.Compact(slices.Sorted(slices.Values(places)))
	if len(places) > fewValues {
		return nil
	}
	var ticks plot.ConstantTicks
	last := math.Inf(-1)
	for _, x := range places {
		at := scale.Normalize(low, high, x)
		if at-last < leastApart {
			return nil
		}
		last = at
		ticks = append(ticks, plot.Tick{Value: x})
	}
	digits := digitsApart(places)
	for i := range ticks {
		ticks[i].Label = rounded(ticks[i].Value, digits)
	}
	if !apart(ticks, low, high, scale) {
		return nil
	}
	return ticks
}

// inKiB writes whole multiples of 1024 bytes as studies do, 64KiB instead of 65.54k, if there is room.
func inKiB(ticks plot.ConstantTicks, low, high float64, scale plot.Normalizer) plot.ConstantTicks {
	short := slices.Clone(ticks)
	for i := range short {
		size := uint64(short[i].Value)
		if size == 0 || float64(size) != short[i].Value {
			continue
		}
		for _, unit := range []string{"KiB", "MiB", "GiB"} {
			if size%1024 != 0 {
				break
			}
			size /= 1024
			short[i].Label = strconv.FormatUint(size, 10) + unit
		}
	}
	if !apart(short, low, high, scale) {
		return ticks
	}
	return short
}

// linearTicks labels multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) plot.ConstantTicks {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/mostTicks)))
	for _, times := range []float64{2, 2.5, 2} {
		if (high-low)/step > mostTicks {
			step *= times
		}
	}
	digits := digitsFor(max(math.Abs(low), math.Abs(high)), step)
	var ticks plot.ConstantTicks
	for i := math.Ceil(low / step); i*step <= high; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: rounded(i*step, digits)})
	}
	return ticks
}

// logTicks marks 1 to 9 times each power of ten, and labels so many of them as there is room for.
func logTicks(low, high float64) plot.ConstantTicks {
	decades := math.Log10(high / low)
	labelled := []int{1}
	switch {
	case decades <= 0.7:
		labelled = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	case decades <= 2.5:
		labelled = []int{1, 2, 5}
	}
	var ticks plot.ConstantTicks
	for power := math.Floor(math.Log10(low)); math.Pow(10, power) <= high; power++ {
		for i := 1; i <= 9; i++ {
			tick := plot.Tick{Value: float64(i) * math.Pow(10, power)}
			if tick.Value < low || tick.Value > high {
				continue
			}
			if slices.Contains(labelled, i) {
				tick.Label = short(tick.Value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// The digits of a number: as few as tell numbers apart.
const (
	fewDigits  = 4
	mostDigits = 9
)

// digitsFor returns how many digits numbers up to a size need to show a difference.
func digitsFor(size, difference float64) int {
	digits := fewDigits
	for digits < mostDigits && math.Pow(10, math.Floor(math.Log10(size))-float64(digits)+1) > difference*(1+1e-9) {
		digits++
	}
	return digits
}

// digitsApart returns how many digits tell rising numbers apart.
func digitsApart(numbers []float64) int {
	size, difference := 0.0, math.Inf(1)
	for i, x := range numbers {
		size = max(size, math.Abs(x))
		if i > 0 {
			difference = min(difference, x-numbers[i-1])
		}
	}
	return digitsFor(size, difference)
}

// short writes a number with few digits.
func short(x float64) string { return rounded(x, fewDigits) }

// rounded writes a number with up to so many digits; k and M are thousands and millions. Tiny and huge numbers have an exponent.
func rounded(x float64, digits int) string {
	near, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // before the unit is chosen: 999977 is 1M
	if err != nil {
		near = x
	}
	if near == 0 {
		return "0" // never -0
	}
	switch size := math.Abs(near); {
	case size < 1e-4 || size >= 1e10:
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(near, 'e', -1, 64), "e")
		sign := strings.TrimRight(power[:1], "+")
		return mantissa + "e" + sign + strings.TrimLeft(power[1:], "0")
	case size >= 1e6:
		return plain(near/1e6, digits) + "M"
	case size >= 1e4:
		return plain(near/1e3, digits) + "k"
	}
	return plain(near, digits)
}

// plain writes a number of up to so many digits without an exponent.
func plain(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	if strings.Contains(text, "e") {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return text
}
