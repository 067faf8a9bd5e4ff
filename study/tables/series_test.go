// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/point"
	"meshwright/study/question"
)

// Values with a unit have their places among the others.
func TestCrossoversOfValuesWithUnits(t *testing.T) {
	q, err := question.Parse("s.yaml", []byte("axes: {algorithm: [a, b], bytes: [512, 1KiB, 2KiB]}\nset: {collective: gather}\nmeasure: [cycles]\nreport: [{plot: lines, x: bytes, y: cycles, by: algorithm}]\n"), nil)
	require.NoError(t, err)
	table := &Table{Study: q, Axes: []string{"algorithm", "bytes"}, Measures: []string{"cycles"}}
	cycles := []float64{1, 2, 6, 3, 3, 3}
	for p, err := range q.Points() {
		require.NoError(t, err)
		table.Rows = append(table.Rows, Row{Labels: p.Labels, Values: []Value{NewValue([]point.Figure{point.Number(cycles[len(table.Rows)])})}})
	}
	require.Equal(t, []Crossover{{"", "a", "b", 1280}}, table.Crossovers(&q.Views[0]))
	require.Equal(t, []string{"", "1024", "2048"}, []string{table.WithUnit(0, 1), table.WithUnit(1, 1), table.WithUnit(5, 1)})
	var csv, json strings.Builder
	require.NoError(t, table.Write(&csv, ".csv"))
	require.Contains(t, csv.String(), "a,512,1,\na,1024,2,\na,2048,6,\n", "files have numbers")
	require.NoError(t, table.Write(&json, ".json"))
	require.Contains(t, json.String(), `"bytes": 1024,`)
	q.Views[0].Best = question.Most
	require.Equal(t, []Crossover{{"", "b", "a", 1280}}, table.Crossovers(&q.Views[0]))
}

// A crossover is where the series with the least value is no longer the least, in whatever order the series are.
func TestTiesAreNoCrossovers(t *testing.T) {
	for _, row := range []struct {
		name   string
		values map[string][]float64
		want   []Crossover
	}{
		{"alike at the end", map[string][]float64{"a": {9, 5, 5}, "b": {8, 5, 5}}, nil},
		{"alike at first", map[string][]float64{"a": {5, 5, 5}, "b": {5, 5, 4}}, nil},
		{"alike throughout", map[string][]float64{"a": {5, 4, 3}, "b": {5, 4, 3}}, nil},
		{"alike on the way", map[string][]float64{"a": {1, 3, 6}, "b": {3, 3, 4}}, []Crossover{{"", "a", "b", 1}}},
		{"there and back", map[string][]float64{"a": {1, 5, 1}, "b": {3, 3, 3}}, []Crossover{{"", "a", "b", 0.5}, {"", "b", "a", 1.5}}},
		{"all in one place", map[string][]float64{"a": {0, 8}, "b": {3, 5}, "c": {8, 0}}, []Crossover{{"", "a", "c", 0.5}}},
		{"a third one for a while", map[string][]float64{"a": {0, 12}, "b": {2, 6}, "c": {8, 4}}, []Crossover{{"", "a", "b", 0.25}, {"", "b", "c", 0.75}}},
		{"a third one that is never the least", map[string][]float64{"a": {0, 12}, "b": {9, 9}, "c": {8, 4}}, []Crossover{{"", "a", "c", 0.5}}},
		{"of three", map[string][]float64{"a": {1, 2, 9}, "b": {9, 2, 9}, "c": {9, 8, 1}}, []Crossover{{"", "a", "c", 1 + 6./14}}},
	} {
		names := []string{"a", "b", "c"}[:len(row.values)]
		for range 2 {
			var group []*Series
			for _, name := range names {
				s := &Series{By: name}
				for x, y := range row.values[name] {
					s.At = append(s.At, Spot{X: float64(x), Y: y})
				}
				group = append(group, s)
			}
			require.Equal(t, row.want, within(group), "%s, %v", row.name, names)
			slices.Reverse(names)
		}
	}
}

// With intervals there is a crossover only where one series is better by more than the intervals before, and the other one behind.
func TestNoiseIsNoCrossover(t *testing.T) {
	for _, row := range []struct {
		name   string
		half   float64
		values map[string][]float64
		want   []Crossover
	}{
		{"none in the noise", 1, map[string][]float64{"a": {5, 5, 6}, "b": {6, 4, 5}}, nil},
		{"the same without noise", 0, map[string][]float64{"a": {5, 5, 6}, "b": {6, 4, 5}}, []Crossover{{"", "a", "b", 0.5}}},
		{"one that leads at the end alone", 1, map[string][]float64{"a": {5, 5, 9}, "b": {6, 4, 5}}, nil},
		{"through the noise", 1, map[string][]float64{"a": {1, 5, 9}, "b": {6, 4.5, 4}}, []Crossover{{"", "a", "b", 1}}},
		{"a third one in the noise", 1, map[string][]float64{"a": {1, 5, 9}, "b": {6, 4, 4}, "c": {7, 5, 3.5}}, []Crossover{{"", "a", "b", 1}}},
		{"clear", 1, map[string][]float64{"a": {1, 9}, "b": {9, 1}}, []Crossover{{"", "a", "b", 0.5}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var group []*Series
			for _, name := range []string{"a", "b", "c"}[:len(row.values)] {
				s := &Series{By: name}
				for x, y := range row.values[name] {
					s.At = append(s.At, Spot{X: float64(x), Y: y, Half: row.half})
				}
				group = append(group, s)
			}
			require.Equal(t, row.want, within(group))
		})
	}
}
