// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/study/tables"
)

// intervals are those of bars, or of the points of a line.
type intervals struct {
	plotter.XYs
	plotter.YErrors
	log  bool      // on a logarithmic axis, which cuts an interval that goes down to 0
	ends []float64 // the places where they end, without the cuts
}

// add adds the interval of a point that is drawn at x, if it has one.
func (l *intervals) add(x float64, at tables.Spot) {
	if at.Half <= 0 {
		return
	}
	low := at.Half
	if l.log && low >= at.Y {
		low = at.Y * (1 - 1e-9)
	} else {
		l.ends = append(l.ends, at.Y-low)
	}
	l.ends = append(l.ends, at.Y+at.Half)
	l.XYs = append(l.XYs, plotter.XY{X: x, Y: at.Y})
	l.YErrors = append(l.YErrors, struct{ Low, High float64 }{low, at.Half})
}

// addWhiskers draws intervals; nil if there are none.
func (c *Chart) addWhiskers(list intervals, style draw.LineStyle) (*plotter.YErrorBars, error) {
	if len(list.XYs) == 0 {
		return nil, nil
	}
	whiskers, err := plotter.NewYErrorBars(list)
	if err != nil {
		return nil, err
	}
	whiskers.LineStyle = style
	c.plot.Add(whiskers)
	return whiskers, nil
}
