// SPDX-License-Identifier: Apache-2.0

package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meshwright/internal/input"
	"meshwright/study/point"
)

// Plot is a kind of plot.
type Plot string

// The plots.
const (
	Lines   Plot = "lines"   // y over x, a line for each value of by; crossovers are marked
	Bars    Plot = "bars"    // y over the values of an axis, a bar for each value of by
	SpeedUp Plot = "speedup" // y of one value of by divided by y of each other
	HeatMap Plot = "map"     // value over two axes
	Fastest Plot = "fastest" // which value of by has the best value, over two axes
	Pareto  Plot = "pareto"  // y over x as points; those that no other beats in both are joined
	Cross   Plot = "table"   // value over two axes, as a table of the report
)

// plots lists the plots.
func plots() []string {
	return []string{string(Lines), string(Bars), string(SpeedUp), string(HeatMap), string(Fastest), string(Pareto), string(Cross)}
}

// Best says which of several figures is the best one.
type Best string

// The best figures.
const (
	Least Best = "least"
	Most  Best = "most"
)

// Better reports whether a figure is better than another one.
func (b Best) Better(x, than float64) bool {
	if b == Most {
		return x > than
	}
	return x < than
}

// View is a plot of the report.
type View struct {
	Plot                                   Plot
	Title, X, Y, Per, By, Value, Log, Base string
	Best                                   Best   // of y, or of value; "": as the measure says, see Study.Best
	BestX                                  Best   // of x in Pareto
	LabelX, LabelY                         string // of the axes of the picture; "": names and units

	at func(key string, err error) error // gives an error the place of the key's value in the file
}

// viewKeys are the keys of a view.
func viewKeys() []string {
	return []string{"plot", "title", "x", "y", "per", "by", "value", "log", "base", bestKey, bestXKey, "x-label", "y-label"}
}

const (
	bestKey  = "best"
	bestXKey = "best-x"
)

// readViews reads the section report.
func (r *reader) readViews(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return r.at(n, "expected a list of plots such as {plot: lines, x: length, y: cycles}", "not a list")
	}
	for _, c := range n.Content {
		v, err := r.view(c)
		if err != nil {
			return err
		}
		r.study.Views = append(r.study.Views, v)
	}
	return nil
}

func (r *reader) view(n *yaml.Node) (View, error) {
	v := View{}
	settings, err := r.settings(n, viewKeys())
	if err != nil {
		return v, err
	}
	v.at = func(key string, err error) error { return r.locate(child(n, key), err) }
	for i, s := range settings {
		at := n.Content[2*i+1]
		switch s.Key {
		case "plot":
			v.Plot = Plot(s.Value)
			if !slices.Contains(plots(), s.Value) {
				return v, r.at(at, input.Suggest(s.Value, plots()), "unknown plot %q", input.Clip(s.Value))
			}
		case "title":
			v.Title = s.Value
		case "x-label":
			v.LabelX = s.Value
		case "y-label":
			v.LabelY = s.Value
		case "log":
			v.Log = s.Value
			if !slices.Contains([]string{"x", "y", "xy"}, s.Value) {
				return v, r.at(at, "expected x, y or xy", "log: %q", input.Clip(s.Value))
			}
		case "base":
			v.Base = s.Value
		case bestKey, bestXKey:
			if s.Value != string(Least) && s.Value != string(Most) {
				return v, r.at(at, "expected least or most", "%s: %q", s.Key, input.Clip(s.Value))
			}
			*map[string]*Best{bestKey: &v.Best, bestXKey: &v.BestX}[s.Key] = Best(s.Value)
		default:
			if columns := r.columns(); !slices.Contains(columns, s.Value) {
				if value, is := r.study.Shared()[s.Value]; is {
					return v, r.at(at, fmt.Sprintf("expected an axis: axes may have %s: [%s]", s.Value, input.Clip(value)), "column %q has one value, that of set", s.Value)
				}
				return v, r.at(at, input.Suggest(s.Value, columns), "unknown column %q", input.Clip(s.Value))
			}
			if r.texts(s.Value) && s.Key != "value" {
				return v, r.at(at, "expected it as value of a map or a table", "%s: %q has texts", s.Key, s.Value)
			}
			*map[string]*string{"x": &v.X, "y": &v.Y, "per": &v.Per, "by": &v.By, "value": &v.Value}[s.Key] = s.Value
		}
	}
	return v, r.complete(n, &v)
}

// columns are the axes and measures.
func (r *reader) columns() []string {
	var names []string
	for _, a := range r.study.Axes {
		names = append(names, a.Name)
	}
	for _, m := range r.study.Measures {
		names = append(names, m.Name)
	}
	return names
}

// texts reports whether a column is a measure of texts.
func (r *reader) texts(column string) bool {
	return slices.ContainsFunc(r.study.Measures, func(m Measure) bool { return m.Name == column && m.Text })
}

// Best says which figure of y, or of value, is the best in a plot: the one that the plot names, or else that of the measure. Of formulas
// and axes it is the least.
func (s *Study) Best(v *View) Best {
	column := v.Y
	if overAxes(v.Plot) {
		column = v.Value
	}
	return cmp.Or(v.Best, s.bestOf(column))
}

// overAxes reports whether a plot shows a value over two axes.
func overAxes(p Plot) bool { return p == HeatMap || p == Fastest || p == Cross }

// BestX says which figure of x is the best in a Pareto plot.
func (s *Study) BestX(v *View) Best { return cmp.Or(v.BestX, s.bestOf(v.X)) }

func (s *Study) bestOf(column string) Best {
	if m, ok := s.measured(column); ok && m.Most {
		return Most
	}
	return Least
}

// Crosses reports whether crossovers of a plot mean something: those of measures that follow the load would be chance, and only the
// plot can say which value of a formula is the best.
func (s *Study) Crosses(v *View) bool {
	m, ok := s.measured(v.Y)
	return v.Best != "" || ok && !m.Chance
}

// Unit returns the unit of a column, of an axis that of the key whose values it has; "" if it has none, or as a formula.
func (s *Study) Unit(column string) string {
	if m, ok := s.measured(column); ok {
		return m.Unit
	}
	key := s.keyOf(column)
	for _, k := range point.Keys() {
		if k.Name == key {
			return k.Unit
		}
	}
	return ""
}

// measured returns the measure of a column; ok is false of an axis or a formula.
func (s *Study) measured(column string) (m point.Measure, ok bool) {
	for _, of := range s.Measures {
		if of.Name == column && of.Formula == nil {
			m, err := point.MeasureOf(column)
			return m, err == nil
		}
	}
	return point.Measure{}, false
}

// checkViews refuses plots that have nothing to draw, whatever is measured.
func (s *Study) checkViews() error {
	for i := range s.Views {
		v := &s.Views[i]
		if v.Plot != Lines && v.Plot != SpeedUp && v.Plot != Pareto {
			continue
		}
		for _, c := range []struct{ key, column string }{{"x", v.X}, {"y", v.Y}, {"per", v.Per}} {
			if label, ok := s.wordOf(c.column); ok {
				want := "expected an axis of numbers, or a measure"
				if v.Plot == Lines && c.key == "x" {
					want += "; plot bars takes names"
				}
				return v.at(c.key, input.Errorf(want, "%s: the value %q of %s is no number", c.key, input.Clip(label), c.column))
			}
		}
		if labels := s.labels(v.By); v.Plot == SpeedUp && !slices.Contains(labels, v.Base) {
			return v.at("base", input.Errorf("expected "+someOf(labels), "base: %q is no value of %s", input.Clip(v.Base), v.By))
		}
	}
	return nil
}

// mostListed bounds the values of an axis that an error lists.
const mostListed = 10

// someOf lists the values of an axis, of many the first ones.
func someOf(labels []string) string {
	if len(labels) > mostListed {
		return strings.Join(labels[:mostListed], ", ") + ", …"
	}
	return input.Or(labels)
}

// wordOf returns the first value of an axis that is no number; ok is false if there is none, or no such axis.
func (s *Study) wordOf(axis string) (label string, ok bool) {
	for _, label := range s.labels(axis) {
		if _, ok := s.Number(axis, label); !ok {
			return label, true
		}
	}
	return "", false
}

// labels lists the values of an axis.
func (s *Study) labels(axis string) []string {
	var list []string
	for _, a := range s.Axes {
		if a.Name != axis {
			continue
		}
		for _, c := range a.Values {
			list = append(list, c.Label)
		}
	}
	return list
}

// complete demands the columns that a plot needs.
func (r *reader) complete(n *yaml.Node, v *View) error {
	needs := map[Plot][]string{Lines: {"x", "y"}, Bars: {"x", "y"}, SpeedUp: {"x", "y", "by", "base"}, HeatMap: {"x", "y", "value"}, Fastest: {"x", "y", "by", "value"}, Pareto: {"x", "y"}, Cross: {"x", "y", "value"}}
	if v.Plot == "" {
		return r.at(n, "expected plot: "+input.Or(plots()), "no plot")
	}
	has := map[string]string{"x": v.X, "y": v.Y, "by": v.By, "value": v.Value, "base": v.Base}
	for _, key := range needs[v.Plot] {
		if has[key] == "" {
			return r.at(n, "expected "+key, "plot %s without %s", v.Plot, key)
		}
	}
	if r.texts(v.Value) && v.Plot == Fastest {
		return r.at(n, "expected numbers, or plot: map", "plot %s of %s, which has texts", v.Plot, v.Value)
	}
	if v.Plot == Bars {
		return r.completeBars(n, v)
	}
	if v.Plot == Cross && v.LabelX+v.LabelY != "" {
		return r.at(n, "expected a picture, such as lines", "plot %s has no labels of axes", v.Plot)
	}
	if v.BestX != "" && v.Plot != Pareto || v.Best != "" && (v.Plot == HeatMap || r.texts(v.Value)) {
		return r.at(n, "expected best with lines, speedup, fastest, pareto or a table of numbers, and best-x with pareto", "plot %s shows no best %s", v.Plot, cmp.Or(v.Value, v.X))
	}
	if overAxes(v.Plot) && (v.X == v.Y || !r.isAxis(v.X) || !r.isAxis(v.Y)) {
		return r.at(n, "expected two axes as x and y", "plot %s over %s and %s", v.Plot, v.X, v.Y)
	}
	if v.By != "" && !r.isAxis(v.By) {
		return r.at(n, "expected an axis", "plot %s by %s", v.Plot, v.By)
	}
	if v.Plot == Fastest && (v.By == v.X || v.By == v.Y) {
		return r.at(child(n, "by"), "expected an axis other than x and y", "plot %s by %s", v.Plot, v.By)
	}
	return nil
}

// completeBars demands an axis below the bars and a measure as their height. Bars stand on 0, so they have no logarithmic axis.
func (r *reader) completeBars(n *yaml.Node, v *View) error {
	keys := []string{"plot", "title", "x", "y", "by", "x-label", "y-label"}
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(keys, key.Value) {
			return r.at(key, "expected "+input.Or(keys), "plot %s takes no %s", v.Plot, key.Value)
		}
	}
	switch {
	case !r.isAxis(v.X):
		return r.at(child(n, "x"), "expected an axis", "plot %s over %s", v.Plot, v.X)
	case r.isAxis(v.Y):
		return r.at(child(n, "y"), "expected a measure", "plot %s of %s", v.Plot, v.Y)
	case v.By != "" && (v.By == v.X || !r.isAxis(v.By)):
		return r.at(child(n, "by"), "expected an axis other than x", "plot %s by %s", v.Plot, v.By)
	}
	return nil
}

// isAxis reports whether a column is an axis.
func (r *reader) isAxis(column string) bool {
	return slices.ContainsFunc(r.study.Axes, func(a Axis) bool { return a.Name == column })
}
