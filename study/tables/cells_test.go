// SPDX-License-Identifier: Apache-2.0

package tables_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/tables"
)

const loads = `axes: {vcs: [1, 2, 4], rate: [0.1, 0.3]}
set: {topology: "mesh:4x4"}
measure: [packet_latency.mean, stable]
labels: {packet_latency.mean: "latency, cycles", rate: load}
report: [{plot: table, x: vcs, y: rate, value: packet_latency.mean}, {plot: table, x: vcs, y: rate, value: stable}]
`

// of is the table of a study whose figures are listed by point, measure and repeat.
func of(t *testing.T, text string, figures [][][]float64) *tables.Table {
	q, err := question.Parse("s.yaml", []byte(text), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Measures: []string{"packet_latency.mean", "stable"}}
	for _, a := range q.Axes {
		out.Axes = append(out.Axes, a.Name)
	}
	for p, err := range q.Points() {
		require.NoError(t, err)
		if p.Repeat > 0 {
			continue
		}
		r := tables.Row{Labels: p.Labels}
		for _, runs := range figures[len(out.Rows)] {
			var list []point.Figure
			for _, x := range runs {
				list = append(list, point.Number(x))
			}
			r.Values = append(r.Values, tables.NewValue(list))
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

// With repeats tables have intervals, and name all whose intervals overlap that of the best.
func TestTablesOfRepeats(t *testing.T) {
	steady, unsteady := []float64{1, 1, 1}, []float64{1, 0, 1}
	out := of(t, loads+"repeats: 3\n", [][][]float64{
		{{10, 11, 12}, steady}, {{30, 31, 35}, unsteady},
		{{10.5, 11, 12}, steady}, {{20, 20, 20}, steady},
		{{90, 91, 92}, steady}, {{20.1, 20.2, 20.3}, steady},
	})
	var text bytes.Buffer
	require.NoError(t, out.Write(&text, ".tex"))
	require.Equal(t, `% s
% set: topology mesh:4x4
% latency, cycles
\begin{tabular}{lrrrl}
\toprule
load \textbackslash{} vcs & 1 & 2 & 4 & least \\
\midrule
0.1 & 11.0 $\pm$ 2.5 & 11.2 $\pm$ 1.9 & 91.0 $\pm$ 2.5 & 1, 2 \\
0.3 & 32.0 $\pm$ 6.6 & 20 & 20.20 $\pm$ 0.25 & 2, 4 \\
\bottomrule
\end{tabular}

% stable
\begin{tabular}{lllll}
\toprule
load \textbackslash{} vcs & 1 & 2 & 4 & most \\
\midrule
0.1 & 3/3 & 3/3 & 3/3 & 1, 2, 4 \\
0.3 & 2/3 & 3/3 & 3/3 & 1, 2, 4 \\
\bottomrule
\end{tabular}
`, text.String())
	header, rows := out.Cells()
	require.Equal(t, []string{"vcs", "load", "latency, cycles", "stable"}, header)
	require.Equal(t, []string{"1", "0.3", "32.0 ±6.6", "2/3"}, rows[1])
	require.Equal(t, []string{"2", "0.3", "20", "3/3"}, rows[3])
	text.Reset()
	require.NoError(t, out.Write(&text, ".csv"))
	require.Contains(t, text.String(), "vcs,rate,packet_latency.mean,packet_latency.mean_half,stable,stable_half,error\n", "files have names and numbers")
}

// Without repeats only the best is named, and yes and no stand for 1 and 0.
func TestTablesWithoutRepeats(t *testing.T) {
	out := of(t, loads, [][][]float64{{{10}, {1}}, {{30}, {0}}, {{10}, {1}}, {{20}, {1}}, {{90}, {1}}, {{20.125}, {1}}})
	var text bytes.Buffer
	require.NoError(t, out.Write(&text, ".md"))
	require.Equal(t, `s

set: topology mesh:4x4

latency, cycles

| load \ vcs | 1 | 2 | 4 | least |
| --- | ---: | ---: | ---: | --- |
| 0.1 | 10 | 10 | 90 | 1, 2 |
| 0.3 | 30 | 20 | 20.125 | 2 |

stable

| load \ vcs | 1 | 2 | 4 | most |
| --- | --- | --- | --- | --- |
| 0.1 | yes | yes | yes | 1, 2, 4 |
| 0.3 | no | yes | yes | 2, 4 |
`, text.String())
}
