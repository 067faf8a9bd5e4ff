// SPDX-License-Identifier: Apache-2.0

package study

import "math"

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
