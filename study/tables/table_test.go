// SPDX-License-Identifier: Apache-2.0

package tables_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study"
	"meshwright/study/tables"
)

// The figures of a column have as many digits behind the point, unless their sizes differ too much.
func TestColumnsHaveOneForm(t *testing.T) {
	for _, row := range []struct {
		figures []float64
		want    []string
	}{
		{[]float64{7. / 6, 1, 1.98571, math.NaN()}, []string{"1.16667", "1.00000", "1.98571", ""}},
		{[]float64{0.25, 0.5, 0}, []string{"0.25", "0.50", "0.00"}},
		{[]float64{41, 4041, 1e6}, []string{"41", "4041", "1000000"}},
		{[]float64{0.000123, 1000.5}, []string{"0.000123", "1000.5"}},
		{[]float64{1e-7, 1}, []string{"1e-07", "1"}},
		{[]float64{math.NaN()}, []string{""}},
	} {
		table := &tables.Table{Axes: []string{"length"}, Measures: []string{"ratio"}}
		for _, x := range row.figures {
			table.Rows = append(table.Rows, tables.Row{Labels: []string{"1"}, Values: []tables.Value{{Estimate: study.Estimate{Mean: x, Half: math.NaN()}}}})
		}
		_, cells := table.Cells()
		for i, want := range row.want {
			require.Equal(t, want, cells[i][1])
		}
	}
}

// What a table does not have is nothing, not a panic.
func TestWhatATableDoesNotHave(t *testing.T) {
	table := &tables.Table{Axes: []string{"length"}, Measures: []string{"cycles", "flits"}, Rows: []tables.Row{{Labels: []string{"4"}, Values: []tables.Value{{Estimate: study.Estimate{Mean: 1}}}}}}
	for _, name := range []string{"nosuch", "length", "flits", ""} {
		for _, r := range []*tables.Row{&table.Rows[0], {}, nil} {
			_, ok := table.Column(name)(r)
			require.False(t, ok, name)
			require.Empty(t, table.Text(r, name))
		}
	}
	require.False(t, table.Numeric(99))
	require.False(t, table.Numeric(-1))
	require.True(t, table.Numeric(0))
	require.Nil(t, table.Series(nil))
	require.Nil(t, table.Crossovers(nil))
	require.False(t, table.IsText("cycles"))
}
