// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// cell is a place of a map.
type cell struct {
	x, y   int
	value  float64
	label  string
	number bool     // the label is the value
	tied   []string // of fastest: the names that have the best value, in their order; the first is the label
	row    *tables.Row
}

// names are the names of a cell whose colours it has.
func (c *cell) names() []string {
	if len(c.tied) > 0 {
		return c.tied
	}
	return []string{c.label}
}

// text is what stands in a cell: of several names the first, and how many others there are.
func (c *cell) text() string {
	if others := len(c.tied) - 1; others > 0 {
		return c.label + " +" + strconv.Itoa(others)
	}
	return c.label
}

// described says everything of a cell.
func (c *cell) described(t *tables.Table) string {
	text := describe(t, c.row)
	if len(c.tied) > 1 {
		text += ", tied with " + strings.Join(c.tied[1:], ", ")
	}
	return text
}

// maps draws a value over two axes, or whose value is the best.
func (g *gallery) maps(t *tables.Table, v *question.View) error {
	x, y := slices.Index(t.Axes, v.X), slices.Index(t.Axes, v.Y)
	var names []string
	groups := map[string][]*tables.Row{}
	for i := range t.Rows {
		r := &t.Rows[i]
		name := t.Others(r, v.X, v.Y, v.By)
		if v.Plot == question.HeatMap {
			name = t.Others(r, v.X, v.Y)
		}
		if _, ok := groups[name]; !ok {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r)
	}
	for _, name := range names {
		what := t.Study.Label(v.Value)
		if v.Plot == question.Fastest {
			what = t.Study.Label(v.By) + " with the " + string(t.Study.Best(v)) + " " + what
		}
		if name != "" {
			what += ", " + name
		}
		c := begin(t, v, what, g.known)
		if err := g.add(c, c.fill(t, v, cellsOf(t, v, groups[name], x, y), x, y)); err != nil {
			return err
		}
	}
	return nil
}

// cellsOf returns the cells of a map: of several rows of a place the one with the best value, the first of those that are equal.
func cellsOf(t *tables.Table, v *question.View, rows []*tables.Row, x, y int) []cell {
	value, by := t.Estimates(v.Value), slices.Index(t.Axes, v.By)
	var cells []cell
	rivalsAt := map[[2]int]*rivals{}
	better := t.Study.Best(v).Better
	for _, r := range rows {
		at := cell{x: t.Study.Axes[x].Place(r.Labels[x]), y: t.Study.Axes[y].Place(r.Labels[y]), row: r}
		e, ok := value(r)
		if at.value = e.Mean; ok {
			at.number = true
		} else if at.label = t.Text(r, v.Value); at.label == "" {
			continue
		}
		if v.Plot == question.Fastest && by >= 0 {
			at.label, at.number = r.Labels[by], false
			place := [2]int{at.x, at.y}
			if rivalsAt[place] == nil {
				rivalsAt[place] = &rivals{}
			}
			rivalsAt[place].add(at.label, e)
		}
		i := slices.IndexFunc(cells, func(o cell) bool { return o.x == at.x && o.y == at.y })
		switch {
		case i < 0:
			cells = append(cells, at)
		case better(at.value, cells[i].value):
			cells[i] = at
		}
	}
	digits := digitsOfCells(extremes(cells))
	for i := range cells {
		if cells[i].number {
			cells[i].label = rounded(cells[i].value, digits)
		} else if r := rivalsAt[[2]int{cells[i].x, cells[i].y}]; r != nil {
			cells[i].tied = r.tied(cells[i].label, t.Study.Best(v))
		}
	}
	return cells
}

// rivals are the values that compete for a place of a map.
type rivals struct {
	names  []string
	values []study.Estimate
}

func (r *rivals) add(name string, value study.Estimate) {
	r.names, r.values = append(r.names, name), append(r.values, value)
}

// tied lists the one that has won, and behind it all others that are as good, or with repeats whose intervals overlap that of the best.
func (r *rivals) tied(first string, best question.Best) []string {
	names := []string{first}
	for _, i := range tables.Tied(best, r.values) {
		if r.names[i] != first {
			names = append(names, r.names[i])
		}
	}
	return names
}

// fill draws the cells, and a legend of their colours.
func (c *Chart) fill(t *tables.Table, v *question.View, cells []cell, x, y int) error {
	if len(cells) == 0 {
		return input.Errorf("expected points with "+v.Value, "plot %s: nothing to draw", v.Plot)
	}
	paint, err := c.paints(t, v, cells)
	if err != nil {
		return err
	}
	var labels plotter.XYLabels
	longest := 0
	for _, at := range cells {
		if err := c.addCell(at, paint(at)); err != nil {
			return err
		}
		label := escape.Line(at.text())
		longest = max(longest, utf8.RuneCountInString(label))
		labels.XYs, labels.Labels = append(labels.XYs, plotter.XY{X: float64(at.x), Y: float64(at.y)}), append(labels.Labels, label)
		c.spots = append(c.spots, spot{x: float64(at.x), y: float64(at.y), text: at.described(t), wide: 1, high: 1})
	}
	across, down := c.plotAxis(t, &c.plot.X, x), c.plotAxis(t, &c.plot.Y, y)
	c.nameBelow(t, x)
	room := min(11.5*vg.Centimeter, width-wider*c.widest-besideMap)
	if size := min(11, room/vg.Length(across)/vg.Length(longest)/0.62, 7*vg.Centimeter/vg.Length(down)/1.3); size >= leastFont {
		return c.write(labels, size)
	}
	return nil // the colours and the values under the mouse must do
}

// besideMap is the room beside a map and the names of its legend, in points: for the labels on the left and the colours of the legend.
const besideMap = 115

// leastFont is the smallest size that can be read, in points.
const leastFont = 5

// write writes the labels of the cells.
func (c *Chart) write(labels plotter.XYLabels, size vg.Length) error {
	words, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range words.TextStyle {
		words.TextStyle[i].XAlign, words.TextStyle[i].YAlign = text.XCenter, text.YCenter
		words.TextStyle[i].Font.Variant, words.TextStyle[i].Font.Size = "Sans", size
	}
	c.plot.Add(words)
	return nil
}

// plotAxis labels an axis of a map, and returns the number of its values.
func (c *Chart) plotAxis(t *tables.Table, of *plot.Axis, axis int) int {
	var ticks plot.ConstantTicks
	values := t.Study.Axes[axis].Values
	every := (len(values) + mostLabels - 1) / mostLabels
	for i, choice := range values {
		if i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: offAxis(shortened(&of.Tick.Label, escape.Line(choice.Label)))})
		}
	}
	of.Tick.Marker, of.Min, of.Max = ticks, -0.5, float64(len(values))-0.5
	of.Tick.Length, of.Width = 0, 0
	return len(values)
}

// mostLabels bounds the labels of an axis.
const mostLabels = 16

// shades is how many steps of the colours the legend of a map shows.
const shades = 5

// paints returns the colours of the cells: of names, or of values.
func (c *Chart) paints(t *tables.Table, v *question.View, cells []cell) (func(cell) []color.Color, error) {
	switch {
	case v.Plot == question.Fastest:
		return c.paintKinds(t.Study.Label(v.By), cells)
	case t.IsText(v.Value):
		return c.paintKinds(t.Study.Label(v.Value), cells)
	}
	return c.paintValues(named(t, v.Value), cells)
}

// paintKinds gives cells the colours of their names, and explains the colours in the legend.
func (c *Chart) paintKinds(what string, cells []cell) (func(cell) []color.Color, error) {
	var names []string
	ties := false
	for _, at := range cells {
		names = append(names, at.names()...)
		ties = ties || len(at.tied) > 1
	}
	names = firsts(names)
	places := c.colours.of(names)
	c.heading(what)
	for _, name := range names {
		if err := c.addSwatch(cut(name), study.Shade(places[name])); err != nil {
			return nil, err
		}
	}
	if ties {
		c.addEntry("several colours: a tie")
	}
	return func(at cell) []color.Color {
		var paints []color.Color
		for _, name := range at.names() {
			paints = append(paints, study.Shade(places[name]))
		}
		return paints
	}, nil
}

// mostNamed bounds the names in a legend, in characters.
const mostNamed = 28

// cut leaves out the middle of a long name, since names often differ at the end; the whole of it is under the mouse.
func cut(name string) string {
	if letters := []rune(name); len(letters) > mostNamed {
		return string(letters[:mostNamed/2]) + "…" + string(letters[len(letters)-mostNamed/2+1:])
	}
	return name
}

// extremes are the least and the greatest value of cells.
func extremes(cells []cell) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, at := range cells {
		low, high = min(low, at.value), max(high, at.value)
	}
	return low, high
}

// paintValues gives cells the darker colours the greater their values are, and explains the colours in the legend.
func (c *Chart) paintValues(what string, cells []cell) (func(cell) []color.Color, error) {
	low, high := extremes(cells)
	digits := digitsOfCells(low, high)
	c.heading(what)
	for i := range shades {
		value := high - (high-low)*float64(i)/(shades-1)
		if err := c.addSwatch(rounded(value, digits), shade(value, low, high)); err != nil {
			return nil, err
		}
		if low == high {
			break
		}
	}
	return func(at cell) []color.Color { return []color.Color{shade(at.value, low, high)} }, nil
}

// digitsOfCells returns the digits of the values of a map: values that would have the same text have nearly the same colour.
func digitsOfCells(low, high float64) int {
	const texts = 20 // that differ between the least and the greatest value
	if low == high {
		return fewDigits
	}
	return digitsFor(max(math.Abs(low), math.Abs(high)), (high-low)/texts)
}

// addSwatch explains a colour in the legend.
func (c *Chart) addSwatch(name string, paint color.Color) error {
	swatch, err := plotter.NewPolygon(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	swatch.Color, swatch.LineStyle = paint, draw.LineStyle{}
	c.addEntry(name, swatch)
	return nil
}

// addCell draws a cell, with a band of each of its colours.
func (c *Chart) addCell(at cell, paints []color.Color) error {
	x, y := float64(at.x), float64(at.y)
	wide := 1 / float64(len(paints))
	for i, paint := range paints {
		left := x - 0.5 + float64(i)*wide
		band, err := area(left, left+wide, y)
		if err != nil {
			return err
		}
		band.Color, band.LineStyle = paint, draw.LineStyle{}
		c.plot.Add(band)
	}
	frame, err := area(x-0.5, x+0.5, y)
	if err != nil {
		return err
	}
	frame.LineStyle = draw.LineStyle{Color: color.White, Width: vg.Points(1)}
	c.plot.Add(frame)
	return nil
}

// area is the part of a row of cells between two places.
func area(left, right, y float64) (*plotter.Polygon, error) {
	return plotter.NewPolygon(plotter.XYs{{X: left, Y: y - 0.5}, {X: right, Y: y - 0.5}, {X: right, Y: y + 0.5}, {X: left, Y: y + 0.5}})
}

// shade is the darker the greater a value is.
func shade(value, low, high float64) color.Color {
	part := 0.0
	if high > low {
		part = (value - low) / (high - low)
	}
	mix := func(from, to float64) uint8 { return uint8(from + part*(to-from)) }
	return color.RGBA{mix(0xf3, 0x74), mix(0xf6, 0xa9), mix(0xfa, 0xd0), 0xff}
}
