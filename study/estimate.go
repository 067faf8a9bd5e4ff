// SPDX-License-Identifier: Apache-2.0

package study

import (
	"math"
	"strconv"
	"strings"
)

// Estimate is the mean of a figure over independent runs, and half the width of the
// interval that contains the true mean with a confidence of 95 %, by Student's t
// distribution. With one run, Half is NaN.
type Estimate struct{ Mean, Half float64 }

// NewEstimate estimates the mean of values. Of none, the mean is 0 and Half is NaN.
func NewEstimate(values []float64) Estimate {
	n := float64(len(values))
	mean, squares := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if len(values) < 2 {
		return Estimate{mean, math.NaN()}
	}
	return Estimate{mean, studentT(confidence, len(values)-1) * math.Sqrt(squares/(n-1)/n)}
}

// Interval returns half the width of the interval; 0 if there is none, or if it is no wider than the noise of binary fractions.
func (e Estimate) Interval() float64 {
	if !(e.Half > 1e-12*math.Abs(e.Mean)) { // NaN, too
		return 0
	}
	return e.Half
}

// Overlaps reports whether the intervals of two estimates have a number in common. Estimates without intervals overlap if they are equal.
func (e Estimate) Overlaps(other Estimate) bool {
	return math.Abs(e.Mean-other.Mean) <= e.Interval()+other.Interval()
}

// leading is how many digits of an interval are written.
const leading = 2

// Rounded writes the mean and half its interval, both to the place of the two leading digits of the interval; half is "" without an interval.
func (e Estimate) Rounded() (mean, half string) {
	interval := e.Interval()
	if interval == 0 || math.IsInf(interval, 0) || math.IsInf(e.Mean, 0) {
		return "", ""
	}
	short := strconv.FormatFloat(interval, 'e', leading-1, 64)
	_, power, _ := strings.Cut(short, "e") // of what is written: 0.0998 is 0.10
	exponent, err := strconv.Atoi(power)
	if err != nil {
		return "", ""
	}
	places := leading - 1 - exponent
	if size := max(math.Abs(e.Mean), interval); size >= 1e15 || places > 15 {
		return strconv.FormatFloat(e.Mean, 'g', 6, 64), strconv.FormatFloat(interval, 'g', leading, 64)
	}
	write := func(x float64) string {
		if places < 0 {
			unit := math.Pow10(-places)
			x = math.Round(x/unit) * unit
		}
		return strconv.FormatFloat(x, 'f', max(0, places), 64)
	}
	return write(e.Mean), write(interval)
}

// confidence is that of the intervals.
const confidence = 0.95

// studentT returns the t that the absolute value of Student's distribution does not exceed with a probability.
func studentT(probability float64, freedom int) float64 {
	low, high := 0.0, 1.0
	for inside(high, freedom) < probability {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; inside(middle, freedom) < probability {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// inside returns the probability that Student's distribution lies between -t and t:
// the finite sums for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
func inside(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(angle)
	term, sum := 1.0, 0.0
	k := 0
	if freedom%2 == 1 {
		term, k = cos, 1
	}
	for ; k <= freedom-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if freedom%2 == 0 {
		return sin * sum
	}
	return 2 / math.Pi * (angle + sin*sum)
}
