// SPDX-License-Identifier: Apache-2.0

// Package plotsvg draws plots as SVG that look nearly the same with whatever fonts a reader has.
package plotsvg

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Canvas is an SVG that remembers how wide its texts are. The reader's font may be wider than the one they were
// measured in, and would run into its neighbours: the SVG says the width, too.
type Canvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// New returns an empty canvas of a size.
func New(width, height vg.Length) *Canvas { return &Canvas{Canvas: vgsvg.New(width, height)} }

// FillString implements vg.Canvas.
func (c *Canvas) FillString(face font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, face.Width(text))
	c.Canvas.FillString(face, at, text)
}

// Texts are measured in a font. The families have letters as wide as its own, but for the last one: any font without serifs.
const (
	measured = "font-family:Liberation Sans;"
	families = "font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif;"
)

// Text returns the SVG.
func (c *Canvas) Text() (string, error) {
	var all bytes.Buffer
	if _, err := c.WriteTo(&all); err != nil {
		return "", err
	}
	parts := strings.Split(all.String(), "<text ")
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteString("<text ")
		if w := c.widths[i].Points(); w > 0 {
			fmt.Fprintf(&b, "textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\" ", w)
		}
		tag, rest, _ := strings.Cut(part, ">")
		b.WriteString(strings.Replace(tag, measured, families, 1) + ">" + rest)
	}
	return b.String(), nil
}
