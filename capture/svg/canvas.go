// SPDX-License-Identifier: Apache-2.0

// Package svg draws runs: space-time diagrams of lines of nodes, and the load
// of links on networks of any shape.
//
// Pictures stand alone (no scripts, no references), use colours that
// colour-blind readers can tell apart, and stay below a few megabytes whatever
// the run: what is left out is said in the picture.
package svg

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"meshwright/internal/escape"
)

// Ink of everything that is not data.
const (
	ink      = "#2b2f36" // text
	softInk  = "#6b7280" // secondary text
	hairline = "#e5e7eb" // grid
	paper    = "#ffffff"
	panel    = "#f8f9fb" // background of the drawing area
)

// style is shared by all pictures. Sizes are in pixels at natural scale.
const style = `
text{font-family:"Lato","Helvetica Neue",Arial,"Liberation Sans",sans-serif;fill:` + ink + `;font-size:11px}
.t{font-size:18px;font-weight:600}
.s{font-size:12px;fill:` + softInk + `}
.a{fill:` + softInk + `}
.e{text-anchor:end}
.m{text-anchor:middle}
.b{font-weight:700}
.g{stroke:` + hairline + `;stroke-width:1;fill:none}
.tick{stroke:` + softInk + `;stroke-width:1;fill:none}
`

// canvas collects the elements of a picture. Coordinates grow right and down.
type canvas struct {
	bytes.Buffer
	styles string
	widest float64 // width of the heading
}

// num formats a coordinate with at most one decimal.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if n := len(s); s[n-2:] == ".0" {
		s = s[:n-2]
	}
	if s == "-0" {
		return "0"
	}
	return s
}

func (c *canvas) rect(class string, x, y, w, h float64, extra string) {
	fmt.Fprintf(c, `<rect%s x="%s" y="%s" width="%s" height="%s"%s/>`+"\n", attribute("class", class), num(x), num(y), num(w), num(h), extra)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<path%s d="M%s %sL%s %s"/>`+"\n", attribute("class", class), num(x1), num(y1), num(x2), num(y2))
}

// text writes words at a baseline; class e ends there, m is centred.
func (c *canvas) text(class string, x, y float64, words string) {
	fmt.Fprintf(c, `<text%s x="%s" y="%s">%s</text>`+"\n", attribute("class", class), num(x), num(y), escape.XML(words))
}

// notes writes sentences below a picture, in lines of at most a width; it
// returns where they end.
func (c *canvas) notes(x, y, width float64, sentences []string) float64 {
	for _, sentence := range sentences {
		line := ""
		for _, word := range strings.Split(sentence, " ") {
			if longer := strings.TrimSpace(line + " " + word); textWidth(longer, 12) <= width || line == "" {
				line = longer
				continue
			}
			c.text("s", x, y, line)
			line, y = word, y+17
		}
		if line != "" {
			c.text("s", x, y, line)
			y += 17
		}
	}
	return y
}

func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + escape.XML(value) + `"`
}

// document writes the document around the elements.
func (c *canvas) document(w io.Writer, width, height float64, title string) error {
	width, title = max(width, c.widest+2*margin), clipped(title, 100)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">
<title>%s</title>
<style>%s%s</style>
<rect width="100%%" height="100%%" fill="%s"/>
`, num(width), num(height), num(width), num(height), escape.XML(title), style, c.styles, paper)
	if err != nil {
		return err
	}
	if _, err := w.Write(c.Bytes()); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</svg>\n")
	return err
}

// textWidth estimates how wide words of a font size become.
func textWidth(words string, size float64) float64 {
	return float64(utf8.RuneCountInString(words)) * size * 0.56
}

// heading writes title and subtitle and returns where the drawing can begin.
func (c *canvas) heading(title, subtitle string) float64 {
	title, subtitle = clipped(title, 100), clipped(subtitle, 200)
	c.text("t", margin, margin+10, title)
	c.text("s", margin, margin+30, subtitle)
	c.widest = max(textWidth(title, 18), textWidth(subtitle, 12))
	return margin + 46
}

// clipped cuts the middle out of a text that is longer than most characters.
func clipped(text string, most int) string {
	runes := []rune(escape.Line(text))
	if len(runes) <= most {
		return text
	}
	return string(runes[:most/2]) + "…" + string(runes[len(runes)-most/2+1:])
}

// margin surrounds every picture.
const margin = 24.0

// tick returns a step of 1, 2 or 5 times a power of ten that puts at most
// count ticks on a length.
func tick(length, count float64) int64 {
	for step := int64(1); ; step *= 10 {
		for _, times := range [...]int64{1, 2, 5} {
			if length/float64(step*times) <= count {
				return step * times
			}
		}
	}
}

// thousands writes a number with thin gaps between groups of three digits.
func thousands(v int64) string {
	s := strconv.FormatInt(v, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "\u2009" + s[at:]
	}
	return s
}

// plural writes a count with its noun.
func plural(v int64, noun string) string {
	if v == 1 {
		return "1 " + noun
	}
	return thousands(v) + " " + noun + "s"
}
