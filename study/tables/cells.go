// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"math"
	"strconv"
	"strings"

	"meshwright/study/question"
)

// plusMinus stands between a mean and half its interval.
const plusMinus = " ±"

// Show writes a value of a measure: a mean with its interval, both to the two leading digits of the interval; yes or no, with repeats how many of
// them are yes; a text; "" where there is none.
func (t *Table) Show(measure int, v *Value) string { return t.show(measure, v, Number) }

// show is Show with another form of numbers without an interval.
func (t *Table) show(measure int, v *Value, plain func(float64) string) string {
	switch mean, half := v.Rounded(); {
	case math.IsNaN(v.Mean):
		return v.Text
	case t.truth(measure):
		return verdict(v.Mean, t.repeats())
	case half != "":
		return mean + plusMinus + half
	}
	return plain(v.Mean)
}

func (t *Table) repeats() int {
	if t.Study == nil {
		return 1
	}
	return t.Study.Repeats
}

// verdict writes the mean of some figures that are 1 and 0.
func verdict(mean float64, repeats int) string {
	switch {
	case repeats > 1:
		return strconv.Itoa(int(math.Round(mean*float64(repeats)))) + "/" + strconv.Itoa(repeats)
	case mean == 0:
		return "no"
	}
	return "yes"
}

// mostApart is the greatest quotient of two figures of a column with which all have as many digits behind the point.
const mostApart = 1e4

// form returns how the figures of a column are written: all with as many digits behind the point, as far as they have
// similar sizes.
func form(column []float64) func(float64) string {
	places, least, most := 0, math.Inf(1), 0.0
	for _, x := range column {
		text := Number(x)
		if text == "" || x == 0 {
			continue
		}
		if strings.Contains(text, "e") {
			return Number
		}
		_, fraction, _ := strings.Cut(text, ".")
		places, least, most = max(places, len(fraction)), min(least, math.Abs(x)), max(most, math.Abs(x))
	}
	if most > mostApart*least {
		return Number
	}
	return func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'f', places, 64)
	}
}

// forms returns the forms of all measures. With repeats the interval says how many digits a figure has.
func (t *Table) forms() []func(float64) string {
	var list []func(float64) string
	for m := range t.Measures {
		var column []float64
		for i := range t.Rows {
			column = append(column, t.Rows[i].Values[m].Mean)
		}
		if t.repeats() > 1 {
			list = append(list, Number)
		} else {
			list = append(list, form(column))
		}
	}
	return list
}

// Cells returns the rows as text: axes, measures, and the errors where some row has one. With repeats a measure has its
// interval of 95 % confidence behind it.
func (t *Table) Cells() (header []string, rows [][]string) {
	failed, forms := t.failed(), t.forms()
	header = append(t.labels(t.Axes), t.labels(t.Measures)...)
	if failed {
		header = append(header, question.ErrorColumn)
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		row := append([]string(nil), r.Labels...)
		for m := range r.Values {
			row = append(row, t.show(m, &r.Values[m], forms[m]))
		}
		if failed {
			row = append(row, r.trouble())
		}
		rows = append(rows, row)
	}
	return header, rows
}

// labels are what columns are called.
func (t *Table) labels(columns []string) []string {
	var list []string
	for _, name := range columns {
		list = append(list, t.label(name))
	}
	return list
}

// label is what a column is called.
func (t *Table) label(column string) string {
	if t.Study == nil {
		return column
	}
	return t.Study.Label(column)
}
