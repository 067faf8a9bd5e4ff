// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"io"
	"strconv"
)

// Waveform is signals over cycles.
type Waveform struct {
	Title, Subtitle string
	First           int64 // cycle of the first value
	Rows            []WaveRow
	Notes           []string // below the picture
}

// WaveRow is a signal with a value for each cycle, or a headline without values.
type WaveRow struct {
	Name   string
	Bit    bool     // drawn as a line, low for 0 and high for 1
	Values []string // by cycle; "" of no interest
	Wrong  []bool   // cycles to mark; nil: none
}

// Sizes of a waveform, in pixels.
const (
	waveCell = 34.0 // a cycle
	waveRow  = 18.0
	waveHigh = 11.0 // from low to high
)

const waveStyle = `.w{stroke:#0b6e99;stroke-width:1.4;fill:none}
.v{stroke:#0b6e99;stroke-width:1;fill:#e3f1f7;fill-opacity:.5}
.x{fill:#f6c7b6}
.c{font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:9px}
`

// Draw writes the picture.
func (f *Waveform) Draw(w io.Writer) error {
	c := &canvas{styles: waveStyle}
	top := c.heading(f.Title, f.Subtitle) + 16
	left, cycles := margin, 0
	for _, r := range f.Rows {
		left = max(left, margin+textWidth(r.Name, 11)+12)
		cycles = max(cycles, len(r.Values))
	}
	right, bottom := left+float64(cycles)*waveCell, top+float64(len(f.Rows))*waveRow
	for i := range cycles + 1 {
		x := left + float64(i)*waveCell
		c.line("g", x, top, x, bottom)
		if i < cycles {
			c.text("a m", x+waveCell/2, top-5, strconv.FormatInt(f.First+int64(i), 10))
		}
	}
	for i := range f.Rows {
		f.row(c, &f.Rows[i], left, top+float64(i)*waveRow)
	}
	bottom = c.notes(margin, bottom+20, right-margin, f.Notes)
	return c.document(w, right+margin, bottom+margin/2, f.Title)
}

// row draws a signal below y.
func (f *Waveform) row(c *canvas, r *WaveRow, left, y float64) {
	if r.Values == nil {
		c.text("b", margin, y+13, r.Name)
		return
	}
	c.text("e", left-6, y+13, r.Name)
	for i, wrong := range r.Wrong {
		if wrong {
			c.rect("x", left+float64(i)*waveCell, y+1, waveCell, waveRow-2, "")
		}
	}
	low := y + waveRow - 4
	if r.Bit {
		path := ""
		for i, value := range r.Values {
			at := low
			if value == "1" {
				at -= waveHigh
			}
			x := left + float64(i)*waveCell
			path += fmt.Sprintf("%s%s %sL%s %s", map[bool]string{true: "M", false: "L"}[i == 0], num(x), num(at), num(x+waveCell), num(at))
		}
		fmt.Fprintf(c, `<path class="w" d="%s"/>`+"\n", path)
		return
	}
	for from := 0; from < len(r.Values); {
		to := from + 1
		for to < len(r.Values) && r.Values[to] == r.Values[from] {
			to++
		}
		x, width := left+float64(from)*waveCell, float64(to-from)*waveCell
		if r.Values[from] != "" {
			c.rect("v", x+1, low-waveHigh, width-2, waveHigh+1, "")
			c.text("c m", x+width/2, low-1.5, ending(r.Values[from], int((width-6)/5.6)))
		} else {
			c.line("w", x, low-waveHigh/2, x+width, low-waveHigh/2)
		}
		from = to
	}
}

// ending is the end of a text that is longer than most characters.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "…" + text[len(text)-max(1, most-1):]
}
