// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"io"
	"math"
	"strconv"

	"meshwright/internal/parquet"
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
		label := t.Rows[i].Labels[axis]
		c.Texts = append(c.Texts, label)
		if x, ok := finite(label); ok && c.Numbers != nil {
			c.Numbers = append(c.Numbers, x)
		}
	}
	return c
}

// Numeric reports whether all values of an axis are numbers; false of an axis that does not exist.
func (t *Table) Numeric(axis int) bool {
	if axis < 0 || axis >= len(t.Axes) {
		return false
	}
	for i := range t.Rows {
		if _, ok := finite(t.Rows[i].Labels[axis]); !ok {
			return false
		}
	}
	return true
}

// finite reads a number other than infinity.
func finite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
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
