// SPDX-License-Identifier: Apache-2.0

package study

import (
	"image/color"
	"math"
	"strconv"

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

// Colours is the number of styles of lines, and of shades, that differ. Styles i and i+Hues have the same colour: their
// lines have other dashes, and their shades are lighter or darker.
const (
	Hues    = len(palette)
	Colours = Hues * len(dashes)
)

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
	plotWidth  = 7.6 * vg.Inch
	plotHeight = 4.2 * vg.Inch
)

// addUpright draws an upright line, as of the lowest load that is not stable.
func addUpright(p *plot.Plot, x, low, high float64) (*plotter.Line, error) {
	line, err := plotter.NewLine(plotter.XYs{{X: x, Y: low}, {X: x, Y: high}})
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: color.Gray{0x80}, Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(3), vg.Points(3)}}
	p.Add(line)
	return line, nil
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

// decimalTicks label an axis at multiples of 1, 2 or 5 times a power of ten, the largest that gives fewestLabels.
type decimalTicks struct{}

// fewestLabels is the least number of labels of an axis that begins at 0.
const fewestLabels = 4

// Ticks implements plot.Ticker.
func (decimalTicks) Ticks(from, to float64) []plot.Tick {
	if !(to > from) {
		return nil
	}
	power := int(math.Floor(math.Log10(to - from)))
	for ; ; power-- {
		for _, step := range []struct{ width, parts int }{{5, 5}, {2, 4}, {1, 5}} {
			if ticks := decimals(from, to, step.width, step.parts, power); len(ticks) > 0 {
				return ticks
			}
		}
	}
}

// decimals has a tick at each part of a step of width times ten to a power, and labels at whole steps; nil if these are too few.
func decimals(from, to float64, width, parts, power int) []plot.Tick {
	at := func(i float64) float64 { return i / float64(parts) * float64(width) * math.Pow10(power) }
	step := at(1)
	var ticks []plot.Tick
	labels := 0
	for i := math.Ceil(from/step-1e-9) + 0; at(i) <= to+1e-9*step; i++ { // 0 makes -0 a 0
		tick := plot.Tick{Value: at(i)}
		if math.Mod(i, float64(parts)) == 0 {
			tick.Label = decimal(tick.Value, power)
			labels++
		}
		ticks = append(ticks, tick)
	}
	if labels < fewestLabels {
		return nil
	}
	return ticks
}

// decimal writes a multiple of a power of ten, with an exponent where it would have many zeros.
func decimal(x float64, power int) string {
	if power < -5 || power > 6 {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, -power), 64)
}
