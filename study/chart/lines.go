// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

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

// mostLines is how many lines a plot has before those of other axes get plots of their own.
const mostLines = 8

// lines draws y over x, or speed-ups over x.
func (g *gallery) lines(t *tables.Table, v *question.View) error {
	list := t.Series(v)
	if v.Plot == question.SpeedUp {
		list = speedUps(list, v.Base, t.Study.Best(v))
	}
	crossovers := t.Crossovers(v)
	return g.apart(v, list, func(list []*tables.Series, group string) (*Chart, error) {
		other := func(c tables.Crossover) bool { return group != "" && c.Group != group }
		return linesOf(t, v, list, slices.DeleteFunc(slices.Clone(crossovers), other), group, g.known)
	})
}

// apart draws the series of a plot in one chart, or, if they are many, those of each group in a chart of their own.
func (g *gallery) apart(v *question.View, list []*tables.Series, draw func(list []*tables.Series, group string) (*Chart, error)) error {
	if v.By == "" || len(list) <= mostLines {
		return g.add(draw(list, ""))
	}
	for len(list) > 0 {
		group := list[0].Group
		other := func(s *tables.Series) bool { return s.Group != group }
		if err := g.add(draw(slices.DeleteFunc(slices.Clone(list), other), group)); err != nil {
			return err
		}
		list = slices.DeleteFunc(slices.Clone(list), func(s *tables.Series) bool { return !other(s) })
	}
	return nil
}

// beginSeries makes the chart of some series, and returns their names and styles. The title says what they share, the group.
func beginSeries(t *tables.Table, v *question.View, what string, list []*tables.Series, group string, known colours) (c *Chart, names []string, styles []int) {
	c = begin(t, v, what, known)
	if group != "" {
		c.Title += ", " + group
		c.plot.Title.Text += escape.Line(", " + group)
	}
	c.heading(t.Study.Label(v.By))
	for _, s := range list {
		name := s.Name()
		if group != "" {
			name = s.By
		}
		names = append(names, name)
	}
	return c, names, known.styles(list)
}

// linesOf draws some lines; group is what they share.
func linesOf(t *tables.Table, v *question.View, list []*tables.Series, crossovers []tables.Crossover, group string, known colours) (*Chart, error) {
	label := t.Study.Label
	what, y := label(v.Y)+" over "+label(v.X), named(t, v.Y)
	switch {
	case v.Plot == question.SpeedUp:
		what, y = "speed-up over "+label(v.By)+" "+v.Base+", in "+label(v.Y), "speed-up"
	case v.Per != "":
		y = label(v.Y) + " / " + label(v.Per)
		what = y + " over " + label(v.X)
	}
	c, names, styles := beginSeries(t, v, what, list, group, known)
	c.labelY(cmp.Or(v.LabelY, y))
	c.grid()
	drawn := make([]plotter.XYs, len(list))
	for i, s := range list {
		s = per(t, v, s)
		c.addSpots(t, s)
		drawn[i] = places(s.At)
		same := slices.IndexFunc(drawn[:i], func(at plotter.XYs) bool { return slices.Equal(at, drawn[i]) })
		name := names[i]
		if same >= 0 && len(drawn[i]) > 0 {
			name += ": as " + names[same]
		}
		for _, part := range s.Runs() {
			if err := c.addLine(name, places(part), styles[i]); err != nil {
				return nil, err
			}
			name = "" // one entry in the legend
		}
		if err := c.addIntervals(s, styles[i], strings.Contains(v.Log, "y")); err != nil {
			return nil, err
		}
		if x, ends := s.End(); ends {
			c.ends = append(c.ends, end{x, styles[i]})
		}
	}
	if err := c.scale(v); err != nil {
		return nil, err
	}
	if err := c.markEnds(); err != nil {
		return nil, err
	}
	c.Crossovers = crossovers
	return c, c.mark()
}

// end is where a line has no value any more, with the style of the line.
type end struct {
	x     float64
	style int
}

// markEnds draws a thin upright line where a line has no value any more, as that of a latency at the first load that is not stable.
func (c *Chart) markEnds() error {
	for i, e := range c.ends {
		line, err := plotter.NewLine(plotter.XYs{{X: e.x, Y: c.plot.Y.Min}, {X: e.x, Y: c.plot.Y.Max}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: study.LineStyle(e.style).Color, Width: vg.Points(0.7), Dashes: []vg.Length{1, 3}, DashOffs: vg.Length(i % 4)}
		c.plot.Add(line)
		if i == 0 {
			c.addEntry("no value from here on", line)
		}
	}
	return nil
}

// per divides a series by the column per, where the plot has one.
func per(t *tables.Table, v *question.View, s *tables.Series) *tables.Series {
	if v.Per == "" || v.Plot != question.Lines {
		return s
	}
	column := t.Column(v.Per)
	out := &tables.Series{Group: s.Group, By: s.By, Without: s.Without}
	for _, at := range s.At {
		if x, ok := column(at.Row); ok && x != 0 {
			out.At = append(out.At, tables.Spot{X: at.X, Y: at.Y / x, Half: at.Half / math.Abs(x), Row: at.Row})
		}
	}
	return out
}

// addIntervals draws the intervals of the points of a line.
func (c *Chart) addIntervals(s *tables.Series, style int, log bool) error {
	list := intervals{log: log}
	for _, at := range s.At {
		list.add(at.X, at)
	}
	c.reached = append(c.reached, list.ends...)
	_, err := c.addWhiskers(list, draw.LineStyle{Color: study.LineStyle(style).Color, Width: vg.Points(0.6)})
	return err
}

// addSpots notes the points of a series.
func (c *Chart) addSpots(t *tables.Table, s *tables.Series) {
	for _, at := range s.At {
		c.spots = append(c.spots, spot{x: at.X, y: at.Y, text: describe(t, at.Row)})
	}
}

// places are some points of a series.
func places(spots []tables.Spot) plotter.XYs {
	at := make(plotter.XYs, len(spots))
	for i, spot := range spots {
		at[i] = plotter.XY{X: spot.X, Y: spot.Y}
	}
	return at
}

// mark draws an upright line at each crossover, and its place above it; of close ones in turn at the foot.
func (c *Chart) mark() error {
	top, last := true, math.Inf(-1)
	for _, cross := range c.Crossovers {
		line, err := plotter.NewLine(plotter.XYs{{X: cross.X, Y: c.plot.Y.Min}, {X: cross.X, Y: c.plot.Y.Max}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}
		at := c.plot.X.Scale.Normalize(c.plot.X.Min, c.plot.X.Max, cross.X)
		top = !top || at-last > 3*leastApart
		last = at
		words, err := c.number(cross.X, top)
		if err != nil {
			return err
		}
		c.plot.Add(line, words)
		c.spots = append(c.spots, spot{x: cross.X, y: c.plot.Y.Max, text: "crossover at " + tables.Number(cross.X) + " " + cross.String()})
	}
	return nil
}

// number writes the place of a crossover above its line, or at the foot beside it.
func (c *Chart) number(x float64, top bool) (*plotter.Labels, error) {
	at := plotter.XY{X: x, Y: c.plot.Y.Max}
	if !top {
		at.Y = c.plot.Y.Min
	}
	words, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{short(x)}})
	if err != nil {
		return nil, err
	}
	style := &words.TextStyle[0]
	style.Font.Variant, style.Font.Size = "Sans", 9
	style.XAlign, style.YAlign = text.XCenter, text.YBottom
	if !top {
		style.XAlign, words.Offset = text.XLeft, vg.Point{X: 2, Y: 1}
	}
	return words, nil
}

// speedUps divides the base's values by those of every other series of its group; the other way round where most is best.
func speedUps(list []*tables.Series, base string, best question.Best) []*tables.Series {
	var out []*tables.Series
	for _, s := range list {
		i := slices.IndexFunc(list, func(o *tables.Series) bool { return o.By == base && o.Group == s.Group })
		if i < 0 || s.By == base {
			continue
		}
		quick := &tables.Series{Group: s.Group, By: s.By}
		for _, at := range s.At {
			for _, of := range list[i].At {
				above, below := of.Y, at.Y
				if best == question.Most {
					above, below = below, above
				}
				if of.X == at.X && below != 0 {
					quick.At = append(quick.At, tables.Spot{X: at.X, Y: above / below, Row: at.Row})
				}
			}
		}
		if len(quick.At) > 0 {
			out = append(out, quick)
		}
	}
	return out
}

// pareto draws all points, and joins those that no other beats in both columns.
func pareto(t *tables.Table, v *question.View, known colours) (*Chart, error) {
	c := begin(t, v, t.Study.Label(v.Y)+" against "+t.Study.Label(v.X)+", the Pareto front joined", known)
	c.grid()
	list := t.Series(v)
	c.heading(t.Study.Label(v.By))
	var all plotter.XYs
	var names []string
	for _, s := range list {
		names = append(names, s.By)
	}
	styles := known.of(names)
	for i, s := range list {
		points, err := plotter.NewScatter(places(s.At))
		if err != nil {
			return nil, err
		}
		points.GlyphStyle = glyph(styles[s.By])
		points.Radius = vg.Points(3.5)
		c.plot.Add(points)
		if s.By != "" && slices.Index(names, s.By) == i {
			c.addEntry(s.By, points)
		}
		c.addSpots(t, s)
		all = append(all, places(s.At)...)
	}
	if err := c.scale(v); err != nil {
		return nil, err
	}
	line, err := plotter.NewLine(front(all, t.Study.BestX(v), t.Study.Best(v)))
	if err != nil {
		return nil, input.Errorf("", "plot %s: %v", v.Plot, err)
	}
	line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}
	c.plot.Add(line)
	return c, nil
}

// front returns the points that no other beats, from the best x on.
func front(all plotter.XYs, x, y question.Best) plotter.XYs {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b plotter.XY) int { return cmp.Or(order(x, a.X, b.X), order(y, a.Y, b.Y)) })
	var best plotter.XYs
	for _, at := range sorted {
		if len(best) == 0 || y.Better(at.Y, best[len(best)-1].Y) {
			best = append(best, at)
		}
	}
	return best
}

// order compares two figures: the better one comes first.
func order(best question.Best, a, b float64) int {
	if best == question.Most {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}
