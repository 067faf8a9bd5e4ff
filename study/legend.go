// SPDX-License-Identifier: Apache-2.0

package study

import (
	"image/color"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is the palette of Okabe and Ito: colours that people with any kind of colour vision
// can distinguish.
var palette = []color.Color{
	color.RGBA{0x00, 0x00, 0x00, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// dashes tell contenders apart that share a colour.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}}

// LineStyle returns the style of line i of a plot.
func LineStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1.2), Dashes: dashes[i/len(palette)%len(dashes)]}
}

// Sizes of the legend.
const (
	legendFont  = 11
	legendLine  = 17 // from entry to entry
	legendThumb = 30 // room for a line or a point before the words
)

// legend explains the lines and points of a plot.
type legend struct {
	contenders []Contender // of all networks, each once
	run, not   bool        // there are points that were run in the model, and others
	crossovers bool
}

// legend collects what the parts of a plot show.
func (r *Result) legend() *legend {
	key := &legend{}
	for i := range r.Networks {
		n := &r.Networks[i]
		for _, c := range n.Contenders {
			if !slices.Contains(key.contenders, c) {
				key.contenders = append(key.contenders, c)
			}
		}
		for _, row := range n.Rows {
			for c := range row {
				key.run = key.run || row[c].Source == Model
				key.not = key.not || row[c].Source != Model
			}
		}
		for _, c := range n.Crossovers {
			key.crossovers = key.crossovers || !math.IsNaN(c.Measured)
		}
	}
	return key
}

// style is how a contender's line is drawn, on all networks alike.
func (l *legend) style(c Contender) draw.LineStyle {
	i := slices.Index(l.contenders, c)
	return LineStyle(i)
}

func pointStyle(c color.Color, shape draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(2), Shape: shape}
}

func crossoverStyle() draw.LineStyle {
	return draw.LineStyle{Color: color.Gray{0x80}, Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(3), vg.Points(3)}}
}

// entry is a line of the legend.
type entry struct {
	words string
	line  draw.LineStyle
	point draw.GlyphStyle // no shape: none
}

func (l *legend) entries() []entry {
	var list []entry
	for _, c := range l.contenders {
		list = append(list, entry{words: c.String(), line: l.style(c)})
	}
	ink := color.Gray{0x40}
	if l.run {
		list = append(list, entry{words: "run in the model", point: pointStyle(ink, draw.CircleGlyph{})})
	}
	if l.not {
		list = append(list, entry{words: "predicted, not run", point: pointStyle(ink, draw.RingGlyph{})})
	}
	if l.crossovers {
		list = append(list, entry{words: "crossover", line: crossoverStyle()})
	}
	return list
}

// width leaves room for letters wider than usual: the reader's font is not known.
func (l *legend) width() vg.Length {
	widest := 0
	for _, e := range l.entries() {
		widest = max(widest, utf8.RuneCountInString(e.words))
	}
	return legendThumb + vg.Length(widest)*legendFont*0.65 + 8
}

func (l *legend) height() vg.Length {
	return plotMargin + legendLine*vg.Length(len(l.entries())+1)
}

// draw writes the entries below each other, from the top left corner of an area.
func (l *legend) draw(area draw.Canvas) {
	style := draw.TextStyle{
		Color: color.Black, Font: font.From(plot.DefaultFont, legendFont), YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
	style.Font.Variant = "Sans"
	y := area.Max.Y - legendLine/2
	for _, e := range l.entries() {
		left, right := area.Min.X+2, area.Min.X+legendThumb-6
		if e.line.Width > 0 {
			area.StrokeLine2(e.line, left, y, right, y)
		}
		if e.point.Shape != nil {
			area.DrawGlyph(e.point, vg.Point{X: (left + right) / 2, Y: y})
		}
		area.FillText(style, vg.Point{X: area.Min.X + legendThumb, Y: y}, e.words)
		y -= legendLine
	}
}
