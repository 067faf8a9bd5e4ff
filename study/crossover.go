// SPDX-License-Identifier: Apache-2.0

package study

import "math"

// Crossover is where one contender takes the lead from another as blocks grow.
type Crossover struct {
	From, To  Contender
	Predicted float64 // bytes of a block at which the formulas are equal
	Measured  float64 // bytes at which the times are; NaN: nowhere near, or not run
	Source    Source  // of the times
}

// Apart is how far prediction and measurement are apart, as a part of the
// measurement; infinite when there is none.
func (c *Crossover) Apart() float64 {
	if math.IsNaN(c.Measured) {
		return math.Inf(1)
	}
	return apart(c.Predicted, c.Measured)
}

// crossovers finds those that the formulas predict between the smallest and
// the largest size, and measures each.
func (w *worker) crossovers() error {
	if len(w.Bytes) == 0 {
		return nil
	}
	low, high := w.flits(w.Bytes[0]), w.flits(w.Bytes[len(w.Bytes)-1])
	from, err := w.leader(low)
	if err != nil {
		return err
	}
	to, err := w.leader(high)
	if err != nil {
		return err
	}
	return w.between(low, high, from, to)
}

// leader returns the contender that is fastest by the formulas.
func (w *worker) leader(flits int) (Contender, error) {
	var best Contender
	least := int64(math.MaxInt64)
	for _, c := range w.network.Contenders {
		f, err := w.predict(c, flits)
		if err != nil {
			return best, err
		}
		if int64(f.Formula) < least {
			best, least = c, int64(f.Formula)
		}
	}
	return best, nil
}

// between finds the crossovers between two sizes by halving. Contenders that
// lead at both ends lead all the way.
func (w *worker) between(low, high int, from, to Contender) error {
	if from == to {
		return nil
	}
	if high-low > 1 {
		middle := low + (high-low)/2
		leader, err := w.leader(middle)
		if err != nil {
			return err
		}
		if err := w.between(low, middle, from, leader); err != nil {
			return err
		}
		return w.between(middle, high, leader, to)
	}
	predicted, err := w.zero(low, high, func(flits int) (float64, error) { return w.lag(from, to, flits) })
	if err != nil {
		return err
	}
	c := Crossover{From: from, To: to, Predicted: w.bytes(predicted)}
	if err := w.settle(&c, predicted); err != nil {
		return err
	}
	w.network.Crossovers = append(w.network.Crossovers, c)
	return nil
}

// lag is by how much from is behind to by the formulas, in cycles.
func (w *worker) lag(from, to Contender, flits int) (float64, error) {
	f, err := w.predict(from, flits)
	if err != nil {
		return 0, err
	}
	t, err := w.predict(to, flits)
	return float64(f.Formula - t.Formula), err
}

// measuredLag is the same by the rows.
func (w *worker) measuredLag(c *Crossover, flits int) (float64, error) {
	f, err := w.measure(c.From, flits)
	if err != nil {
		return 0, err
	}
	t, err := w.measure(c.To, flits)
	if t.Source != Model || c.Source == "" {
		c.Source = t.Source
	}
	return float64(f.Cycles - t.Cycles), err
}

// zero is where a function that rises through 0 from low to high does so, by a
// straight line.
func (w *worker) zero(low, high int, of func(int) (float64, error)) (float64, error) {
	below, err := of(low)
	if err != nil {
		return 0, err
	}
	above, err := of(high)
	if err != nil {
		return 0, err
	}
	if above == below {
		return float64(high), nil
	}
	return float64(low) - below*float64(high-low)/(above-below), nil
}

// settle measures a crossover: from the place predicted the search goes outwards
// until the contenders have changed places, then halves that stretch until it
// is a flit, or a fiftieth of the size, long.
func (w *worker) settle(c *Crossover, predicted float64) error {
	if c.Source = w.point(c.To, int(predicted*1.01)+1).Source; c.Source == Formula {
		c.Measured = math.NaN()
		return nil
	}
	lag := func(flits int) (float64, error) { return w.measuredLag(c, flits) }
	low, high := 0, 0
	for _, off := range []float64{0.01, 0.05, 0.25, 1, 3} {
		low, high = max(1, int(predicted/(1+off))), int(math.Ceil(predicted*(1+off)))
		below, err := lag(low)
		if err != nil {
			return err
		}
		above, err := lag(high)
		if err != nil {
			return err
		}
		if below <= 0 && above > 0 {
			break
		}
		high = 0
	}
	if high == 0 || c.Source == Formula {
		c.Measured = math.NaN()
		return nil
	}
	for high-low > max(1, low/50) {
		middle := low + (high-low)/2
		behind, err := lag(middle)
		if err != nil {
			return err
		}
		if behind > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	measured, err := w.zero(low, high, lag)
	c.Measured = w.bytes(measured)
	return err
}
