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

	"meshwright/internal/input"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// series is a line: its name is the value of by, and the group that it competes in.
type series struct {
	group, by string
	at        plotter.XYs
	rows      []*tables.Row
}

// name is the series in the legend.
func (s *series) name() string {
	if s.by == "" || s.group == "" {
		return s.by + s.group
	}
	return s.by + ", " + s.group
}

// seriesOf sorts the rows into lines; the points of each rise.
func seriesOf(t *tables.Table, v *question.View) []*series {
	x, y, by := columnOf(t, v.X), columnOf(t, v.Y), slices.Index(t.Axes, v.By)
	var list []*series
	index := map[[2]string]*series{}
	for i := range t.Rows {
		r := &t.Rows[i]
		at, ok := x.value(r)
		value, has := y.value(r)
		if !ok || !has {
			continue
		}
		key := [2]string{others(t, r, v.X, v.By)}
		if by >= 0 {
			key[1] = r.Labels[by]
		}
		s := index[key]
		if s == nil {
			s = &series{group: key[0], by: key[1]}
			index[key], list = s, append(list, s)
		}
		s.at, s.rows = append(s.at, plotter.XY{X: at, Y: value}), append(s.rows, r)
	}
	for _, s := range list {
		s.sort()
	}
	return list
}

func (s *series) sort() {
	order := make([]int, len(s.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.at[a].X, s.at[b].X) })
	at, rows := make(plotter.XYs, len(order)), make([]*tables.Row, len(order))
	for i, from := range order {
		at[i], rows[i] = s.at[from], s.rows[from]
	}
	s.at, s.rows = at, rows
}

// lines draws y over x, or speed-ups over x.
func lines(t *tables.Table, v *question.View) (*Chart, error) {
	list := seriesOf(t, v)
	what := v.Y + " over " + v.X
	if v.Plot == question.SpeedUp {
		what = "speed-up over " + v.By + " " + v.Base + ", in " + v.Y
		list = speedUps(list, v.Base)
	}
	c := begin(t, v, what)
	c.grid()
	c.heading(v.By)
	for i, s := range list {
		for k, at := range s.at {
			c.spots = append(c.spots, spot{at.X, at.Y, describe(t, s.rows[k])})
		}
		if err := c.addLine(s.name(), s.at, i); err != nil {
			return nil, err
		}
	}
	if err := c.scale(v); err != nil {
		return nil, err
	}
	if v.Plot == question.SpeedUp {
		c.plot.Y.Label.Text = "speed-up"
		return c, nil
	}
	if v.By != "" && !strings.Contains(v.Y, "accepted") {
		c.Crossovers = crossovers(list)
	}
	return c, c.mark()
}

// mark draws an upright line at each crossover.
func (c *Chart) mark() error {
	for _, cross := range c.Crossovers {
		line, err := plotter.NewLine(plotter.XYs{{X: cross.X, Y: c.plot.Y.Min}, {X: cross.X, Y: c.plot.Y.Max}})
		if err != nil {
			return err
		}
		line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}
		words, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: cross.X, Y: c.plot.Y.Max}}, Labels: []string{short(cross.X)}})
		if err != nil {
			return err
		}
		words.TextStyle[0].Font.Variant, words.TextStyle[0].Font.Size = "Sans", 9
		words.TextStyle[0].XAlign, words.TextStyle[0].YAlign = text.XCenter, text.YBottom
		c.plot.Add(line, words)
		c.spots = append(c.spots, spot{cross.X, c.plot.Y.Max, "crossover at " + tables.Number(cross.X) + " from " + cross.From + " to " + cross.To})
	}
	return nil
}

// speedUps divides the base's values by those of every other series of its group.
func speedUps(list []*series, base string) []*series {
	var out []*series
	for _, s := range list {
		i := slices.IndexFunc(list, func(o *series) bool { return o.by == base && o.group == s.group })
		if i < 0 || s.by == base {
			continue
		}
		quick := &series{group: s.group, by: s.by}
		for k, at := range s.at {
			for _, slow := range list[i].at {
				if slow.X == at.X && at.Y != 0 {
					quick.at, quick.rows = append(quick.at, plotter.XY{X: at.X, Y: slow.Y / at.Y}), append(quick.rows, s.rows[k])
				}
			}
		}
		if len(quick.at) > 0 {
			out = append(out, quick)
		}
	}
	return out
}

// crossovers finds, group by group, where the series with the least value changes: where straight lines between two
// neighbouring points meet. Times are straight lines over lengths, also where the axes of the plot are logarithmic.
func crossovers(list []*series) []Crossover {
	var found []Crossover
	done := map[string]bool{}
	for _, first := range list {
		if done[first.group] {
			continue
		}
		done[first.group] = true
		var group []*series
		for _, s := range list {
			if s.group == first.group {
				group = append(group, s)
			}
		}
		found = append(found, within(group)...)
	}
	return found
}

// within finds the crossovers of a group whose series have the same places.
func within(group []*series) []Crossover {
	var found []Crossover
	leader := func(x float64) *series {
		var best *series
		least := math.Inf(1)
		for _, s := range group {
			if y, ok := s.valueAt(x); ok && y < least {
				best, least = s, y
			}
		}
		return best
	}
	var places []float64
	for _, s := range group {
		for _, at := range s.at {
			places = append(places, at.X)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	for i := 1; i < len(places); i++ {
		from, to := leader(places[i-1]), leader(places[i])
		if from == to {
			continue
		}
		a0, ok0 := from.valueAt(places[i-1])
		b0, ok1 := to.valueAt(places[i-1])
		a1, ok2 := from.valueAt(places[i])
		b1, ok3 := to.valueAt(places[i])
		if ok0 && ok1 && ok2 && ok3 {
			x := meet(places[i-1], places[i], [2]float64{a0, a1}, [2]float64{b0, b1})
			found = append(found, Crossover{from.name(), to.name(), x})
		}
	}
	return found
}

// valueAt returns the value at a place at which the series has a point.
func (s *series) valueAt(x float64) (float64, bool) {
	i, ok := slices.BinarySearchFunc(s.at, x, func(at plotter.XY, x float64) int { return cmp.Compare(at.X, x) })
	if !ok {
		return 0, false
	}
	return s.at[i].Y, true
}

// meet returns where two lines meet between two places.
func meet(left, right float64, a, b [2]float64) float64 {
	before, behind := b[0]-a[0], a[1]-b[1] // both are at least 0
	part := 0.5
	if before+behind > 0 {
		part = before / (before + behind)
	}
	return left + part*(right-left)
}

// pareto draws all points, and joins those that no other beats in both columns.
func pareto(t *tables.Table, v *question.View) (*Chart, error) {
	c := begin(t, v, v.Y+" against "+v.X+", the Pareto front joined")
	c.grid()
	list := seriesOf(t, &question.View{Plot: v.Plot, X: v.X, Y: v.Y, By: v.By})
	c.heading(v.By)
	var all plotter.XYs
	names := map[string]int{}
	for _, s := range list {
		i, known := names[s.by]
		if !known {
			i = len(names)
			names[s.by] = i
		}
		points, err := plotter.NewScatter(s.at)
		if err != nil {
			return nil, err
		}
		points.GlyphStyle = glyph(i)
		points.Radius = vg.Points(3.5)
		c.plot.Add(points)
		if s.by != "" && !known {
			c.addEntry(s.by, points)
		}
		for k, at := range s.at {
			c.spots = append(c.spots, spot{at.X, at.Y, describe(t, s.rows[k])})
		}
		all = append(all, s.at...)
	}
	if err := c.scale(v); err != nil {
		return nil, err
	}
	line, err := plotter.NewLine(front(all))
	if err != nil {
		return nil, input.Errorf("", "plot %s: %v", v.Plot, err)
	}
	line.LineStyle = draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{3, 3}}
	c.plot.Add(line)
	return c, nil
}

// front returns the points that no other beats, by rising x.
func front(all plotter.XYs) plotter.XYs {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b plotter.XY) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	var best plotter.XYs
	for _, at := range sorted {
		if len(best) == 0 || at.Y < best[len(best)-1].Y {
			best = append(best, at)
		}
	}
	return best
}
