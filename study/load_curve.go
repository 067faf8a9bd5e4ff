// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// LoadCurve is the load-latency curve of a network.
type LoadCurve struct {
	Points []LoadPoint // by rising rate

	// The load saturates the network between these rates: all points up to Stable are stable, and the point at Unstable is
	// not. 0: there is no such point.
	Stable, Unstable float64

	Seeds      []SeedBorder // of a search with several seeds: where each of them alone saturates the network
	Resolution float64      // of a search
}

// Curve measures the points of a curve: at each rate, of which a trace ignores the value, a run with each seed. Errors are
// *input.Error for a study that makes no sense, *memory.TooLarge, the context's, what Prepare returns, and the errors of traffic.Measure.
func (s *LoadStudy) Curve(ctx context.Context, rates []float64) (*LoadCurve, error) {
	points, err := s.points(ctx, rates)
	if err != nil {
		return nil, err
	}
	c := &LoadCurve{}
	c.add(points)
	return c, nil
}

// add adds points, and finds where the network saturates.
func (c *LoadCurve) add(points []LoadPoint) {
	c.Points = append(c.Points, points...)
	sort.Slice(c.Points, func(i, j int) bool { return c.Points[i].Rate < c.Points[j].Rate })
	c.Stable, c.Unstable = 0, 0
	for i := range c.Points {
		if !c.Points[i].Stable() {
			c.Unstable = c.Points[i].Rate
			return
		}
		c.Stable = c.Points[i].Rate
	}
}

// Accepted returns the most flits accepted per source and cycle at any rate; ok is false if nothing was measured.
func (c *LoadCurve) Accepted() (most float64, ok bool) {
	for i := range c.Points {
		if p := &c.Points[i]; p.Measured() {
			most, ok = max(most, p.Figure(func(r *LoadRun) float64 { return r.Accepted }).Mean), true
		}
	}
	return most, ok
}

// CheckResolution refuses a resolution of searches that is too fine or too coarse. The error is an *input.Error.
func CheckResolution(x float64) error {
	if x >= 0.0001 && x <= 0.5 {
		return nil
	}
	return input.Errorf("expected 0.0001 to 0.5", "%g", x)
}

// rateAt returns a rate some steps above another, without the noise of binary fractions.
func rateAt(from float64, step int, width float64) float64 {
	return math.Round((from+float64(step)*width)*1e9) / 1e9
}

// maxRates bounds the points of a curve.
const maxRates = 10_000

const ratesForm = "expected a rate, a list 0.1,0.2, or FROM:TO:STEP"

// ParseRates reads the rates of a curve: "0.1", "0.1,0.2", or "0.02:0.3:0.02", each above 0, at most 1, and
// each once. Its errors are *input.Error.
func ParseRates(text string) ([]float64, error) {
	if text == "" {
		return nil, input.Errorf(ratesForm, "no rate")
	}
	var rates []float64
	for _, part := range strings.Split(text, ",") {
		some, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		rates = append(rates, some...)
		if len(rates) > maxRates {
			return nil, input.Errorf("expected at most "+strconv.Itoa(maxRates), "too many rates")
		}
	}
	slices.Sort(rates)
	for i, rate := range rates {
		if !(rate > 0 && rate <= 1) {
			return nil, input.Errorf("expected more than 0, at most 1 flit per source and cycle", "a rate of %g", rate)
		}
		if i > 0 && rate == rates[i-1] {
			return nil, input.Errorf("expected each rate once", "rate %g twice", rate)
		}
	}
	return rates, nil
}

// parseRange reads a rate, or a range of rates.
func parseRange(text string) ([]float64, error) {
	var ends []float64
	for _, field := range strings.Split(text, ":") {
		value, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, input.Errorf(ratesForm, "%q is not a rate", input.Clip(field))
		}
		ends = append(ends, value)
	}
	switch {
	case len(ends) == 1:
		return ends, nil
	case len(ends) != 3:
		return nil, input.Errorf(ratesForm, "rates %q", input.Clip(text))
	}
	from, to, width := ends[0], ends[1], ends[2]
	switch {
	case !(width > 0):
		return nil, input.Errorf("expected a step above 0", "rates %q", input.Clip(text))
	case rateAt(from, 1, width) == rateAt(from, 0, width): // no number of steps would go on
		return nil, input.Errorf("expected a larger step", "rates %q", input.Clip(text))
	case to < from:
		return nil, input.Errorf("expected TO at or above FROM", "rates %q: the range is empty", input.Clip(text))
	case (to-from)/width > maxRates:
		return nil, input.Errorf("expected at most "+strconv.Itoa(maxRates), "rates %q: more rates than that", input.Clip(text))
	}
	var rates []float64
	for i := 0; rateAt(from, i, width) <= to; i++ {
		rates = append(rates, rateAt(from, i, width))
	}
	return rates, nil
}
