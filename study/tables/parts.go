// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"math"
	"slices"
	"strings"

	"meshwright/study"
	"meshwright/study/point"
	"meshwright/study/question"
)

// Part is a table of a report.
type Part struct {
	Title  string
	Header []string
	Rows   [][]string
	Texts  []bool // of the columns: it has texts
}

// Parts are the tables of a report: those that the study asks for, with the points that have no figures, or else all points;
// then the crossovers of its plots.
func (t *Table) Parts() []Part {
	var parts []Part
	for i := range t.Study.Views {
		if v := &t.Study.Views[i]; v.Plot == question.Cross {
			parts = append(parts, t.cross(v)...)
		}
	}
	if parts == nil {
		parts = append(parts, t.Points())
	} else if t.failed() {
		parts = append(parts, t.failures())
	}
	shown := map[string]bool{}
	for i := range t.Study.Views {
		v := &t.Study.Views[i]
		crossovers := t.Crossovers(v)
		title := "crossovers of " + t.label(v.Y)
		if v.Best != "" {
			title += ", the " + string(v.Best) + " is the best"
		}
		plot := v.Y + " over " + v.X + " by " + v.By + ", " + string(v.Best)
		if len(crossovers) == 0 || shown[plot] {
			continue
		}
		shown[plot] = true
		p := Part{title, []string{"where", "from", "to", t.label(v.X)}, nil, []bool{true, true, true, false}}
		for _, c := range crossovers {
			p.Rows = append(p.Rows, []string{c.Group, c.From, c.To, Number(round(c.X))})
		}
		if crossovers[0].Group == "" {
			p.Header, p.Texts = p.Header[1:], p.Texts[1:]
			for i := range p.Rows {
				p.Rows[i] = p.Rows[i][1:]
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// Points is the table of all points.
func (t *Table) Points() Part {
	header, rows := t.Cells()
	return Part{t.Title(), header, rows, t.textColumns(len(header))}
}

// failures is the table of the points without figures.
func (t *Table) failures() Part {
	p := Part{Title: "points without figures", Header: append(t.labels(t.Axes), question.ErrorColumn), Texts: slices.Repeat([]bool{true}, len(t.Axes)+1)}
	for i := range t.Rows {
		if trouble := t.Rows[i].trouble(); trouble != "" {
			p.Rows = append(p.Rows, append(slices.Clone(t.Rows[i].Labels), trouble))
		}
	}
	return p
}

// textColumns says which columns of the points have texts: axes, some measures, and errors.
func (t *Table) textColumns(columns int) []bool {
	texts := make([]bool, columns)
	for i := range texts {
		measure := i - len(t.Axes)
		texts[i] = measure < 0 || measure >= len(t.Measures) || t.textual(measure) || t.truth(measure)
	}
	return texts
}

// round leaves four digits, or the whole number: places between points are no more exact.
func round(x float64) float64 {
	if math.Abs(x) >= 1000 {
		return math.Round(x)
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// cross makes the tables of a value over two axes: one for each choice of values of the other axes. Its corner names the axes. The last column says
// which has the best value, unless the values are texts.
func (t *Table) cross(v *question.View) []Part {
	x, y := slices.Index(t.Axes, v.X), slices.Index(t.Axes, v.Y)
	names, groups := t.groups(v.X, v.Y)
	textual, words := t.IsText(v.Value), t.Words(v.Value)
	var parts []Part
	for _, name := range names {
		title := v.Title
		if title == "" {
			title = t.label(v.Value)
		}
		if name != "" {
			title += ", " + name
		}
		p := Part{Title: title, Header: []string{t.label(v.Y) + ` \ ` + t.label(v.X)}, Texts: []bool{true}}
		for _, c := range t.Study.Axes[x].Values {
			p.Header, p.Texts = append(p.Header, c.Label), append(p.Texts, words)
		}
		if !textual {
			p.Header, p.Texts = append(p.Header, string(t.Study.Best(v))), append(p.Texts, true)
		}
		for _, c := range t.Study.Axes[y].Values {
			var rows []*Row
			for _, r := range groups[name] {
				if r.Labels[y] == c.Label {
					rows = append(rows, r)
				}
			}
			if textual {
				p.Rows = append(p.Rows, t.crossTexts(v, c.Label, x, rows))
			} else {
				p.Rows = append(p.Rows, t.crossRow(v, c.Label, x, rows))
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// groups sorts the rows by the axes other than some.
func (t *Table) groups(without ...string) (names []string, groups map[string][]*Row) {
	groups = map[string][]*Row{}
	for i := range t.Rows {
		r := &t.Rows[i]
		name := t.Others(r, without...)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], r)
	}
	return names, groups
}

// crossRow is a row of such a table. A time that is predicted has a star. All that have the best value are named, and with repeats all whose intervals overlap
// that of the best: which of these is the best is chance.
func (t *Table) crossRow(v *question.View, label string, x int, rows []*Row) []string {
	estimate, measure := t.Estimates(v.Value), slices.Index(t.Measures, v.Value)
	cells := []string{label}
	var names []string
	var values []study.Estimate
	for _, c := range t.Study.Axes[x].Values {
		i := slices.IndexFunc(rows, func(r *Row) bool { return r.Labels[x] == c.Label })
		if i < 0 {
			cells = append(cells, "")
			continue
		}
		value, ok := estimate(rows[i])
		if !ok {
			cells = append(cells, "")
			continue
		}
		cell := Number(value.Mean)
		if measure >= 0 {
			cell = t.Show(measure, &rows[i].Values[measure])
		}
		if m := slices.Index(t.Measures, point.Simulated); m >= 0 && rows[i].Values[m].Mean == 0 {
			cell += "*"
		}
		cells, names, values = append(cells, cell), append(names, c.Label), append(values, value)
	}
	var best []string
	for _, i := range Tied(t.Study.Best(v), values) {
		best = append(best, names[i])
	}
	return append(cells, strings.Join(best, ", "))
}

// Tied returns the places of the best of some estimates, and of all whose intervals overlap that of the best one, in their order.
func Tied(best question.Best, values []study.Estimate) (places []int) {
	if len(values) == 0 {
		return nil
	}
	first := 0
	for i := range values {
		if best.Better(values[i].Mean, values[first].Mean) {
			first = i
		}
	}
	for i := range values {
		if values[i].Overlaps(values[first]) {
			places = append(places, i)
		}
	}
	return places
}

// crossTexts is a row of texts.
func (t *Table) crossTexts(v *question.View, label string, x int, rows []*Row) []string {
	cells := []string{label}
	for _, c := range t.Study.Axes[x].Values {
		cell := ""
		if i := slices.IndexFunc(rows, func(r *Row) bool { return r.Labels[x] == c.Label }); i >= 0 {
			cell = t.Text(rows[i], v.Value)
		}
		cells = append(cells, cell)
	}
	return cells
}
