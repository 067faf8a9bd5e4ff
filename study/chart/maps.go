// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"image/color"
	"math"
	"slices"

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
	x, y  int
	value float64
	label string
	row   *tables.Row
}

// maps draws a value over two axes, or whose value is the least.
func maps(t *tables.Table, v *question.View) ([]*Chart, error) {
	x, y := slices.Index(t.Axes, v.X), slices.Index(t.Axes, v.Y)
	if x < 0 || y < 0 || x == y {
		return nil, input.Errorf("expected two axes as x and y", "plot %s over %s and %s", v.Plot, v.X, v.Y)
	}
	var names []string
	groups := map[string][]*tables.Row{}
	for i := range t.Rows {
		r := &t.Rows[i]
		name := others(t, r, v.X, v.Y, v.By)
		if v.Plot == question.HeatMap {
			name = others(t, r, v.X, v.Y)
		}
		if _, ok := groups[name]; !ok {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r)
	}
	var charts []*Chart
	for _, name := range names {
		what := v.Value
		if v.Plot == question.Fastest {
			what = v.By + " with the least " + v.Value
		}
		if name != "" {
			what += ", " + name
		}
		c := begin(t, v, what)
		if err := c.fill(t, v, cellsOf(t, v, groups[name], x, y), x, y); err != nil {
			return nil, err
		}
		charts = append(charts, c)
	}
	return charts, nil
}

// cellsOf returns the cells of a map: of several rows of a place the one with the least value.
func cellsOf(t *tables.Table, v *question.View, rows []*tables.Row, x, y int) []cell {
	value, by := columnOf(t, v.Value), slices.Index(t.Axes, v.By)
	place := func(axis int, label string) int {
		return slices.IndexFunc(t.Study.Axes[axis].Values, func(c question.Choice) bool { return c.Label == label })
	}
	var cells []cell
	for _, r := range rows {
		at := cell{place(x, r.Labels[x]), place(y, r.Labels[y]), 0, "", r}
		var ok bool
		if at.value, ok = value.value(r); !ok {
			continue
		}
		if at.label = tables.Number(at.value); v.Plot == question.Fastest && by >= 0 {
			at.label = r.Labels[by]
		}
		i := slices.IndexFunc(cells, func(o cell) bool { return o.x == at.x && o.y == at.y })
		switch {
		case i < 0:
			cells = append(cells, at)
		case at.value < cells[i].value:
			cells[i] = at
		}
	}
	return cells
}

// fill draws the cells.
func (c *Chart) fill(t *tables.Table, v *question.View, cells []cell, x, y int) error {
	low, high := math.Inf(1), math.Inf(-1)
	for _, at := range cells {
		low, high = min(low, at.value), max(high, at.value)
	}
	var labels plotter.XYLabels
	kinds := map[string]int{}
	for _, at := range cells {
		paint := shade(at.value, low, high)
		if v.Plot == question.Fastest {
			if _, ok := kinds[at.label]; !ok {
				kinds[at.label] = len(kinds)
			}
			paint = light(study.LineStyle(kinds[at.label] + 1).Color)
		}
		if err := c.addCell(at, paint); err != nil {
			return err
		}
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(at.x), Y: float64(at.y)})
		labels.Labels = append(labels.Labels, escape.Line(at.label))
		c.spots = append(c.spots, spot{float64(at.x), float64(at.y), describe(t, at.row)})
	}
	if len(cells) == 0 {
		return input.Errorf("expected points with "+v.Value, "plot %s: nothing to draw", v.Plot)
	}
	words, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range words.TextStyle {
		words.TextStyle[i].XAlign, words.TextStyle[i].YAlign = text.XCenter, text.YCenter
		words.TextStyle[i].Font.Variant, words.TextStyle[i].Font.Size = "Sans", vg.Points(7)
	}
	c.plot.Add(words)
	for _, axis := range []struct {
		of   *plot.Axis
		axis int
	}{{&c.plot.X, x}, {&c.plot.Y, y}} {
		var ticks plot.ConstantTicks
		for i, choice := range t.Study.Axes[axis.axis].Values {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: escape.Line(choice.Label)})
		}
		axis.of.Tick.Marker, axis.of.Min, axis.of.Max = ticks, -0.5, float64(len(ticks))-0.5
	}
	return nil
}

func (c *Chart) addCell(at cell, paint color.Color) error {
	x, y := float64(at.x), float64(at.y)
	square, err := plotter.NewPolygon(plotter.XYs{{X: x - 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y + 0.5}, {X: x - 0.5, Y: y + 0.5}})
	if err != nil {
		return err
	}
	square.Color, square.LineStyle = paint, draw.LineStyle{Color: color.White, Width: vg.Points(1)}
	c.plot.Add(square)
	return nil
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

// light is a colour on which black text can be read.
func light(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(part uint32) uint8 { return uint8(255 - (255-part>>8)/2) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}
