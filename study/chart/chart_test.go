// SPDX-License-Identifier: Apache-2.0

package chart_test

import (
	"bytes"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study"
	"meshwright/study/chart"
	"meshwright/study/page"
	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/tables"
)

// results is a study with made-up cycles: slow takes 10 + length, quick 40 + length/4, so that they meet at 40.
func results(t testing.TB, lengths int, views string) *tables.Table {
	q, err := question.Parse("s.yaml", []byte("about: which <way>?\naxes: {algorithm: [slow, quick], length: {from: 1, to: "+strconv.Itoa(lengths)+", step: 1}}\n"+
		"set: {collective: gossip}\nmeasure: [cycles, flits]\nreport: "+views+"\n"), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Axes: []string{"algorithm", "length"}, Measures: []string{"cycles", "flits"}}
	for p, err := range q.Points() {
		require.NoError(t, err)
		length, err := strconv.ParseFloat(p.Labels[1], 64)
		require.NoError(t, err)
		cycles := 10 + length
		if p.Labels[0] == "quick" {
			cycles = 40 + length/4
		}
		out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: []tables.Value{{Estimate: study.Estimate{Mean: cycles, Half: math.NaN()}}, {Estimate: study.Estimate{Mean: 100 - length, Half: math.NaN()}}}})
	}
	return out
}

func TestCrossovers(t *testing.T) {
	for _, log := range []string{"", ", log: xy"} {
		charts, _, err := chart.All(results(t, 90, "[{plot: lines, x: length, y: cycles, by: algorithm"+log+"}]"))
		require.NoError(t, err)
		require.Len(t, charts[0].Crossovers, 1)
		require.Equal(t, "slow", charts[0].Crossovers[0].From)
		require.InDelta(t, 40, charts[0].Crossovers[0].X, 1e-6)
	}
}

func TestCharts(t *testing.T) {
	for _, row := range []struct {
		view  string
		spots int
		want  string // in the SVG
	}{
		{"plot: lines, x: length, y: cycles, by: algorithm", 181, "crossover at 40 from slow to quick"},
		{"plot: speedup, x: length, y: cycles, by: algorithm, base: slow", 90, "algorithm quick, length 90, cycles 62.5, flits 10"},
		{"plot: map, x: algorithm, y: length, value: cycles", 180, "length 90, cycles 62.5"},
		{"plot: pareto, x: flits, y: cycles, by: algorithm", 180, ">quick</text>"},
		{"plot: bars, x: length, y: cycles, by: algorithm", 180, "algorithm quick, length 90, cycles 62.5, flits 10"},
		{"plot: bars, x: algorithm, y: cycles", 180, ">slow</text>"},
	} {
		charts, _, err := chart.All(results(t, 90, "[{"+row.view+"}]"))
		require.NoError(t, err)
		require.Len(t, charts, 1)
		var text bytes.Buffer
		require.NoError(t, charts[0].Write(&text, ".svg"))
		require.Equal(t, row.spots, strings.Count(text.String(), "<title>"), row.view)
		require.Contains(t, text.String(), row.want)
		if strings.HasPrefix(row.view, "plot: map") {
			continue
		}
		text.Reset()
		require.NoError(t, charts[0].Write(&text, ".png"))
		picture, err := png.Decode(&text)
		require.NoError(t, err)
		require.Greater(t, picture.Bounds().Dx(), 500)
	}
}

func TestPage(t *testing.T) {
	out := results(t, 5, "[{plot: lines, x: length, y: cycles, by: algorithm}]")
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, page.Write(&text, out, charts, "1"))
	require.Contains(t, text.String(), "<h1>s</h1>\n<p class=\"about\">which &lt;way&gt;?</p>")
	require.Equal(t, 11, strings.Count(text.String(), "<tr>"))
	require.Equal(t, 1, strings.Count(text.String(), "<svg "))
	for _, outside := range []string{"src=", "href=\"http", "@import", "<link"} {
		require.NotContains(t, text.String(), outside, "the page needs nothing else")
	}
}

// A report of 10 000 points.
func BenchmarkReport(b *testing.B) {
	out := results(b, 5000, "[{plot: lines, x: length, y: cycles, by: algorithm}, {plot: pareto, x: flits, y: cycles, by: algorithm}]")
	for b.Loop() {
		charts, _, err := chart.All(out)
		require.NoError(b, err)
		require.NoError(b, page.Write(io.Discard, out, charts, "1"))
	}
}

// figures is a study of three algorithms whose cycles are made up, by length from 1.
func figures(t *testing.T, views string, cycles map[string][]float64) *tables.Table {
	q, err := question.Parse("s.yaml", []byte("axes: {algorithm: [a, b, c], length: [1, 2, 3], startup: [0, 1]}\nset: {collective: gossip}\nmeasure: [cycles]\nreport: "+views+"\n"), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Axes: []string{"algorithm", "length", "startup"}, Measures: []string{"cycles"}}
	for p, err := range q.Points() {
		require.NoError(t, err)
		length, err := strconv.Atoi(p.Labels[1])
		require.NoError(t, err)
		out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: []tables.Value{{Estimate: study.Estimate{Mean: cycles[p.Labels[0]][length-1], Half: math.NaN()}}}})
	}
	return out
}

// svg is the only or the chosen chart of a study as SVG.
func svg(t *testing.T, c *chart.Chart) string {
	var text bytes.Buffer
	require.NoError(t, c.Write(&text, ".svg"))
	return text.String()
}

// A map of the fastest names all that are tied, in the cell, by its colours and under the mouse.
func TestTiesInMaps(t *testing.T) {
	charts, _, err := chart.All(figures(t, "[{plot: fastest, x: length, y: startup, by: algorithm, value: cycles}]",
		map[string][]float64{"a": {9, 5, 3}, "b": {5, 5, 3}, "c": {7, 6, 3}}))
	require.NoError(t, err)
	text := svg(t, charts[0])
	require.Equal(t, 2, strings.Count(text, ">a +1</text>"))
	require.Equal(t, 2, strings.Count(text, ">a +2</text>"))
	require.Equal(t, 1, strings.Count(text, ">several colours: a tie</text>"))
	require.Contains(t, text, "<title>algorithm b, length 1, startup 0, cycles 5</title>")
	require.Contains(t, text, "<title>algorithm a, length 2, startup 0, cycles 5, tied with b</title>")
	require.Contains(t, text, "<title>algorithm a, length 3, startup 1, cycles 3, tied with b, c</title>")
	charts, _, err = chart.All(figures(t, "[{plot: fastest, x: length, y: startup, by: algorithm, value: cycles}]",
		map[string][]float64{"a": {9, 5, 3}, "b": {5, 6, 4}, "c": {7, 6, 4}}))
	require.NoError(t, err)
	require.NotContains(t, svg(t, charts[0]), "a tie")
}

// Where the most is the best, fronts, maps and speed-ups are turned.
func TestTheMostIsBest(t *testing.T) {
	cycles := map[string][]float64{"a": {9, 5, 3}, "b": {5, 6, 3}, "c": {7, 4, 1}}
	charts, _, err := chart.All(figures(t, "[{plot: fastest, x: length, y: startup, by: algorithm, value: cycles, best: most}]", cycles))
	require.NoError(t, err)
	text := svg(t, charts[0])
	require.Contains(t, text, ">algorithm with the most cycles</text>")
	require.Equal(t, 2, strings.Count(text, ">a +1</text>"))
	require.Equal(t, 2, strings.Count(text, ">b</text>")-1, "of the cells, without the legend")
	for _, row := range []struct {
		best, want string // the front: from the best x on
	}{
		{"", `d="M191.92,159.01L337.35,136.55L482.78,69.171"`},
		{", best: most, best-x: most", `d="M482.78,114.09L337.35,181.47L191.92,248.86"`},
	} {
		charts, _, err := chart.All(figures(t, "[{plot: pareto, x: length, y: cycles"+row.best+"}]", cycles))
		require.NoError(t, err)
		require.Regexp(t, row.want+`[^>]*stroke-dasharray`, svg(t, charts[0]), row.best)
	}
	charts, _, err = chart.All(figures(t, "[{plot: speedup, x: length, y: cycles, by: algorithm, base: a, best: most}]", map[string][]float64{"a": {2, 2, 2}, "b": {8, 8, 8}, "c": {8, 8, 8}}))
	require.NoError(t, err)
	require.Contains(t, svg(t, charts[0]), ">4</text>", "the ticks around 4, the speed-up")
}

// The axes of plots, and the colours of maps, have the units of measures and keys.
func TestUnits(t *testing.T) {
	labels := func(axes, measures, view string) string {
		q, err := question.Parse("s.yaml", []byte("axes: {"+axes+"}\nset: {topology: 'ring:4', collective: gather, rate: 0.1}\nmeasure: ["+measures+"]\nreport: [{"+view+"}]\n"), nil)
		require.NoError(t, err)
		out := &tables.Table{Study: q}
		for _, a := range q.Axes {
			out.Axes = append(out.Axes, a.Name)
		}
		for _, m := range q.Measures {
			out.Measures = append(out.Measures, m.Name)
		}
		for p, err := range q.Points() {
			require.NoError(t, err)
			out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: slices.Repeat([]tables.Value{tables.NewValue([]point.Figure{point.Number(3)})}, len(q.Measures))})
		}
		charts, _, err := chart.All(out)
		require.NoError(t, err)
		return svg(t, charts[0])
	}
	for _, row := range []struct{ axes, measures, view, x, y string }{
		{"startup: [1, 2]", "cycles", "plot: lines, x: startup, y: cycles", "startup, cycles", "cycles"},
		{"startup: [1, 2]", "cycles, half: cycles / 2", "plot: lines, x: startup, y: half", "startup, cycles", "half"},
		{"startup: [1, 2]", "lower_bound, max_buffer_flits", "plot: pareto, x: max_buffer_flits, y: lower_bound", "max_buffer_flits", "lower_bound, cycles"},
		{"load: [{rate: 0.1}, {rate: 0.2}]", "saturation.highest_accepted", "plot: lines, x: load, y: saturation.highest_accepted", "load, flits per source and cycle", "saturation.highest_accepted,\nflits per source and cycle"},
		{"hop: [1, 2], vcs: [1, 2]", "lower_bound", "plot: map, x: hop, y: vcs, value: lower_bound", "hop, cycles", "lower_bound, cycles"},
		{"vcs: [1, 2]", "ratio", "plot: lines, x: vcs, y: ratio", "vcs", "ratio"},
	} {
		text := labels(row.axes, row.measures, row.view)
		require.Contains(t, text, ">"+row.x+"</text>")
		for line := range strings.SplitSeq(row.y, "\n") {
			require.Contains(t, text, ">"+line+"</text>")
		}
	}
}

// A plot that cannot be drawn does not take the others with it.
func TestPlotsThatCannotBeDrawn(t *testing.T) {
	none := math.NaN()
	charts, undrawn, err := chart.All(figures(t, "[{plot: speedup, x: length, y: cycles, by: algorithm, base: c}, {plot: lines, x: startup, y: cycles, by: algorithm, log: x}, {plot: map, x: algorithm, y: startup, value: cycles}]",
		map[string][]float64{"a": {9, 5, none}, "b": {5, 6, none}, "c": {none, none, none}}))
	require.NoError(t, err)
	require.Len(t, charts, 2, "the maps of lengths 1 and 2")
	var why []string
	for _, err := range undrawn {
		why = append(why, err.Error())
	}
	require.Equal(t, []string{
		"plot speedup: nothing to draw (expected points with length and cycles)",
		"plot lines: 0 on a logarithmic axis (expected values above 0)",
		"plot map: nothing to draw (expected points with cycles)",
	}, why)
}

// A name has the same colour in all charts of a report: points in the full colour, maps in a lighter one.
func TestColoursOfNames(t *testing.T) {
	charts, _, err := chart.All(figures(t, "[{plot: fastest, x: length, y: startup, by: algorithm, value: cycles}, {plot: pareto, x: length, y: cycles, by: algorithm}, {plot: map, x: startup, y: length, value: cycles}, {plot: fastest, x: startup, y: length, by: algorithm, value: cycles}]",
		map[string][]float64{"a": {9, 9, 9}, "b": {9, 5, 9.5}, "c": {7, 6, 9}}))
	require.NoError(t, err)
	first, points, last := svg(t, charts[0]), svg(t, charts[1]), svg(t, charts[len(charts)-1])
	const bold = "#D55E00"
	require.Equal(t, bold, colourOf(t, points, "b"), "the second name of the report")
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, colourOf(t, first, name), colourOf(t, last, name), name)
	}
	require.Equal(t, "#EAAF80", colourOf(t, first, "b"))
}

// Lines of one name have its colour, whatever the values of other axes are, and differ in dashes; bars differ in lightness.
func TestColoursWithFurtherAxes(t *testing.T) {
	charts, _, err := chart.All(figures(t, "[{plot: pareto, x: length, y: cycles, by: algorithm}, {plot: lines, x: length, y: cycles, by: algorithm}, {plot: bars, x: length, y: cycles, by: algorithm}]",
		map[string][]float64{"a": {9, 9, 9}, "b": {9, 5, 9.5}, "c": {7, 6, 9}}))
	require.NoError(t, err)
	points, lines, bars := svg(t, charts[0]), svg(t, charts[1]), svg(t, charts[2])
	fills := map[string]bool{}
	for _, name := range []string{"b", "c"} { // a is black, as all is that says no colour
		for _, group := range []string{", startup 0", ", startup 1"} {
			require.Equal(t, colourOf(t, points, name), colourOf(t, lines, name+group))
			require.Equal(t, colourOf(t, points, name), colourOf(t, bars, name+group), "the edge of a bar")
		}
	}
	for _, found := range regexp.MustCompile(`fill:(#[0-9A-Fa-f]{6})`).FindAllStringSubmatch(bars, -1) {
		fills[found[1]] = true
	}
	require.GreaterOrEqual(t, strings.Count(lines, "stroke-dasharray"), 2*3, "the lines of startup 1, in the plot and in the legend")
	require.GreaterOrEqual(t, len(fills), 6)
}

// colourOf is the colour of a name in a legend.
func colourOf(t *testing.T, svg, name string) string {
	found := regexp.MustCompile(`(?:fill|stroke):(#[0-9A-Fa-f]{6})[^<>]*/>\n<text [^>]*>` + name + `(?:: as [^<]+)?</text>`).FindStringSubmatch(svg)
	require.NotNil(t, found, name)
	return found[1]
}

// A map of texts has a colour for each, and all of them in its legend, where long ones are cut.
func TestMapsOfTexts(t *testing.T) {
	q, err := question.Parse("s.yaml", []byte("axes: {length: {from: 1, to: 20, step: 1}, startup: [0, 1]}\nset: {collective: gossip}\nmeasure: [chosen]\nreport: [{plot: map, x: length, y: startup, value: chosen}]\n"), nil)
	require.NoError(t, err)
	out := &tables.Table{Study: q, Axes: []string{"length", "startup"}, Measures: []string{"chosen"}}
	for p, err := range q.Points() {
		require.NoError(t, err)
		name := "way-" + p.Labels[0]
		if name == "way-7" {
			name = strings.Repeat("long", 20)
		}
		out.Rows = append(out.Rows, tables.Row{Labels: p.Labels, Values: []tables.Value{tables.NewValue([]point.Figure{point.Text(name)})}})
	}
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	require.Len(t, charts, 1)
	var text bytes.Buffer
	require.NoError(t, charts[0].Write(&text, ".svg"))
	for i := 1; i <= 20; i++ {
		if i != 7 {
			require.Contains(t, text.String(), ">way-"+strconv.Itoa(i)+"</text>")
		}
	}
	require.Contains(t, text.String(), ">longlonglonglo…glonglonglong</text>")
	require.Contains(t, text.String(), "length 7, startup 0, chosen "+strings.Repeat("long", 20), "under the mouse")
	colours := map[string]bool{}
	for _, found := range regexp.MustCompile(`fill:(#[0-9A-Fa-f]{6})`).FindAllStringSubmatch(text.String(), -1) {
		colours[found[1]] = true
	}
	require.GreaterOrEqual(t, len(colours), 20)
}

// A line whose last points have no value says so: a load that is not stable has no latency. A failed point is none.
func TestLinesThatEnd(t *testing.T) {
	none := math.NaN()
	out := figures(t, "[{plot: lines, x: length, y: cycles, by: algorithm, x-label: flits & more, y-label: time}]",
		map[string][]float64{"a": {9, 8, 7}, "b": {9, 8, 7}, "c": {9, none, none}})
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	text := svg(t, charts[0])
	require.Equal(t, 1, strings.Count(text, ">no value from here on</text>"))
	for _, words := range []string{">flits &amp; more</text>", ">time</text>", ">b, startup 1: as a, startup 0</text>"} {
		require.Equal(t, 1, strings.Count(text, words), words)
	}
	for i := range out.Rows {
		if r := &out.Rows[i]; math.IsNaN(r.Values[0].Mean) {
			r.Error = "went wrong"
		}
	}
	charts, _, err = chart.All(out)
	require.NoError(t, err)
	require.NotContains(t, svg(t, charts[0]), "no value")
}

// A line has a gap where it has no value, and no crossover lies in the gap.
func TestLinesWithGaps(t *testing.T) {
	none := math.NaN()
	out := figures(t, "[{plot: lines, x: length, y: cycles, by: algorithm}]", map[string][]float64{"a": {1, none, 9}, "b": {2, 2, 2}, "c": {8, 8, 8}})
	charts, _, err := chart.All(out)
	require.NoError(t, err)
	require.Empty(t, charts[0].Crossovers)
	require.NotContains(t, svg(t, charts[0]), "no value", "there is one behind the gap")
	out = figures(t, "[{plot: lines, x: length, y: cycles, by: algorithm}]", map[string][]float64{"a": {1, 5, 9}, "b": {2, 2, 2}, "c": {8, 8, 8}})
	charts, _, err = chart.All(out)
	require.NoError(t, err)
	require.Len(t, charts[0].Crossovers, 2, "one for each startup")
}
