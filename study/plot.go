// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of one network's part of a plot.
const (
	plotWidth  = 6 * vg.Inch
	plotHeight = 4.2 * vg.Inch
)

// palette is that of Okabe and Ito: colours that all eyes tell apart.
var palette = []color.Color{
	color.RGBA{0x00, 0x00, 0x00, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// Plot draws cycles per byte over bytes of a block, both by logarithms, as SVG:
// a part for each network, a line for each contender. Full points were run in
// the model, circles are not; an upright line is a crossover.
func (r *Result) Plot(w io.Writer, title string) error {
	canvas := vgsvg.New(plotWidth*vg.Length(len(r.Networks)), plotHeight)
	all := draw.New(canvas)
	for i := range r.Networks {
		p, err := r.Networks[i].plot(title)
		if err != nil {
			return err
		}
		left := plotWidth * vg.Length(i)
		right := plotWidth * vg.Length(len(r.Networks)-1-i)
		p.Draw(draw.Crop(all, left+4, -right-4, 4, -4))
	}
	_, err := canvas.WriteTo(w)
	return err
}

// plot is the part of one network.
func (n *Network) plot(title string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s on %s", title, n.Topology)
	p.X.Label.Text, p.Y.Label.Text = "bytes of a block", "cycles per byte"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(sizeTicks(n.Bytes)), plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Padding = true, vg.Points(1.5)
	for _, style := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		style.Variant = "Sans"
	}
	p.Add(plotter.NewGrid())
	for c := range n.Contenders {
		if err := n.addLine(p, c); err != nil {
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
func (n *Network) addLine(p *plot.Plot, c int) error {
	var run, foretold, all plotter.XYs
	for _, row := range n.Rows {
		xy := plotter.XY{X: float64(row[c].Bytes), Y: float64(row[c].Cycles) / float64(row[c].Bytes)}
		all = append(all, xy)
		if row[c].Source == Model {
			run = append(run, xy)
		} else {
			foretold = append(foretold, xy)
		}
	}
	line, err := plotter.NewLine(all)
	if err != nil {
		return err
	}
	line.Color = palette[c%len(palette)]
	line.Width = vg.Points(1.2)
	p.Add(line)
	p.Legend.Add(n.Contenders[c].String(), line)
	for _, points := range []struct {
		at    plotter.XYs
		glyph draw.GlyphDrawer
	}{{run, draw.CircleGlyph{}}, {foretold, draw.RingGlyph{}}} {
		if len(points.at) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points.at)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: vg.Points(2), Shape: points.glyph}
		p.Add(s)
	}
	return nil
}

// addCrossover marks where the lead changes, over the height of the plot.
func addCrossover(p *plot.Plot, c Crossover) error {
	if math.IsNaN(c.Measured) {
		return nil
	}
	line, err := plotter.NewLine(plotter.XYs{{X: c.Measured, Y: p.Y.Min}, {X: c.Measured, Y: p.Y.Max}})
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = color.Gray{0x80}, vg.Points(0.6), []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(line)
	return nil
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
