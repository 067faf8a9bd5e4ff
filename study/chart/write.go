// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"meshwright/internal/escape"
	"meshwright/internal/plotpdf"
	"meshwright/internal/plotsvg"
)

// Formats are the extensions of files that Write knows.
func Formats() []string { return []string{".svg", ".png", ".pdf"} }

// Write writes the chart in a format, on white paper.
func (c *Chart) Write(w io.Writer, format string) error {
	if format == ".png" {
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dots))} // which is white
		c.draw(draw.New(canvas))
		_, err := canvas.WriteTo(w)
		return err
	}
	if format == ".pdf" {
		canvas := plotpdf.New(width, height)
		c.draw(draw.New(canvas))
		_, err := canvas.WriteTo(w)
		return err
	}
	text, err := c.svg(true)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// svg draws the chart, on white paper or on that of the page.
func (c *Chart) svg(paper bool) (string, error) {
	canvas := plotsvg.New(width, height)
	all := draw.New(canvas)
	if paper {
		all.SetColor(color.White)
		all.Fill(all.Rectangle.Path())
	}
	places := c.draw(all)
	text, err := canvas.Text()
	if err != nil {
		return "", err
	}
	before, after, _ := strings.Cut(text, "</svg>")
	return before + places + "</svg>" + after, nil
}

// dots are the points of a PNG in an inch.
const dots = 144

// WriteInline writes the chart as SVG for the inside of an HTML page.
func (c *Chart) WriteInline(w io.Writer) error {
	text, err := c.svg(false)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text[max(0, strings.Index(text, "<svg")):])
	return err
}

// wider leaves room for a font that is wider than the one in which the legend is measured.
const wider = 1.1

// radius is that of the places that show a point's values under the mouse, in points.
const radius = 6

// draw draws on a canvas, and returns the places of the spots as SVG.
func (c *Chart) draw(all draw.Canvas) string {
	area := draw.Crop(all, 6, -10, 6, -6)
	if c.entries > 0 {
		room := wider*c.legend.Rectangle(all).Size().X + 4
		c.legend.Draw(draw.Crop(area, area.Size().X-room, 0, 0, -24))
		area = draw.Crop(area, 0, -room-8, 0, 0)
	}
	c.bars.fit(c.plot, area)
	c.plot.Draw(area)
	data := c.plot.DataCanvas(area)
	x, y := c.plot.Transforms(&data)
	var b strings.Builder
	for _, s := range c.spots {
		left, top := x(s.x).Points(), (height - y(s.y)).Points()
		if s.wide > 0 {
			wide, high := (x(s.wide) - x(0)).Points(), (y(s.high) - y(0)).Points()
			fmt.Fprintf(&b, "<rect class=\"spot\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill-opacity=\"0\">", left-wide/2, top-high/2, wide, high)
		} else {
			fmt.Fprintf(&b, "<circle class=\"spot\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill-opacity=\"0\">", left, top, radius)
		}
		fmt.Fprintf(&b, "<title>%s</title></%s>\n", escape.XML(s.text), s.shape())
	}
	return b.String()
}

// shape is the element of a spot.
func (s *spot) shape() string {
	if s.wide > 0 {
		return "rect"
	}
	return "circle"
}
