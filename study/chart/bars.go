// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/escape"
	"meshwright/study"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// groupWidth is the width of the bars that stand at a value of the axis, as a part of the room for them.
const groupWidth = 0.8

// bars draws y over the values of an axis.
func (g *gallery) bars(t *tables.Table, v *question.View) error {
	return g.apart(v, t.Series(v), func(list []*tables.Series, group string) (*Chart, error) {
		return barsOf(t, v, list, group, g.known)
	})
}

// barsOf draws some series, side by side; group is what they share.
//
//	y |  _       _
//	  | | |_   _| |
//	  |_|1|2|_|1|2|_  1, 2: series
//	     a     b      values of the axis x, at 0, 1, …
func barsOf(t *tables.Table, v *question.View, list []*tables.Series, group string, known colours) (*Chart, error) {
	if len(list) == 0 {
		return nil, nothing(v)
	}
	c, names, styles := beginSeries(t, v, t.Study.Label(v.Y)+" over "+t.Study.Label(v.X), list, group, known)
	c.grid().Vertical.Color = nil
	wide := groupWidth / float64(len(list))
	ends := []float64{0} // of bars and intervals
	for i, s := range list {
		left := (float64(i) + 0.5) * wide // of the middle of a bar, from the left of its group
		reached, err := c.addBars(t, v, s, left-groupWidth/2, names[i], styles[i])
		if err != nil {
			return nil, err
		}
		ends = append(ends, reached...)
	}
	if err := scaleAxis(&c.plot.Y, ends, false, v.Plot); err != nil {
		return nil, err
	}
	x := slices.Index(t.Axes, v.X)
	c.nameBelow(t, x)
	c.bars.wide = wide
	c.plot.X.Min, c.plot.X.Max = -0.5, float64(len(c.bars.names))-0.5
	c.plot.X.Tick.Length, c.plot.X.Padding, c.plot.Y.Padding = 3, 0, 0 // bars stand on the axis
	c.spotBars()
	return c, nil
}

// nameBelow writes the values of an axis below the chart, when it is drawn.
func (c *Chart) nameBelow(t *tables.Table, axis int) {
	for _, choice := range t.Study.Axes[axis].Values {
		c.bars.names = append(c.bars.names, escape.Line(choice.Label))
	}
	c.bars.numbers = t.Numeric(axis)
}

// addBars draws the bars of a series beside the values of the axis, with their intervals, and returns where they end.
func (c *Chart) addBars(t *tables.Table, v *question.View, s *tables.Series, beside float64, name string, style int) (ends []float64, err error) {
	line := draw.LineStyle{Color: study.LineStyle(style).Color, Width: vg.Points(0.8)}
	var sure intervals
	for i, at := range s.At {
		bar, err := plotter.NewBarChart(plotter.Values{at.Y}, 1)
		if err != nil {
			return nil, err
		}
		bar.XMin, bar.Color, bar.LineStyle = at.X+beside, study.Shade(style), line
		c.plot.Add(bar)
		c.bars.charts = append(c.bars.charts, bar)
		c.spots = append(c.spots, spot{x: bar.XMin, y: at.Y, text: describe(t, at.Row)})
		if i == 0 && name != "" {
			c.addEntry(cut(name), bar)
		}
		ends = append(ends, at.Y)
		sure.add(bar.XMin, at)
	}
	whiskers, err := c.addWhiskers(sure, draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.8)})
	if whiskers != nil {
		c.bars.whiskers = append(c.bars.whiskers, whiskers)
	}
	return append(ends, sure.ends...), err
}

// leastBar is the height of a bar for the mouse, as a part of the axis: a low bar can be hit, too.
const leastBar = 0.05

// spotBars makes the spots rectangles, of the bars from 0 to their ends.
func (c *Chart) spotBars() {
	least := leastBar * (c.plot.Y.Max - c.plot.Y.Min)
	for i := range c.spots {
		s := &c.spots[i]
		low, high := min(0, s.y), max(0, s.y)
		high = max(high, low+least)
		s.y, s.wide, s.high = (low+high)/2, c.bars.wide, high-low
	}
}

// barRoom has what depends on how wide the area of the bars is, or of the columns of a map, which is known when the chart is drawn. Without either it is empty.
type barRoom struct {
	names    []string // of the values of the axis
	numbers  bool     // the names are numbers
	wide     float64  // of a bar, in units of the axis
	charts   []*plotter.BarChart
	whiskers []*plotter.YErrorBars
}

// fit gives the bars their width, and writes the names below them.
func (b *barRoom) fit(p *plot.Plot, area draw.Canvas) {
	if len(b.names) == 0 {
		return
	}
	p.X.Tick.Marker = plot.ConstantTicks(nil)
	unit := p.DataCanvas(area).Size().X / vg.Length(len(b.names))
	wide := unit * vg.Length(b.wide)
	for _, bar := range b.charts {
		bar.Width, bar.LineStyle.Width = wide, min(0.8, wide/8)
	}
	for _, w := range b.whiskers {
		w.CapWidth = min(5, wide/2)
	}
	p.X.Tick.Marker = b.label(&p.X.Tick.Label, unit)
}

const (
	turned     = math.Pi / 3 // angle of names that have no room side by side
	mostTurned = 84          // length of such a name, in points
)

// label names the values of the axis, which are a unit apart. Names that would touch are turned, and long ones shortened. Numbers are
// left out instead, and so are turned names that would touch. The whole name is under the mouse.
func (b *barRoom) label(style *text.Style, unit vg.Length) plot.ConstantTicks {
	style.Rotation, style.XAlign, style.YAlign = 0, text.XCenter, text.YTop
	need := vg.Length(0) // of a name, along the axis
	for _, name := range b.names {
		need = max(need, 1.1*style.Width(name))
	}
	turns := need > unit && !b.numbers
	if turns {
		need = 1.1 * style.Font.Size / vg.Length(math.Sin(turned))
	}
	var ticks plot.ConstantTicks
	for i := 0; i < len(b.names); i += max(1, int(math.Ceil(float64(need/unit)))) {
		tick := plot.Tick{Value: float64(i), Label: b.names[i]}
		if turns {
			tick.Label = offAxis(shortened(style, tick.Label))
		}
		ticks = append(ticks, tick)
	}
	if turns {
		style.Rotation, style.XAlign, style.YAlign = turned, text.XRight, text.YCenter
	}
	return ticks
}

// offAxis ends a label with blanks that keep it off the axis behind it, also in the font of a reader that is wider than the one in which labels are measured.
func offAxis(label string) string {
	return label + strings.Repeat("\u00a0", 1+utf8.RuneCountInString(label)/6)
}

// shortened leaves out the middle of a name that is longer than a turned one may be: names often differ at the end.
func shortened(style *text.Style, name string) string {
	letters := []rune(name)
	for kept := min(len(letters), mostTurned); style.Width(name) > mostTurned && kept > 2; {
		kept--
		name = string(letters[:(kept+1)/2]) + "…" + string(letters[len(letters)-kept/2:])
	}
	return name
}
