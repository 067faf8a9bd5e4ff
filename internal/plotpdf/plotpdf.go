// SPDX-License-Identifier: Apache-2.0

// Package plotpdf draws plots as PDF, with the fonts in the file. The same plot is the same bytes.
package plotpdf

import (
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// A file that said when it was made would differ from run to run.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// Canvas is a PDF of one page.
type Canvas struct{ *vgpdf.Canvas }

// New returns an empty canvas of a size.
func New(width, height vg.Length) *Canvas { return &Canvas{vgpdf.New(width, height)} }

// FillString implements vg.Canvas. The fonts of the file have the characters of Western Europe; a question mark stands for others.
func (c *Canvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, encoded(text))
}

// encoded writes a text in the code of the fonts.
func encoded(text string) string {
	var b strings.Builder
	for _, r := range text {
		code, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			code = '?'
		}
		b.WriteByte(code)
	}
	return b.String()
}
