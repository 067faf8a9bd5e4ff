// SPDX-License-Identifier: Apache-2.0

// Package tables shows the results of studies: as tables, plots and a page.
package tables

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"meshwright/study"
	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/store"
)

// Table has the results of a study: a row for each choice of values of the axes.
type Table struct {
	Study    *question.Study
	Axes     []string
	Measures []string
	Rows     []Row
	Version  string            // of the program that swept the study; "": unknown
	Machines map[string]string // texts of machine files, by their names; nil: unknown
}

// Row is the result of a point, of all its repeats together.
type Row struct {
	Labels   []string
	Values   []Value        // of the measures
	Error    string         // of the first repeat that failed
	Missing  int            // repeats that have not been run
	Settings point.Settings // of the first repeat
}

// Value is a measure of a point: an estimate, whose mean is NaN where there is none, or a text.
type Value struct {
	study.Estimate
	Text string // of repeats that differ, all of them
}

// String writes the value without its interval; "" where there is none.
func (v *Value) String() string { return v.Text + Number(v.Mean) }

// truth reports whether a measure is 1 or 0, for yes and no.
func (t *Table) truth(measure int) bool {
	return t.Study != nil && measure < len(t.Study.Measures) && t.Study.Measures[measure].Truth
}

// textual reports whether a measure is a text.
func (t *Table) textual(measure int) bool {
	return t.Study != nil && measure < len(t.Study.Measures) && t.Study.Measures[measure].Text
}

// estimated reports whether a measure has an interval.
func (t *Table) estimated(measure int) bool { return t.Study.Repeats > 1 && !t.textual(measure) }

// IsText reports whether a column is a measure of texts.
func (t *Table) IsText(column string) bool {
	i := slices.Index(t.Measures, column)
	return i >= 0 && t.textual(i)
}

// Words reports whether tables show a measure as words: texts, or yes and no.
func (t *Table) Words(column string) bool {
	i := slices.Index(t.Measures, column)
	return i >= 0 && (t.textual(i) || t.truth(i))
}

// none is the value of a point that a measure does not have.
func none() Value { return Value{Estimate: study.Estimate{Mean: math.NaN(), Half: math.NaN()}} }

// NewValue returns the value of some repeats.
func NewValue(figures []point.Figure) Value {
	v := none()
	var numbers []float64
	var texts []string
	for _, f := range figures {
		if f.Text == "" {
			numbers = append(numbers, f.Number)
		} else if !slices.Contains(texts, f.Text) {
			texts = append(texts, f.Text)
		}
	}
	if texts == nil {
		v.Estimate = study.NewEstimate(numbers)
	}
	v.Text = strings.Join(texts, " or ")
	return v
}

// Open reads the results of a study of a store.
func Open(ctx context.Context, s *store.Store, one *store.Study) (*Table, error) {
	q, err := question.Parse(one.File, []byte(one.Text), one.Parameters)
	if err != nil {
		return nil, err
	}
	t, err := Of(ctx, q, s)
	if err != nil {
		return nil, err
	}
	t.Version, t.Machines = one.Version, one.Machines
	return t, nil
}

// Of returns the table of a study whose results are in a store.
func Of(ctx context.Context, q *question.Study, s *store.Store) (*Table, error) {
	t := &Table{Study: q}
	for _, a := range q.Axes {
		t.Axes = append(t.Axes, a.Name)
	}
	for _, m := range q.Measures {
		t.Measures = append(t.Measures, m.Name)
	}
	results, err := s.Rows(ctx, q.Name)
	if err != nil {
		return nil, err
	}
	var samples [][]point.Figure // of the row at the end, by measure
	place := 0
	for p, err := range q.Points() {
		if err != nil {
			return nil, err
		}
		if p.Repeat == 0 || len(t.Rows) == 0 {
			t.estimate(samples)
			samples = make([][]point.Figure, len(q.Measures))
			t.Rows = append(t.Rows, Row{Labels: p.Labels, Settings: p.Settings})
		}
		r := &t.Rows[len(t.Rows)-1]
		result, ok := results[place]
		place++
		switch {
		case !ok:
			r.Missing++
			continue
		case result.Error != "":
			if r.Error == "" {
				r.Error = result.Error
			}
			continue
		}
		values, has, err := q.Values(&p, result.Figures)
		if err != nil {
			return nil, err
		}
		for i := range values {
			if has[i] {
				samples[i] = append(samples[i], values[i])
			}
		}
	}
	t.estimate(samples)
	return t, nil
}

// estimate completes the last row. A number that not every repeat has is left out: the others are the lucky ones.
func (t *Table) estimate(samples [][]point.Figure) {
	if len(t.Rows) == 0 {
		return
	}
	r := &t.Rows[len(t.Rows)-1]
	for m, values := range samples {
		if len(values) < t.Study.Repeats && !(t.textual(m) && len(values) > 0) {
			r.Values = append(r.Values, none())
			continue
		}
		r.Values = append(r.Values, NewValue(values))
	}
}

// Number writes a figure with up to six digits, and whole numbers with all of theirs.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// Title is the study's name, and its question.
func (t *Table) Title() string {
	if t.Study.About == "" {
		return t.Study.Name
	}
	return t.Study.Name + ": " + t.Study.About
}

// Heading names the study, what all its points share, and the first table of a report, if that has a title of its own: a line each.
func (t *Table) Heading(first string) []string {
	lines := []string{t.Title()}
	if given := t.Given(); given != "" {
		lines = append(lines, given)
	}
	if first != t.Title() {
		lines = append(lines, first)
	}
	return lines
}

// Given says which values the parameters have, and what all points share; "" if there is neither.
func (t *Table) Given() string {
	var parts []string
	for _, part := range []struct {
		what   string
		values map[string]string
	}{{"parameters", t.Study.Parameters}, {"set", t.Study.Shared()}} {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(part.values)) {
			list = append(list, name+" "+part.values[name])
		}
		if list != nil {
			parts = append(parts, part.what+": "+strings.Join(list, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// trouble says why a row has no figures; "" if it has.
func (r *Row) trouble() string {
	if r.Error == "" && r.Missing > 0 {
		return "not run yet"
	}
	return r.Error
}

// failed reports whether some row has no figures.
func (t *Table) failed() bool {
	for i := range t.Rows {
		if t.Rows[i].trouble() != "" {
			return true
		}
	}
	return false
}

// Formats are the extensions of files that Write knows.
func Formats() []string { return append([]string{".csv", ".json", ".parquet"}, markups...) }

// Write writes the table as a file of a format: all points, or as Markup the tables of the report.
func (t *Table) Write(w io.Writer, format string) error {
	if IsMarkup(format) {
		return t.WriteMarkup(w, format, t.Parts())
	}
	switch format {
	case ".json":
		return t.writeJSON(w)
	case ".parquet":
		return t.writeParquet(w)
	}
	return t.writeCSV(w)
}

// writeCSV writes a row for each point: its axes, numbers without units, its measures, with repeats half their intervals, and its error.
func (t *Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := append([]string(nil), t.Axes...)
	for i, m := range t.Measures {
		if header = append(header, m); t.estimated(i) {
			header = append(header, m+half)
		}
	}
	if err := out.Write(append(header, question.ErrorColumn)); err != nil {
		return err
	}
	numeric := t.numeric()
	for i := range t.Rows {
		r := &t.Rows[i]
		row := t.plain(r, numeric)
		for m, e := range r.Values {
			if row = append(row, e.Text+exact(e.Mean)); t.estimated(m) {
				row = append(row, exact(e.Half))
			}
		}
		if err := out.Write(append(row, r.trouble())); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// exact writes all digits of a figure, and nothing for none.
func exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// document is a study in JSON; its names are a contract.
type document struct {
	Study      string            `json:"study"`
	About      string            `json:"about,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Set        map[string]string `json:"set,omitempty"`
	Version    string            `json:"version,omitempty"`       // of the program that swept the study
	Machines   map[string]string `json:"machine_files,omitempty"` // texts, by name
	Axes       []string          `json:"axes"`
	Measures   []string          `json:"measures"`
	Points     []map[string]any  `json:"points"`

	Crossovers []crossover `json:"crossovers,omitempty"`
}

// crossover is a crossover of a plot of y over x.
type crossover struct {
	X     string        `json:"x"`
	Y     string        `json:"y"`
	Best  question.Best `json:"best"`
	Where string        `json:"where,omitempty"` // values of other axes
	From  string        `json:"from"`
	To    string        `json:"to"`
	At    float64       `json:"at"`
}

// writeJSON writes an object for each point: axes, figures, and the error where there is one.
func (t *Table) writeJSON(w io.Writer) error {
	text, err := json.MarshalIndent(t.document(), "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (t *Table) document() document {
	d := document{Study: t.Study.Name, About: t.Study.About, Parameters: t.Study.Parameters, Set: t.Study.Shared(), Version: t.Version, Machines: t.Machines, Axes: t.Axes, Measures: t.Measures, Points: []map[string]any{}}
	for i := range t.Study.Views {
		v := &t.Study.Views[i]
		for _, c := range t.Crossovers(v) {
			d.Crossovers = append(d.Crossovers, crossover{v.X, v.Y, t.Study.Best(v), c.Group, c.From, c.To, c.X})
		}
	}
	numeric := t.numeric()
	for i := range t.Rows {
		r := &t.Rows[i]
		one := map[string]any{}
		for a, label := range r.Labels {
			one[t.Axes[a]] = label
			if numeric[a] {
				one[t.Axes[a]] = t.number(r, a)
			}
		}
		for m, e := range r.Values {
			if e.Text != "" {
				one[t.Measures[m]] = e.Text
			}
			if math.IsNaN(e.Mean) || math.IsInf(e.Mean, 0) {
				continue
			}
			if one[t.Measures[m]] = e.Mean; !math.IsNaN(e.Half) {
				one[t.Measures[m]+half] = e.Half
			}
		}
		if trouble := r.trouble(); trouble != "" {
			one[question.ErrorColumn] = trouble
		}
		d.Points = append(d.Points, one)
	}
	return d
}

// Lines returns the study file, with the parameters whose values were replaced in front.
func (t *Table) Lines() []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(t.Study.Parameters)) {
		lines = append(lines, "# "+name+" = "+t.Study.Parameters[name])
	}
	return append(lines, strings.Split(strings.TrimRight(t.Study.Text, "\n"), "\n")...)
}
