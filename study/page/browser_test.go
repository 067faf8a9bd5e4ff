// SPDX-License-Identifier: Apache-2.0

package page_test

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"meshwright/internal/browsertest"
	"meshwright/study"
	"meshwright/study/chart"
	"meshwright/study/page"
	"meshwright/study/question"
	"meshwright/study/tables"
)

var shots = flag.String("shots", "", "folder for the screenshots")

const asked = `about: Which way is the quickest?
axes: {algorithm: [slow, quick, odd], length: {from: 1, to: 4096, times: 8}, root: [0]}
set: {collective: gossip}
measure: [cycles, flits]
report:
  - {plot: lines, x: length, y: cycles, by: algorithm, log: xy}
  - {plot: speedup, x: length, y: cycles, by: algorithm, base: slow}
  - {plot: map, x: length, y: algorithm, value: cycles}
  - {plot: fastest, x: length, y: root, by: algorithm, value: cycles}
  - {plot: pareto, x: flits, y: cycles, by: algorithm}
  - {plot: bars, x: algorithm, y: cycles, by: length}
`

// written writes a page with all kinds of plots; a cell of its table is empty.
func written(t *testing.T) string {
	q, err := question.Parse("s.yaml", []byte(asked), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Axes: []string{"algorithm", "length", "root"}, Measures: []string{"cycles", "flits"}}
	for p, err := range q.Points() {
		require.NoError(t, err)
		length, err := strconv.ParseFloat(p.Labels[1], 64)
		require.NoError(t, err)
		cycles := map[string]float64{"slow": 10 + length, "quick": 40 + length/4, "odd": 100.5}[p.Labels[0]]
		if len(out.Rows) == 2 {
			cycles = math.NaN()
		}
		out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: []tables.Value{{Estimate: study.Estimate{Mean: cycles, Half: math.NaN()}}, {Estimate: study.Estimate{Mean: 5000 - length, Half: math.NaN()}}}})
	}
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, page.Write(&text, out, charts, "1"))
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o644))
	return path
}

// The screen of the tests, in pixels.
const wide, high = 1300, 1000

// What a reader does with the page, in a real browser: sort, filter, look at values, in light and in dark.
func TestPageInABrowser(t *testing.T) {
	ctx := browsertest.Start(t)
	browsertest.Do(t, ctx, chromedp.EmulateViewport(wide, high), chromedp.Navigate("file://"+written(t)))
	require.Zero(t, browsertest.Of[int](t, ctx, `performance.getEntriesByType("resource").length`), "the page needs nothing else")
	t.Run("sort", func(t *testing.T) { sorts(t, ctx) })
	t.Run("filter", func(t *testing.T) { filters(t, ctx) })
	t.Run("values", func(t *testing.T) { showsValues(t, ctx) })
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) { isLegible(t, ctx, scheme) })
	}
}

// column returns the cells of a column of the rows that are shown.
func column(t *testing.T, ctx context.Context, at int) []string {
	return browsertest.Of[[]string](t, ctx, `[...document.querySelectorAll("tbody tr:not([hidden])")].map((row) => row.cells[`+strconv.Itoa(at)+`].textContent)`)
}

func sorts(t *testing.T, ctx context.Context) {
	want := []string{"11.00", "18.00", "40.25", "42.00", "56.00", "100.50", "100.50", "100.50", "100.50", "100.50", "168.00", "522.00", "1064.00", "4106.00", ""}
	heading := chromedp.CSS("th:nth-child(4)")
	browsertest.Do(t, ctx, chromedp.Click(heading))
	require.Equal(t, want, column(t, ctx, 3), "numbers as numbers, none at the end")
	browsertest.Do(t, ctx, chromedp.Click(heading))
	down := []string{"4106.00", "1064.00", "522.00", "168.00", "100.50", "100.50", "100.50", "100.50", "100.50", "56.00", "42.00", "40.25", "18.00", "11.00", ""}
	require.Equal(t, down, column(t, ctx, 3))
	require.Equal(t, "descending", browsertest.Of[string](t, ctx, `document.querySelector("th:nth-child(4)").getAttribute("aria-sort")`))
	browsertest.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("th:nth-child(1)"), "\r"))
	require.Equal(t, "odd", column(t, ctx, 0)[0], "by the keyboard, too")
}

func filters(t *testing.T, ctx context.Context) {
	browsertest.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("input"), "QUICK 8"))
	require.ElementsMatch(t, []string{"8", "512"}, column(t, ctx, 1), "rows with both words")
	require.Equal(t, "2 of 15 points", browsertest.Of[string](t, ctx, `document.querySelector("output").textContent`))
	browsertest.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("input"), strings.Repeat("\b", 7)))
	require.Len(t, column(t, ctx, 1), 15)
}

// showsValues moves the mouse to points of a plot of lines and to cells of a map, and away.
func showsValues(t *testing.T, ctx context.Context) {
	require.True(t, browsertest.Of[bool](t, ctx, `document.getElementById("values").hidden`))
	for selector, want := range map[string]string{"circle.spot": "algorithm slow\nlength 1\nroot 0\ncycles 11\nflits 4999", "rect.spot": "algorithm slow\nlength 1\nroot 0\ncycles 11\nflits 4999"} {
		browsertest.Of[bool](t, ctx, `(document.querySelector("`+selector+`").scrollIntoView({block: "center"}), true)`)
		at := browsertest.Of[map[string]float64](t, ctx, `document.querySelector("`+selector+`").getBoundingClientRect().toJSON()`)
		x, y := at["x"]+at["width"]/2, at["y"]+at["height"]/2
		browsertest.Do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		require.Equal(t, want, browsertest.Of[string](t, ctx, `document.getElementById("values").innerText`))
		require.True(t, browsertest.Of[bool](t, ctx, `document.getElementById("values").getBoundingClientRect().right <= innerWidth`))
		browsertest.Do(t, ctx, chromedp.MouseEvent(chromedp.MouseMoved, 2, 2))
		require.True(t, browsertest.Of[bool](t, ctx, `document.getElementById("values").hidden`))
	}
	browsertest.Of[bool](t, ctx, `(scrollTo(0, 0), true)`)
}

// texts are the colours of all texts outside plots, and the sizes of all texts, in pixels.
const texts = `[...document.querySelectorAll("h1, h2, p, th, td, pre, label, output, figcaption, footer, svg text")].map((e) => {
  let ground = e;
  const clear = "rgba(0, 0, 0, 0)";
  while (ground.parentElement && getComputedStyle(ground).backgroundColor === clear) ground = ground.parentElement;
  const style = getComputedStyle(e);
  const drawn = e.tagName === "text";
  return {Of: e.tagName, Ink: drawn ? "" : style.color, Paper: getComputedStyle(ground).backgroundColor,
    Size: parseFloat(style.fontSize) * (drawn ? Math.sqrt(Math.abs(e.getScreenCTM().a * e.getScreenCTM().d - e.getScreenCTM().b * e.getScreenCTM().c)) : 1)};
})`

// isLegible looks at a screenshot and at the styles in light or dark.
func isLegible(t *testing.T, ctx context.Context, scheme string) {
	browsertest.Do(t, ctx, func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
	for _, e := range browsertest.Of[[]struct {
		Of, Ink, Paper string
		Size           float64
	}](t, ctx, texts) {
		require.GreaterOrEqual(t, e.Size, 9.0, "%s: pixels of the font", e.Of)
		if e.Ink != "" {
			require.GreaterOrEqual(t, contrast(parsed(t, e.Ink), parsed(t, e.Paper)), 4.5, "%s: %s on %s (WCAG)", e.Of, e.Ink, e.Paper)
		}
	}
	text, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	if *shots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*shots, scheme+".png"), text, 0o644))
	}
	picture, err := png.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, image.Pt(wide, high), picture.Bounds().Size())
	paper, drawn, strong := picture.At(1, 1), 0, 0
	for y := range high {
		for x := range wide {
			if c := contrast(picture.At(x, y), paper); c > 1.2 {
				if drawn++; c > 4.5 {
					strong++
				}
			}
		}
	}
	require.Equal(t, scheme == "dark", luminance(paper) < 0.1)
	require.Greater(t, drawn, wide*high/50, "pixels that are not paper")
	require.Greater(t, strong, wide*high/200, "pixels that can be told from the paper")
}

// luminance is that of the Web Content Accessibility Guidelines.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(x uint32) float64 {
		if v := float64(x) / 0xffff; v > 0.04045 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return float64(x) / 0xffff / 12.92
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// parsed reads rgb(1, 2, 3).
func parsed(t *testing.T, text string) color.Color {
	var parts [3]uint8
	fields := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	require.Len(t, fields, 3, text)
	for i, field := range fields {
		x, err := strconv.ParseUint(field, 10, 8)
		require.NoError(t, err)
		parts[i] = uint8(x)
	}
	return color.RGBA{parts[0], parts[1], parts[2], 0xff}
}
