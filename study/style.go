// SPDX-License-Identifier: Apache-2.0

package study

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is the palette of Okabe and Ito: colours that people with any kind of colour vision
// can distinguish.
var palette = [...]color.Color{
	color.RGBA{0x00, 0x00, 0x00, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// dashes tell lines apart that share a colour.
var dashes = [...][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

// LineStyle returns the style of line i of a plot, from 0.
func LineStyle(i int) draw.LineStyle {
	i = max(0, i)
	return draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.2), Dashes: dashes[i/len(palette)%len(dashes)]}
}

// Colours is the number of styles of lines, and of shades, that differ.
const Colours = len(palette) * len(dashes)

// Shade returns colour i, from 0, of areas that have black text in them, a lighter one of line i.
func Shade(i int) color.Color {
	i = max(0, i)
	r, g, b, _ := palette[i%len(palette)].RGBA()
	sixteenths := []uint32{8, 4, 12, 2}[i/len(palette)%4] // of the colour, in white
	if i%len(palette) == 0 {
		sixteenths /= 2 // black
	}
	mix := func(x uint32) uint8 { return uint8(255 - (255-x>>8)*sixteenths/16) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}

func pointStyle(c color.Color, shape draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(2), Shape: shape}
}

// plotWidth and plotHeight are the size of a plot.
const (
	plotWidth  = 6 * vg.Inch
	plotHeight = 4.2 * vg.Inch
)

// addUpright draws an upright line, as of the highest stable load.
func addUpright(p *plot.Plot, x, low, high float64) error {
	line, err := plotter.NewLine(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}})
	if err != nil {
		return err
	}
	line.LineStyle = draw.LineStyle{Color: color.Gray{0x80}, Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(3), vg.Points(3)}}
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
