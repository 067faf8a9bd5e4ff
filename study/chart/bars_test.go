// SPDX-License-Identifier: Apache-2.0

package chart_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study"
	"meshwright/study/chart"
	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// bar is a bar, or an interval: its middle, from the middle of the first bar and in widths of a bar, and its ends.
type bar struct{ at, from, to float64 }

var (
	barSpot  = regexp.MustCompile(`<rect class="spot" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"`)
	interval = regexp.MustCompile(`d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)" style="fill:none;stroke:#303030`)
)

// numbers reads all matches of an expression.
func numbers(t *testing.T, of *regexp.Regexp, text string) [][]float64 {
	var list [][]float64
	for _, found := range of.FindAllStringSubmatch(text, -1) {
		var row []float64
		for _, part := range found[1:] {
			x, err := strconv.ParseFloat(part, 64)
			require.NoError(t, err)
			row = append(row, x)
		}
		list = append(list, row)
	}
	return list
}

// drawn reads the bars and the intervals of a chart, whose first bar is so high.
func drawn(t *testing.T, svg string, first float64) (bars, intervals []bar) {
	spots := numbers(t, barSpot, svg)
	require.NotEmpty(t, spots)
	const paper = 283.46 // the height of the chart: inside of the SVG, y rises
	left, top, wide, high := spots[0][0], spots[0][1], spots[0][2], spots[0][3]
	value := func(y float64) float64 { return (top + high - y) / high * first }
	for _, s := range spots {
		bars = append(bars, bar{(s[0] - left) / wide, value(s[1] + s[3]), value(s[1])})
	}
	for _, s := range numbers(t, interval, svg) {
		if s[0] == s[2] {
			intervals = append(intervals, bar{(s[0]-left)/wide - 0.5, value(paper - s[1]), value(paper - s[3])})
		}
	}
	return bars, intervals
}

// Bars stand side by side at the values of their axis, in the order of the study, from 0 to their values, and have intervals.
func TestBars(t *testing.T) {
	const chips = "axes: {chip: [{name: '<plain>', vcs: 1}, {name: large, vcs: 2}]"
	for _, row := range []struct {
		name, asked string
		cycles      [][]float64 // of the repeats, by point
		bars        []bar
		intervals   []bar
		words       []string
	}{
		{
			"names", chips + "}", [][]float64{{50}, {100}},
			[]bar{{0, 0, 50}, {1.25, 0, 100}}, nil, []string{">&lt;plain&gt;</text>", ">large</text>", ">chip</text>", ">cycles over chip</text>", "<title>chip large, cycles 100</title>"},
		},
		{
			"numbers, apart as names are", "axes: {length: [64, 1, 2]}", [][]float64{{50}, {100}, {80}},
			[]bar{{0, 0, 50}, {1.25, 0, 100}, {2.5, 0, 80}}, nil, []string{">64</text>", ">length, flits</text>"},
		},
		{
			"groups", chips + ", algorithm: [a, b]}", [][]float64{{50}, {100}, {80}, {20}},
			[]bar{{0, 0, 50}, {2.5, 0, 80}, {1, 0, 100}, {3.5, 0, 20}}, nil, []string{">algorithm</text>", ">a</text>", ">b</text>"},
		},
		{
			"a gap in a group", chips + ", algorithm: [a, b]}", [][]float64{{50}, {}, {80}, {20}},
			[]bar{{0, 0, 50}, {2.5, 0, 80}, {3.5, 0, 20}}, nil, nil,
		},
		{
			"other axes are groups, too", chips + ", length: [1, 2]}", [][]float64{{50}, {100}, {80}, {20}},
			[]bar{{0, 0, 50}, {2.5, 0, 80}, {1, 0, 100}, {3.5, 0, 20}}, nil, []string{">length 1</text>", ">length 2</text>"},
		},
		{
			"below 0", chips + "}", [][]float64{{50}, {-100}},
			[]bar{{0, 0, 50}, {1.25, -100, 0}}, nil, nil,
		},
		{
			"intervals", chips + "}\nrepeats: 2", [][]float64{{49, 51}, {60, 60}}, // t = 12.706, of one degree of freedom
			[]bar{{0, 0, 50}, {1.25, 0, 60}},
			[]bar{{0, 50 - 12.706, 50 + 12.706}}, nil, // an interval of 0 has nothing to show
		},
		{
			"0 is a bar, for the mouse as well", chips + "}", [][]float64{{50}, {0}},
			[]bar{{0, 0, 50}, {1.25, 0, 2.6}}, nil, []string{"chip large, cycles 0"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			x, by := "chip", ""
			if !strings.Contains(row.asked, "chip") {
				x = "length"
			}
			if strings.Contains(row.asked, "algorithm") {
				by = ", by: algorithm"
			}
			out := measured(t, row.asked+"\nset: {collective: gossip}\nmeasure: [cycles]\nreport: [{plot: bars, x: "+x+", y: cycles"+by+"}]\n", row.cycles)
			charts, undrawn, err := chart.All(out)
			require.NoError(t, err)
			require.Empty(t, undrawn)
			require.Len(t, charts, 1)
			text := svg(t, charts[0])
			bars, intervals := drawn(t, text, row.bars[0].to)
			requireBars(t, row.bars, bars)
			requireBars(t, row.intervals, intervals)
			for _, word := range row.words {
				require.Contains(t, text, word)
			}
			require.Equal(t, text, svg(t, charts[0]), "a chart can be drawn twice")
		})
	}
}

// measured is the table of a study with made-up cycles.
func measured(t *testing.T, text string, cycles [][]float64) *tables.Table {
	q, err := question.Parse("s.yaml", []byte(text), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Measures: []string{"cycles"}}
	for _, a := range q.Axes {
		out.Axes = append(out.Axes, a.Name)
	}
	for p, err := range q.Points() {
		require.NoError(t, err)
		if p.Repeat > 0 {
			continue
		}
		var figures []point.Figure
		for _, x := range cycles[len(out.Rows)] {
			figures = append(figures, point.Number(x))
		}
		value := tables.Value{Estimate: study.Estimate{Mean: math.NaN(), Half: math.NaN()}}
		if len(figures) > 0 {
			value = tables.NewValue(figures)
		}
		out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: []tables.Value{value}})
	}
	return out
}

func requireBars(t *testing.T, want, got []bar) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.InDelta(t, want[i].at, got[i].at, 0.02, "bar %d", i)
		require.InDelta(t, want[i].from, got[i].from, 0.2, "bar %d", i)
		require.InDelta(t, want[i].to, got[i].to, 0.2, "bar %d", i)
	}
}

// More than eight bars at a value get several charts, as lines do; all of them have the colours of their names.
func TestBarsOfManySeries(t *testing.T) {
	out := measured(t, "axes: {chip: [{name: small, vcs: 1}, {name: large, vcs: 2}], length: {from: 1, to: 3, step: 1}, startup: {from: 1, to: 3, step: 1}}\nset: {collective: gossip}\nmeasure: [cycles]\nreport: [{plot: bars, x: chip, y: cycles, by: length}]\n",
		[][]float64{{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}})
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	require.Len(t, charts, 3)
	for i, c := range charts {
		text := svg(t, c)
		require.Contains(t, text, ">cycles over chip, startup "+strconv.Itoa(i+1)+"</text>")
		require.Equal(t, 6, strings.Count(text, "<title>"))
		require.Equal(t, "#D55E00", colourOf(t, text, "2"))
		require.Contains(t, text, "fill:#EAAF80", "lighter, as in maps")
	}
}

// Bars without a value are not drawn.
func TestNoBars(t *testing.T) {
	charts, undrawn, err := chart.All(measured(t, "axes: {chip: [{name: small, vcs: 1}, {name: large, vcs: 2}]}\nset: {collective: gossip}\nmeasure: [cycles]\nreport: [{plot: bars, x: chip, y: cycles}]\n", [][]float64{{}, {}}))
	require.NoError(t, err)
	require.Empty(t, charts)
	require.Len(t, undrawn, 1)
	require.EqualError(t, undrawn[0], "plot bars: nothing to draw (expected points with chip and cycles)")
}

// Points of lines have intervals, too; a logarithmic axis cuts one that goes down to 0.
func TestLinesHaveIntervals(t *testing.T) {
	const text = "axes: {length: [1, 2, 4]}\nset: {collective: gossip}\nmeasure: [cycles]\nrepeats: 2\nreport: [{plot: lines, x: length, y: cycles"
	whisker := regexp.MustCompile(`<path d="M[\d.]+,[\d.]+L[\d.]+,[\d.]+" style="[^"]*stroke-width:0.6`)
	for _, row := range []struct {
		name, keys string
		cycles     [][]float64
		strokes    int // of whiskers: a line and two caps each
	}{
		{"two of three", "", [][]float64{{49, 51}, {60, 60}, {79, 81}}, 6},
		{"logarithmic", ", log: y", [][]float64{{49, 51}, {60, 60}, {79, 81}}, 6},
		{"cut", ", log: y", [][]float64{{1, 51}, {60, 60}, {79, 81}}, 5},
		{"none", "", [][]float64{{50, 50}, {60, 60}, {80, 80}}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			charts, undrawn, err := chart.All(measured(t, text+row.keys+"}]\n", row.cycles))
			require.NoError(t, err)
			require.Empty(t, undrawn)
			require.Len(t, whisker.FindAllString(svg(t, charts[0]), -1), row.strokes)
		})
	}
}

// A map of the fastest names the best, and the others whose intervals overlap its own are tied with it.
func TestTiesOfIntervals(t *testing.T) {
	out := measured(t, "axes: {algorithm: [a, b, c], length: [1, 2], startup: [0, 1]}\nset: {collective: gossip}\nmeasure: [cycles]\nrepeats: 2\nlabels: {length: size}\n"+
		"report: [{plot: fastest, x: length, y: startup, by: algorithm, value: cycles}]\n",
		[][]float64{{49, 51}, {50, 50}, {50, 50}, {50, 50}, {48, 50}, {51, 51}, {60, 60}, {40, 40}, {99, 99}, {99, 99}, {99, 99}, {99, 99}})
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	text := svg(t, charts[0])
	for _, word := range []string{"algorithm b, length 1, startup 0, cycles 49 ±13, tied with a<", "algorithm a, length 1, startup 1, cycles 50<", "algorithm a, length 2, startup 0, cycles 50<", ">size</text>"} {
		require.Contains(t, text, word)
	}
}

// Each format has its signature, and a chart is the same file again.
func TestFormats(t *testing.T) {
	out := measured(t, "axes: {length: [1, 2]}\nset: {collective: gossip}\nmeasure: [cycles]\nreport: [{plot: lines, x: length, y: cycles}]\n", [][]float64{{50}, {60}})
	begins := map[string]string{".svg": "<?xml", ".png": "\x89PNG", ".pdf": "%PDF-"}
	for _, format := range chart.Formats() {
		var files []string
		for range 2 {
			charts, _, err := chart.All(out)
			require.NoError(t, err)
			var file strings.Builder
			require.NoError(t, charts[0].Write(&file, format))
			files = append(files, file.String())
		}
		require.True(t, strings.HasPrefix(files[0], begins[format]), format)
		require.True(t, files[0] == files[1], format)
	}
}
