// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// half is behind the name of a measure whose intervals a column has.
const half = " half"

// column is a column of a Parquet file; the value of a row that has none is parquet.NullValue().
type column struct {
	name  string
	node  parquet.Node
	value func(*Row) parquet.Value
}

// writeParquet writes the columns of the CSV. An axis is a column of numbers if all its values are numbers.
func (t *Table) writeParquet(w io.Writer) error {
	columns := t.columns()
	file := parquet.NewWriter(w, schema(columns), parquet.Compression(&parquet.Uncompressed), parquet.DataPageVersion(1), parquet.CreatedBy("meshwright", "", ""))
	for i := range t.Rows {
		row := make(parquet.Row, len(columns))
		for k, c := range columns {
			value, level := c.value(&t.Rows[i]), 0
			if c.node.Optional() && !value.IsNull() {
				level = 1
			}
			row[k] = value.Level(0, level, k)
		}
		if _, err := file.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return file.Close()
}

func (t *Table) columns() []column {
	columns := make([]column, 0, len(t.Axes)+2*len(t.Measures)+1)
	for i, name := range t.Axes {
		columns = append(columns, t.axisColumn(name, i))
	}
	for i, name := range t.Measures {
		columns = append(columns, numbers(name, func(r *Row) float64 { return r.Values[i].Mean }))
		if t.Study.Repeats > 1 {
			columns = append(columns, numbers(name+half, func(r *Row) float64 { return r.Values[i].Half }))
		}
	}
	return append(columns, column{"error", parquet.Optional(plain(parquet.String())), func(r *Row) parquet.Value {
		if r.trouble() == "" {
			return parquet.NullValue()
		}
		return parquet.ByteArrayValue([]byte(r.trouble()))
	}})
}

// plain is the encoding that every reader knows.
func plain(node parquet.Node) parquet.Node { return parquet.Encoded(node, &parquet.Plain) }

func (t *Table) axisColumn(name string, axis int) column {
	if t.Numeric(axis) {
		return column{name, plain(parquet.Leaf(parquet.DoubleType)), func(r *Row) parquet.Value {
			x, _ := finite(r.Labels[axis])
			return parquet.DoubleValue(x)
		}}
	}
	return column{name, plain(parquet.String()), func(r *Row) parquet.Value { return parquet.ByteArrayValue([]byte(r.Labels[axis])) }}
}

func numbers(name string, of func(*Row) float64) column {
	return column{name, parquet.Optional(plain(parquet.Leaf(parquet.DoubleType))), func(r *Row) parquet.Value {
		if x := of(r); !math.IsNaN(x) {
			return parquet.DoubleValue(x)
		}
		return parquet.NullValue()
	}}
}

// ordered is a group whose fields keep their order; those of parquet.Group are sorted by name.
type ordered struct {
	parquet.Group
	place map[string]int
}

func schema(columns []column) *parquet.Schema {
	o := ordered{parquet.Group{}, map[string]int{}}
	for i, c := range columns {
		o.Group[c.name], o.place[c.name] = c.node, i
	}
	return parquet.NewSchema("results", o)
}

func (o ordered) Fields() []parquet.Field {
	return slices.SortedFunc(slices.Values(o.Group.Fields()), func(a, b parquet.Field) int {
		return cmp.Compare(o.place[a.Name()], o.place[b.Name()])
	})
}

// Numeric reports whether all values of an axis are numbers.
func (t *Table) Numeric(axis int) bool {
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
