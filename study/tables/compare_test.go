// SPDX-License-Identifier: Apache-2.0

package tables_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study"
	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/store"
	"meshwright/study/tables"
)

// table is a study over lengths up to some number with three repeats; figure gives the cycles of a run, NaN for an error.
func table(t testing.TB, lengths int, figure func(length, repeat int) float64) *tables.Table {
	q, err := question.Parse("s.yaml", fmt.Appendf(nil, "axes: {length: {from: 1, to: %d, step: 1}}\nset: {collective: gossip}\nmeasure: [cycles, double: cycles * 2]\nrepeats: 3\n", lengths), nil)
	require.NoError(t, err)
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "s.db"))
	require.NoError(t, err)
	defer s.Close()
	var ids []point.ID
	i := 0
	for p, err := range q.Points() {
		require.NoError(t, err)
		id := point.ID{byte(i >> 8), byte(i)}
		row := &store.Row{ID: id, Settings: p.Settings, Figures: point.Figures{"cycles": point.Number(figure(i/3+1, p.Repeat))}}
		if math.IsNaN(row.Figures["cycles"].Number) {
			row.Figures, row.Error = nil, "went | wrong"
		}
		require.NoError(t, s.Add(t.Context(), row))
		ids, i = append(ids, id), i+1
	}
	require.NoError(t, s.Define(t.Context(), &store.Study{Name: q.Name, File: q.File, Text: q.Text}, ids))
	out, err := tables.Of(t.Context(), q, s)
	require.NoError(t, err)
	return out
}

func TestTables(t *testing.T) {
	out := table(t, 2, func(length, repeat int) float64 {
		if length == 2 && repeat == 1 {
			return math.NaN()
		}
		return float64(10*length + repeat)
	})
	var text bytes.Buffer
	require.NoError(t, out.Write(&text, ".md"))
	require.Equal(t, "s\n\nset: collective gossip\n\n| length | cycles | double | error |\n| --- | ---: | ---: | --- |\n| 1 | 11.0 ±2.5 | 22.0 ±5.0 |  |\n| 2 |  |  | went \\| wrong |\n", text.String())
	text.Reset()
	require.NoError(t, out.Write(&text, ".csv"))
	require.Equal(t, "length,cycles,cycles_half,double,double_half,error\n1,11,2.48413771175033,22,4.96827542350066,\n2,,,,,went | wrong\n", text.String())
}

func TestCompare(t *testing.T) {
	before := table(t, 3, func(length, _ int) float64 { return float64(100 * length) })
	now := table(t, 4, func(length, _ int) float64 {
		switch length {
		case 2:
			return 210
		case 3:
			return math.NaN()
		}
		return float64(100 * length)
	})
	c, err := tables.Compare(before, now)
	require.NoError(t, err)
	require.Equal(t, 3, c.Points)
	require.Empty(t, c.OnlyBefore)
	require.Equal(t, []string{"length 4"}, c.OnlyNow)
	require.Len(t, c.Changes, 4)
	require.Equal(t, "length 3", c.Changes[0].Point)
	require.Equal(t, "went | wrong", c.Changes[0].Error)
	require.Equal(t, []string{"length 2", "cycles", "200", "210"}, []string{c.Changes[2].Point, c.Changes[2].Measure, c.Changes[2].Was.String(), c.Changes[2].Is.String()})
	require.InDelta(t, 0.05, c.Changes[2].Relative(), 1e-12)
	require.Equal(t, []int{4, 2}, []int{c.Beyond(0), c.Beyond(0.05)})
	require.True(t, c.Incomplete())
	same, err := tables.Compare(before, before)
	require.NoError(t, err)
	require.Empty(t, same.Changes)
	require.False(t, same.Incomplete())
}

// Measures that only one of the tables has are no changes, but what is compared is incomplete.
func TestCompareMeasures(t *testing.T) {
	of := func(measures ...string) *tables.Table {
		out := &tables.Table{Study: &question.Study{}, Axes: []string{"length"}, Measures: measures}
		out.Rows = []tables.Row{{Labels: []string{"1"}, Values: make([]tables.Value, len(measures))}}
		return out
	}
	c, err := tables.Compare(of("cycles", "flits"), of("ratio", "cycles"))
	require.NoError(t, err)
	require.Equal(t, [][]string{{"flits"}, {"ratio"}}, [][]string{c.MeasuresBefore, c.MeasuresNow})
	require.Empty(t, c.Changes)
	require.True(t, c.Incomplete())
	_, err = tables.Compare(of("flits"), of("cycles", "ratio"))
	require.EqualError(t, err, "measures flits and cycles, ratio (expected a measure that both stores have)")
}

// A table of a value over two axes says which has the least, and marks what has not run.
func TestCrossTables(t *testing.T) {
	q, err := question.Parse("s.yaml", []byte(`axes: {side: [2, 4], algorithm: [slow, quick], length: [10, 100, 5000]}
set: {collective: gossip, topology: "ring:${side}"}
measure: [cycles, simulated]
report: [{plot: table, x: algorithm, y: length, value: cycles}, {plot: lines, x: length, y: cycles, by: algorithm}]
`), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Axes: []string{"side", "algorithm", "length"}, Measures: []string{"cycles", "simulated"}}
	for p, err := range q.Points() {
		require.NoError(t, err)
		var length, cycles float64
		_, err := fmt.Sscan(p.Labels[2], &length)
		require.NoError(t, err)
		if cycles = 10 + length; p.Labels[1] == "quick" {
			cycles = 40 + length/4
		}
		r := tables.Row{Labels: p.Labels, Values: []tables.Value{{Estimate: study.Estimate{Mean: cycles}}, {Estimate: study.Estimate{Mean: 1}}}}
		if length > 1000 {
			r.Values[1].Mean = 0
		}
		switch len(out.Rows) {
		case 3:
			r.Values[0].Mean = 20 // as the other one
		case 11:
			r.Values[0].Mean = math.NaN()
		}
		out.Rows = append(out.Rows, r)
	}
	var text bytes.Buffer
	require.NoError(t, out.Write(&text, ".md"))
	require.Equal(t, `s

set: collective gossip, topology ring:${side}

cycles, side 2

| length \ algorithm | slow | quick | least |
| --- | ---: | ---: | --- |
| 10 | 20 | 20 | slow, quick |
| 100 | 110 | 65 | quick |
| 5000 | 5010* | 1290* | quick |

cycles, side 4

| length \ algorithm | slow | quick | least |
| --- | ---: | ---: | --- |
| 10 | 20 | 42.5 | slow |
| 100 | 110 | 65 | quick |
| 5000 | 5010* |  | slow |

crossovers of cycles

| where | from | to | length |
| --- | --- | --- | ---: |
| side 4 | slow | quick | 40 |
`, text.String())
	text.Reset()
	require.NoError(t, out.Write(&text, ".json"))
	require.Contains(t, text.String(), "\"where\": \"side 4\",\n      \"from\": \"slow\",\n      \"to\": \"quick\",\n      \"at\": 40\n")
	q.Views[0].Best = question.Most
	text.Reset()
	require.NoError(t, out.Write(&text, ".md"))
	require.Contains(t, text.String(), "s\n\nset: collective gossip, topology ring:${side}\n\ncycles, side 2\n\n| length \\ algorithm | slow | quick | most |\n| --- | ---: | ---: | --- |\n| 10 | 20 | 20 | slow, quick |\n| 100 | 110 | 65 | slow |\n")
}

// Texts are columns of their own kind in every form of the results; repeats that differ show all of theirs.
func TestTexts(t *testing.T) {
	q, err := question.Parse("s.yaml", []byte(`axes: {length: [1, 2], startup: [0, 9]}
set: {collective: gossip, topology: ring:4}
measure: [chosen, cycles, quick: chosen == "strides" && cycles < 6]
repeats: 2
report: [{plot: table, x: length, y: startup, value: chosen}]
`), nil)
	require.NoError(t, err)
	results := func(last string) *tables.Table {
		s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
		require.NoError(t, err)
		defer s.Close()
		var ids []point.ID
		for _, chosen := range []string{"strides", "strides", "rounds", "greedy", "greedy", "greedy", "", last} {
			id := point.ID{byte(len(ids))}
			row := &store.Row{ID: id, Figures: point.Figures{"cycles": point.Number(5), "chosen": point.Text(chosen)}}
			if chosen == "" {
				delete(row.Figures, "chosen")
			}
			require.NoError(t, s.Add(t.Context(), row))
			ids = append(ids, id)
		}
		require.NoError(t, s.Define(t.Context(), &store.Study{Name: q.Name, File: q.File, Text: q.Text}, ids))
		table, err := tables.Of(t.Context(), q, s)
		require.NoError(t, err)
		return table
	}
	table := results("rounds")
	var text bytes.Buffer
	require.NoError(t, table.Write(&text, ".csv"))
	require.Equal(t, `length,startup,chosen,cycles,cycles_half,quick,quick_half,error
1,0,strides,5,0,1,0,
1,9,rounds or greedy,5,0,0,0,
2,0,greedy,5,0,0,0,
2,9,rounds,5,0,,,
`, text.String())
	text.Reset()
	require.NoError(t, table.Write(&text, ".md"))
	require.Equal(t, "s\n\nset: collective gossip, topology ring:4\n\nchosen\n\n| startup \\ length | 1 | 2 |\n| --- | --- | --- |\n| 0 | strides | greedy |\n| 9 | rounds or greedy | rounds |\n", text.String())
	text.Reset()
	require.NoError(t, table.Write(&text, ".json"))
	require.Contains(t, text.String(), `"chosen": "rounds or greedy"`)
	require.NotContains(t, text.String(), `"chosen_half"`)
}
