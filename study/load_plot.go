// SPDX-License-Identifier: Apache-2.0

package study

import (
	"io"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/escape"
	"meshwright/internal/plotpdf"
	"meshwright/internal/plotsvg"
)

// The lines of a load-latency curve.
var loadLines = []struct {
	name string
	of   func(*LoadRun) float64
}{
	{"packet latency, p99", func(r *LoadRun) float64 { return r.Packet.P99 }},
	{"packet latency, mean", func(r *LoadRun) float64 { return r.Packet.Mean }},
	{"network latency, mean", func(r *LoadRun) float64 { return r.Network.Mean }},
	{"head latency, mean", func(r *LoadRun) float64 { return r.Head.Mean }},
}

// PlotFormats are the extensions of files that Plot knows.
func PlotFormats() []string { return []string{".svg", ".pdf"} }

// Plot draws the latencies of the stable points over their rates, in a format. With several seeds the means have their
// intervals. An upright line is the lowest rate that is not stable. A trace is at the rate that it offers. Without
// latencies a text says why there are none.
func (c *LoadCurve) Plot(w io.Writer, title, format string) error {
	p, legend, err := c.plot(title)
	if err != nil {
		return err
	}
	if format == ".pdf" {
		canvas := plotpdf.New(plotWidth, plotHeight)
		drawBeside(canvas, p, legend)
		_, err := canvas.WriteTo(w)
		return err
	}
	canvas := plotsvg.New(plotWidth, plotHeight)
	drawBeside(canvas, p, legend)
	picture, err := canvas.Text()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, picture)
	return err
}

// drawBeside draws a plot with its legend beside it.
func drawBeside(canvas vg.CanvasSizer, p *plot.Plot, legend *plot.Legend) {
	area := draw.Crop(draw.New(canvas), 4, -4, 4, -4)
	room := widerFont * legend.Rectangle(area).Size().X
	legend.Draw(draw.Crop(area, area.Size().X-room, 0, 0, -24))
	p.Draw(draw.Crop(area, 0, -room-6, 0, 0))
}

// plot makes the plot and its legend.
func (c *LoadCurve) plot(title string) (*plot.Plot, *plot.Legend, error) {
	p := plot.New()
	p.Title.Text = inLines(escape.Line(title), titleLine)
	p.X.Label.Text, p.Y.Label.Text = "rate, flits per source and cycle", "latency, cycles"
	p.X.Min, p.Y.Min = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = decimalTicks{}, apartTicks{decimalTicks{}}
	sans(p)
	legend := plot.NewLegend()
	legend.Left, legend.Top, legend.Padding, legend.TextStyle.Font.Variant = true, true, 2, "Sans"
	p.Add(plotter.NewGrid())
	highest, furthest := 0.0, 1.0
	for i, line := range loadLines {
		var at loadPoints
		for k := range c.Points {
			point := &c.Points[k]
			if !point.Stable() || !point.Latent() || c.Unstable > 0 && point.Rate >= c.Unstable {
				continue // above the lowest rate that is not stable, others are stable by chance
			}
			e := point.Figure(line.of)
			rate := point.Rate
			if rate == 0 { // of a trace
				rate = point.Figure(func(r *LoadRun) float64 { return r.Offered }).Mean
			}
			furthest = max(furthest, rate)
			at.XYs = append(at.XYs, plotter.XY{X: rate, Y: e.Mean})
			half := e.Half
			if len(point.Runs) == 1 {
				half = 0
			}
			at.YErrors = append(at.YErrors, struct{ Low, High float64 }{min(half, e.Mean), half}) // no latency is below 0
			highest = max(highest, e.Mean+half)
		}
		if err := at.add(p, &legend, line.name, i); err != nil {
			return nil, nil, err
		}
	}
	p.Y.Max = max(1, 1.05*highest)
	p.X.Max = furthest
	if saturates := max(c.Stable, c.Unstable); saturates > 0 {
		p.X.Max = saturates * 1.02
	}
	if highest == 0 {
		if err := c.addReason(p); err != nil {
			return nil, nil, err
		}
	}
	if c.Unstable > 0 {
		line, err := addUpright(p, c.Unstable, p.Y.Min, p.Y.Max)
		if err != nil {
			return nil, nil, err
		}
		legend.Add("not stable", line)
	}
	return p, &legend, nil
}

// widerFont leaves room for a font that is wider than the one in which the legend is measured.
const widerFont = 1.1

// addReason writes why there are no latencies into the middle of a plot, whose axis of latencies has no labels.
func (c *LoadCurve) addReason(p *plot.Plot) error {
	p.Y.Tick.Marker = plot.ConstantTicks{}
	labels, err := plotter.NewLabels(plotter.XYLabels{
		XYs: plotter.XYs{{X: (p.X.Min + p.X.Max) / 2, Y: (p.Y.Min + p.Y.Max) / 2}}, Labels: []string{c.reason()},
	})
	if err != nil {
		return err
	}
	style := &labels.TextStyle[0]
	style.Font, style.XAlign, style.YAlign = p.X.Label.TextStyle.Font, text.XCenter, text.YCenter
	p.Add(labels)
	return nil
}

// reason says why a curve has no latencies.
func (c *LoadCurve) reason() string {
	for i := range c.Points {
		cause, _ := c.Points[i].Unstable()
		switch {
		case cause == "":
		case c.Points[i].Rate == 0:
			return "the trace is not stable: " + string(cause)
		default:
			return "no rate is stable; the lowest that was measured is " + number(c.Points[0].Rate)
		}
	}
	return "no packets in the measurement"
}

// titleLine is how many letters of a title fit into the width of a plot.
const titleLine = 56

// inLines breaks a text at spaces into lines of up to so many letters. A word that is longer has a line of its own.
func inLines(words string, most int) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(words) {
		letters := utf8.RuneCountInString(word)
		switch {
		case i > 0 && length+1+letters > most:
			b.WriteByte('\n')
			length = 0
		case i > 0:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += letters
	}
	return b.String()
}

// loadPoints is a line with the intervals of its points.
type loadPoints struct {
	plotter.XYs
	plotter.YErrors
}

// add draws line number i, unless it has no points.
func (l *loadPoints) add(p *plot.Plot, legend *plot.Legend, name string, i int) error {
	if len(l.XYs) == 0 {
		return nil
	}
	line, points, err := plotter.NewLinePoints(l.XYs)
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.2)}
	points.GlyphStyle = pointStyle(line.Color, draw.CircleGlyph{})
	bars, err := plotter.NewYErrorBars(l)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Color: line.Color, Width: vg.Points(0.6)}
	p.Add(line, points, bars)
	legend.Add(name, line, points)
	return nil
}

// sans writes a plot without serifs.
func sans(p *plot.Plot) {
	for _, style := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font} {
		style.Variant = "Sans"
	}
}
