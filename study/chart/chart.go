// SPDX-License-Identifier: Apache-2.0

// Package chart draws the plots that a study asks for, as SVG and PNG.
package chart

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

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
	Crossovers []Crossover // of lines
	plot       *plot.Plot
	spots      []spot
	legend     plot.Legend // stands beside the plot
	entries    int
}

// Crossover is where another series has the least value, between two points of a plot of lines.
type Crossover struct {
	From, To string
	X        float64
}

// spot is a point of a chart, with what is known of it.
type spot struct {
	x, y float64
	text string
}

// Formats are the extensions of files that Write knows.
func Formats() []string { return []string{".svg", ".png"} }

// All draws the plots of a study. Maps over two axes have a chart for each combination of the values of other axes. The
// error is an *input.Error.
func All(t *tables.Table) ([]*Chart, error) {
	var charts []*Chart
	for i := range t.Study.Views {
		v := &t.Study.Views[i]
		some, err := drawView(t, v)
		if err != nil {
			return nil, err
		}
		charts = append(charts, some...)
	}
	return charts, nil
}

func drawView(t *tables.Table, v *question.View) ([]*Chart, error) {
	switch v.Plot {
	case question.Lines, question.SpeedUp:
		return one(lines(t, v))
	case question.Pareto:
		return one(pareto(t, v))
	}
	return maps(t, v)
}

func one(c *Chart, err error) ([]*Chart, error) { return []*Chart{c}, err }

// begin makes an empty chart.
func begin(t *tables.Table, v *question.View, what string) *Chart {
	p := plot.New()
	title := v.Title
	if title == "" {
		title = what
	}
	p.Title.Text = escape.Line(title)
	p.X.Label.Text, p.Y.Label.Text = escape.Line(v.X), escape.Line(v.Y)
	for _, style := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font,
	} {
		style.Variant = "Sans"
	}
	c := &Chart{Title: t.Study.Name + ": " + title, plot: p, legend: plot.NewLegend()}
	c.legend.Padding = vg.Points(2)
	c.legend.Top, c.legend.TextStyle.Font.Variant, c.legend.TextStyle.Font.Size = true, "Sans", vg.Points(9)
	return c
}

// scale sets logarithmic axes, and the room around the points.
func (c *Chart) scale(v *question.View) error {
	if len(c.spots) == 0 {
		return input.Errorf("expected points with "+v.X+" and "+v.Y, "plot %s: nothing to draw", v.Plot)
	}
	for _, axis := range []struct {
		name string
		of   *plot.Axis
		x    func(spot) float64
	}{{"x", &c.plot.X, func(s spot) float64 { return s.x }}, {"y", &c.plot.Y, func(s spot) float64 { return s.y }}} {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range c.spots {
			low, high = min(low, axis.x(s)), max(high, axis.x(s))
		}
		if !strings.Contains(v.Log, axis.name) {
			axis.of.Min, axis.of.Max = min(0, low), high+0.04*math.Abs(high)+1e-9
			continue
		}
		if low <= 0 {
			return input.Errorf("expected values above 0", "plot %s: %g on a logarithmic axis", v.Plot, low)
		}
		axis.of.Scale, axis.of.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		axis.of.Min, axis.of.Max = low/1.1, high*1.1
	}
	return nil
}

// Write writes the chart in a format.
func (c *Chart) Write(w io.Writer, format string) error {
	if format == ".png" {
		canvas := vgimg.PngCanvas{Canvas: vgimg.New(width, height)}
		c.draw(draw.New(canvas))
		_, err := canvas.WriteTo(w)
		return err
	}
	canvas := vgsvg.New(width, height)
	circles := c.draw(draw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	before, after, _ := strings.Cut(text.String(), "</svg>")
	_, err := io.WriteString(w, before+circles+"</svg>"+after)
	return err
}

// radius is that of the places that show a point's values under the mouse, in points.
const radius = 5

// draw draws on a canvas, and returns the places of the spots as SVG.
func (c *Chart) draw(all draw.Canvas) string {
	area := draw.Crop(all, 4, -10, 4, -4)
	if c.entries > 0 {
		room := c.legend.Rectangle(all).Size().X + 8
		c.legend.Draw(draw.Crop(area, area.Size().X-room, 0, 0, -20))
		area = draw.Crop(area, 0, -room, 0, 0)
	}
	c.plot.Draw(area)
	data := c.plot.DataCanvas(area)
	x, y := c.plot.Transforms(&data)
	var b strings.Builder
	for _, s := range c.spots {
		fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill-opacity=\"0\"><title>%s</title></circle>\n",
			x(s.x).Points(), (height - y(s.y)).Points(), radius, escape.XML(s.text))
	}
	return b.String()
}

// addEntry adds a line to the legend.
func (c *Chart) addEntry(name string, thumbs ...plot.Thumbnailer) {
	c.legend.Add(escape.Line(name), thumbs...)
	c.entries++
}

// column gives the values of an axis or a measure, by row.
type column struct {
	name    string
	axis    int // -1 for a measure
	measure int
}

func columnOf(t *tables.Table, name string) column {
	return column{name, slices.Index(t.Axes, name), slices.Index(t.Measures, name)}
}

// value returns the number in a row; ok is false if there is none.
func (c column) value(r *tables.Row) (x float64, ok bool) {
	if c.axis < 0 {
		x = r.Values[c.measure].Mean
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	x, err := strconv.ParseFloat(r.Labels[c.axis], 64)
	return x, err == nil
}

// others names a row by the axes that differ between rows, some left out.
func others(t *tables.Table, r *tables.Row, without ...string) string {
	var parts []string
	for i, a := range t.Axes {
		if slices.Contains(without, a) || len(t.Study.Axes[i].Values) < 2 {
			continue
		}
		parts = append(parts, a+" "+r.Labels[i])
	}
	return strings.Join(parts, ", ")
}

// describe says everything of a row.
func describe(t *tables.Table, r *tables.Row) string {
	var parts []string
	for i, a := range t.Axes {
		parts = append(parts, a+" "+r.Labels[i])
	}
	for i, m := range t.Measures {
		if !math.IsNaN(r.Values[i].Mean) {
			parts = append(parts, m+" "+tables.Number(r.Values[i].Mean))
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
	points.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
	c.plot.Add(line, points)
	if name != "" {
		c.addEntry(name, line, points)
	}
	return nil
}

// WriteInline writes the chart as SVG for the inside of an HTML page.
func (c *Chart) WriteInline(w io.Writer) error {
	var text bytes.Buffer
	if err := c.Write(&text, ".svg"); err != nil {
		return err
	}
	from := bytes.Index(text.Bytes(), []byte("<svg"))
	_, err := w.Write(text.Bytes()[max(0, from):])
	return err
}
