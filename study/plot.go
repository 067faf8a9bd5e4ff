// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"meshwright/internal/escape"
)

// Size of one network's part of a plot.
const (
	plotWidth  = 6 * vg.Inch
	plotHeight = 4.2 * vg.Inch
	plotMargin = 22 // above the axes, for a title
)

// abreast is how many networks stand beside each other.
const abreast = 2

// Plot draws cycles per byte over bytes of a block, both by logarithms, as SVG:
// a part for each network, a line for each contender. Full points were run in
// the model, circles are not; an upright line is a crossover. The legend stands
// beside all parts.
func (r *Result) Plot(w io.Writer, title string) error {
	key := r.legend()
	across := min(abreast, max(1, len(r.Networks)))
	down := (len(r.Networks) + across - 1) / across
	width, height := plotWidth*vg.Length(across), max(plotHeight*vg.Length(down), key.height())
	canvas := vgsvg.New(width+key.width(), height)
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	for i := range r.Networks {
		p, err := r.Networks[i].plot(title, key)
		if err != nil {
			return err
		}
		left, top := plotWidth*vg.Length(i%across), height-plotHeight*vg.Length(i/across)
		part := vg.Rectangle{Min: vg.Point{X: left + 4, Y: top - plotHeight + 4}, Max: vg.Point{X: left + plotWidth - 4, Y: top - 4}}
		p.Draw(draw.Canvas{Canvas: all.Canvas, Rectangle: part})
	}
	key.draw(draw.Canvas{Canvas: all.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: width}, Max: vg.Point{X: width + key.width(), Y: height - plotMargin},
	}})
	_, err := canvas.WriteTo(w)
	return err
}

// plot is the part of one network.
func (n *Network) plot(title string, key *legend) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = escape.Line(fmt.Sprintf("%s on %s", title, n.Topology))
	p.X.Label.Text, p.Y.Label.Text = "bytes of a block", "cycles per byte"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(sizeTicks(n.Bytes)), apartTicks{plot.LogTicks{Prec: -1}}
	sans(p)
	p.Add(plotter.NewGrid())
	for c := range n.Contenders {
		if err := n.addLine(p, c, key); err != nil {
			return nil, err
		}
	}
	for _, c := range n.Crossovers {
		if err := addCrossover(p, c); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addLine draws one contender.
func (n *Network) addLine(p *plot.Plot, c int, key *legend) error {
	var run, predicted, all plotter.XYs
	for _, row := range n.Rows {
		xy := plotter.XY{X: float64(row[c].Bytes), Y: float64(row[c].Cycles) / float64(row[c].Bytes)}
		all = append(all, xy)
		if row[c].Source == Model {
			run = append(run, xy)
		} else {
			predicted = append(predicted, xy)
		}
	}
	line, err := plotter.NewLine(all)
	if err != nil {
		return err
	}
	line.LineStyle = key.style(n.Contenders[c])
	p.Add(line)
	for _, points := range []struct {
		at    plotter.XYs
		glyph draw.GlyphDrawer
	}{{run, draw.CircleGlyph{}}, {predicted, draw.RingGlyph{}}} {
		if len(points.at) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points.at)
		if err != nil {
			return err
		}
		s.GlyphStyle = pointStyle(line.Color, points.glyph)
		p.Add(s)
	}
	return nil
}

// addCrossover marks where the lead changes, over the height of the plot.
func addCrossover(p *plot.Plot, c Crossover) error {
	if math.IsNaN(c.Measured) {
		return nil
	}
	return addUpright(p, c.Measured, p.Y.Min, p.Y.Max)
}

// addUpright draws an upright line, as of a crossover.
func addUpright(p *plot.Plot, x, low, high float64) error {
	line, err := plotter.NewLine(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}})
	if err != nil {
		return err
	}
	line.LineStyle = crossoverStyle()
	p.Add(line)
	return nil
}

// apartTicks keeps labels away from the axis: the letters of a reader's font may
// be wider than those that were measured.
type apartTicks struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (t apartTicks) Ticks(from, to float64) []plot.Tick {
	ticks := t.Ticker.Ticks(from, to)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label += "\u00a0\u00a0"
		}
	}
	return ticks
}

// sizeTicks labels every other size.
func sizeTicks(sizes []int) []plot.Tick {
	ticks := make([]plot.Tick, len(sizes))
	for i, size := range sizes {
		ticks[i].Value = float64(size)
		if i%2 == 0 || len(sizes) < 10 {
			ticks[i].Label = FormatSize(size)
		}
	}
	return ticks
}
