// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"io"
	"math"
	"slices"
	"strconv"

	"meshwright/internal/parquet"
	"meshwright/study/point"
	"meshwright/study/question"
)

// half is behind the name of a measure whose intervals a column has.
const half = question.HalfColumn

// writeParquet writes the columns of the CSV. An axis is a column of numbers if all its values are numbers.
func (t *Table) writeParquet(w io.Writer) error {
	columns := make([]parquet.Column, 0, len(t.Axes)+2*len(t.Measures)+1)
	for i, name := range t.Axes {
		columns = append(columns, t.axisColumn(name, i))
	}
	for i, name := range t.Measures {
		if t.textual(i) {
			columns = append(columns, t.texts(name, func(r *Row) string { return r.Values[i].Text }))
			continue
		}
		columns = append(columns, t.numbers(name, func(r *Row) float64 { return r.Values[i].Mean }))
		if t.Study.Repeats > 1 {
			columns = append(columns, t.numbers(name+half, func(r *Row) float64 { return r.Values[i].Half }))
		}
	}
	return parquet.Write(w, append(columns, t.texts(question.ErrorColumn, (*Row).trouble)), len(t.Rows))
}

func (t *Table) axisColumn(name string, axis int) parquet.Column {
	c := parquet.Column{Name: name}
	if t.Numeric(axis) {
		c.Numbers = []float64{}
	}
	for i := range t.Rows {
		c.Texts = append(c.Texts, t.Rows[i].Labels[axis])
		if c.Numbers != nil {
			c.Numbers = append(c.Numbers, t.number(&t.Rows[i], axis))
		}
	}
	return c
}

// Numeric reports whether all values of an axis are numbers, such as 64KiB of the axis bytes; false of an axis that does not exist.
func (t *Table) Numeric(axis int) bool {
	if axis < 0 || axis >= len(t.Axes) {
		return false
	}
	for i := range t.Rows {
		if math.IsNaN(t.number(&t.Rows[i], axis)) {
			return false
		}
	}
	return true
}

// number is the number that a row's value of an axis stands for; NaN if it stands for none.
func (t *Table) number(r *Row, axis int) float64 {
	x, ok := point.NumberOf("", r.Labels[axis])
	if t.Study != nil {
		x, ok = t.Study.Number(t.Axes[axis], r.Labels[axis])
	}
	if !ok {
		return math.NaN()
	}
	return x
}

// plain lists a row's values of the axes for files: numbers without units on axes that have only numbers.
func (t *Table) plain(r *Row, numeric []bool) []string {
	cells := slices.Clone(r.Labels)
	for axis := range cells {
		if number := t.withUnit(r, axis); numeric[axis] && number != "" {
			cells[axis] = number
		}
	}
	return cells
}

// WithUnit returns the number of a row's value of an axis that is written with a unit, as 65536 of 64KiB; "" of other values and columns.
func (t *Table) WithUnit(row, axis int) string {
	if axis < 0 || axis >= len(t.Axes) || row < 0 || row >= len(t.Rows) {
		return ""
	}
	return t.withUnit(&t.Rows[row], axis)
}

func (t *Table) withUnit(r *Row, axis int) string {
	if _, err := strconv.ParseFloat(r.Labels[axis], 64); err == nil {
		return ""
	}
	return exact(t.number(r, axis))
}

// numeric says which axes have only numbers.
func (t *Table) numeric() []bool {
	list := make([]bool, len(t.Axes))
	for axis := range list {
		list[axis] = t.Numeric(axis)
	}
	return list
}

func (t *Table) numbers(name string, of func(*Row) float64) parquet.Column {
	c := parquet.Column{Name: name, Numbers: []float64{}, Missing: []bool{}}
	for i := range t.Rows {
		x := of(&t.Rows[i])
		c.Numbers, c.Missing = append(c.Numbers, x), append(c.Missing, math.IsNaN(x))
	}
	return c
}

func (t *Table) texts(name string, of func(*Row) string) parquet.Column {
	c := parquet.Column{Name: name, Missing: []bool{}}
	for i := range t.Rows {
		text := of(&t.Rows[i])
		c.Texts, c.Missing = append(c.Texts, text), append(c.Missing, text == "")
	}
	return c
}
