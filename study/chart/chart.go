// SPDX-License-Identifier: Apache-2.0

// Package chart draws the plots that a study asks for, as SVG, PNG and PDF.
package chart

import (
	"cmp"
	"errors"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// The size of a chart.
const (
	width  = 18 * vg.Centimeter
	height = 10 * vg.Centimeter
)

// Chart is a plot with its data.
type Chart struct {
	Title      string
	Crossovers []tables.Crossover // of lines
	plot       *plot.Plot
	spots      []spot
	legend     plot.Legend // stands beside the plot
	entries    int
	widest     vg.Length // of the names in the legend
	ends       []end     // of lines
	reached    []float64 // where intervals of lines end, on the axis of y
	colours    colours
	bars       barRoom
	bytes      bool // along the axis of x
}

// spot is a point of a chart, with what is known of it.
type spot struct {
	x, y       float64
	text       string
	wide, high float64 // of the rectangle around it, in units of the axes; 0: a circle
}

// All draws the plots of a study. A name has the same colour in all of them. Maps over two axes have a chart for each combination of the values of other axes. Plots
// that cannot be drawn are left out: why, an *input.Error for each, is in undrawn.
func All(t *tables.Table) (charts []*Chart, undrawn []error, err error) {
	g := &gallery{known: colours{}}
	for i := range t.Study.Views {
		if err := g.hang(t, &t.Study.Views[i]); err != nil {
			return nil, nil, err
		}
	}
	return g.charts, g.undrawn, nil
}

// gallery collects charts.
type gallery struct {
	charts  []*Chart
	undrawn []error
	known   colours
}

// hang adds the charts of a plot.
func (g *gallery) hang(t *tables.Table, v *question.View) error {
	switch v.Plot {
	case question.Lines, question.SpeedUp:
		return g.lines(t, v)
	case question.Bars:
		return g.bars(t, v)
	case question.Pareto:
		return g.add(pareto(t, v, g.known))
	case question.Cross:
		return nil // a table
	}
	return g.maps(t, v)
}

// add adds a chart, or notes why it cannot be drawn.
func (g *gallery) add(c *Chart, err error) error {
	var fault *input.Error
	switch {
	case errors.As(err, &fault):
		g.undrawn = append(g.undrawn, fault)
		return nil
	case err == nil:
		g.charts = append(g.charts, c)
	}
	return err
}

// begin makes an empty chart.
func begin(t *tables.Table, v *question.View, what string, known colours) *Chart {
	p := plot.New()
	title := v.Title
	if title == "" {
		title = what
	}
	p.Title.Text, p.BackgroundColor = escape.Line(title), nil
	p.X.Label.Text = escape.Line(cmp.Or(v.LabelX, named(t, v.X)))
	for style, size := range map[*font.Font]vg.Length{
		&p.Title.TextStyle.Font: 13, &p.X.Label.TextStyle.Font: 11, &p.Y.Label.TextStyle.Font: 11, &p.X.Tick.Label.Font: 10, &p.Y.Tick.Label.Font: 10,
	} {
		style.Variant, style.Size = "Sans", size
	}
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 6, 4, 4
	c := &Chart{Title: t.Study.Name + ": " + title, plot: p, legend: plot.NewLegend(), colours: known, bytes: t.Study.Unit(v.X) == "bytes"}
	c.labelY(cmp.Or(v.LabelY, named(t, v.Y)))
	c.legend.Padding, c.legend.ThumbnailWidth = 3, 22
	c.legend.Top, c.legend.Left, c.legend.TextStyle.Font.Variant, c.legend.TextStyle.Font.Size = true, true, "Sans", 10
	return c
}

// labelY labels the axis of y, in two lines and in a smaller font where the label would be longer than the axis is high. It leaves room for readers whose
// font is wider than the one in which the label is measured.
func (c *Chart) labelY(label string) {
	y := &c.plot.Y.Label
	long := func() bool { return y.TextStyle.Width(y.Text) > mostLabel*height }
	if y.Text = escape.Line(label); long() {
		y.Text = inTwo(y.Text)
	}
	for y.TextStyle.Font.Size > leastLabel && long() {
		y.TextStyle.Font.Size -= 0.5
	}
}

// mostLabel is the length of a label of the axis of y, as a part of the height of a chart.
const mostLabel = 0.65

// leastLabel is the smallest size of a label of an axis, in points.
const leastLabel = 7

// inTwo breaks a text into two lines: in front of the unit, which stands behind the last comma, or else at the blank that is nearest to the middle.
func inTwo(text string) string {
	at := strings.LastIndex(text, ", ") + 1
	if at == 0 {
		for i := range text {
			if text[i] == ' ' && (at == 0 || abs(2*i-len(text)) < abs(2*at-len(text))) {
				at = i
			}
		}
	}
	if at == 0 {
		return text
	}
	return text[:at] + "\n" + text[at+1:]
}

func abs(x int) int { return max(x, -x) }

// named is the label that the study gives to a column, or else the name of the column with its unit, unless the name ends with the unit.
func named(t *tables.Table, column string) string {
	if label, ok := t.Study.Labels[column]; ok {
		return label
	}
	unit := t.Study.Unit(column)
	if strings.HasSuffix(strings.ToLower(column), strings.ToLower(unit)) {
		return column
	}
	return column + ", " + unit
}

// grid draws thin lines behind the points.
func (c *Chart) grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	c.plot.Add(g)
	return g
}

// scale sets logarithmic axes, the room around the points, and the labels of the axes.
func (c *Chart) scale(v *question.View) error {
	if len(c.spots) == 0 {
		return nothing(v)
	}
	var x, y []float64
	for _, s := range c.spots {
		x, y = append(x, s.x), append(y, s.y)
	}
	for _, e := range c.ends {
		x = append(x, e.x)
	}
	if err := scaleAxis(&c.plot.X, x, strings.Contains(v.Log, "x"), v.Plot); err != nil {
		return err
	}
	if ticks := ticksAt(x, c.plot.X.Min, c.plot.X.Max, c.plot.X.Scale); ticks != nil && v.Plot != question.Pareto {
		if c.bytes {
			ticks = inKiB(ticks, c.plot.X.Min, c.plot.X.Max, c.plot.X.Scale)
		}
		c.plot.X.Tick.Marker = ticks
	} else if ticks, ok := c.plot.X.Tick.Marker.(plot.ConstantTicks); ok {
		c.plot.X.Tick.Marker = thinned(ticks, c.plot.X.Min, c.plot.X.Max, c.plot.X.Scale)
	}
	return scaleAxis(&c.plot.Y, append(y, c.reached...), strings.Contains(v.Log, "y"), v.Plot)
}

// nothing says that a plot of y over x has no points.
func nothing(v *question.View) error {
	return input.Errorf("expected points with "+v.X+" and "+v.Y, "plot %s: nothing to draw", v.Plot)
}

// scaleAxis gives an axis room for some places. It begins at 0 unless that would take most of it.
func scaleAxis(a *plot.Axis, places []float64, log bool, what question.Plot) error {
	low, high := slices.Min(places), slices.Max(places)
	if low == 0 && high == 0 && !log {
		high = 1
	}
	if !log {
		room := 0.04*max(math.Abs(high), high-low) + 1e-9
		a.Min, a.Max = min(0, low), high+room
		if low > 0.75*high {
			a.Min, a.Max = low-(high-low)/8-room/8, high+(high-low)/8+room/8
		}
		a.Tick.Marker = linearTicks(a.Min, a.Max)
		return nil
	}
	if low <= 0 {
		return input.Errorf("expected values above 0", "plot %s: %g on a logarithmic axis", what, low)
	}
	a.Min, a.Max = low/1.15, high*1.15
	a.Scale, a.Tick.Marker = plot.LogScale{}, logTicks(a.Min, a.Max)
	return nil
}

// addEntry adds a line to the legend.
func (c *Chart) addEntry(name string, thumbs ...plot.Thumbnailer) {
	name = escape.Line(name)
	c.legend.Add(name, thumbs...)
	c.entries++
	c.widest = max(c.widest, c.legend.TextStyle.Width(name))
}

// heading says in the legend what tells the series apart.
func (c *Chart) heading(by string) {
	if by != "" {
		c.addEntry(by)
	}
}

// describe says everything of a row.
func describe(t *tables.Table, r *tables.Row) string {
	var parts []string
	for i, a := range t.Axes {
		parts = append(parts, a+" "+r.Labels[i])
	}
	for i, m := range t.Measures {
		if text := t.Show(i, &r.Values[i]); text != "" {
			parts = append(parts, m+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// addLine draws a series.
func (c *Chart) addLine(name string, at plotter.XYs, i int) error {
	line, points, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	line.LineStyle = study.LineStyle(i)
	points.GlyphStyle = glyph(i)
	c.plot.Add(line, points)
	if name != "" {
		c.addEntry(name, line, points)
	}
	return nil
}

// glyph is how points of a series are drawn; shapes tell points apart that lie upon each other, or have the same colour.
func glyph(i int) draw.GlyphStyle {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}
	return draw.GlyphStyle{Color: study.LineStyle(i).Color, Radius: vg.Points(2.8), Shape: shapes[(i+i/study.Hues)%len(shapes)]}
}
