// SPDX-License-Identifier: Apache-2.0

package study

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/input"
	"meshwright/internal/memory"
)

func loadStudy(t *testing.T, spec string, seeds int) *LoadStudy {
	t.Helper()
	at, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Channels = 1
	p, err := traffic.ParsePattern("uniform", at)
	require.NoError(t, err)
	flits, err := traffic.ParseSizes("4")
	require.NoError(t, err)
	return &LoadStudy{
		Topology: at, Machine: m, Seeds: seeds, Load: traffic.Load{Pattern: p, Requests: flits, Seed: 1},
		Phases: traffic.Phases{WarmUp: 500, Measure: 1000, Drain: 2000}, Keep: traffic.Keep{Nodes: true, Pairs: true},
	}
}

// The results do not depend on the number of workers.
func TestLoadCurvesDoNotDependOnWorkers(t *testing.T) {
	var texts []string
	for _, workers := range []int{1, 3} {
		s := loadStudy(t, "mesh:4x4", 2)
		s.Workers = workers
		c, err := s.Curve(context.Background(), []float64{0.1, 0.3, 0.9})
		require.NoError(t, err)
		found, err := s.Saturation(context.Background(), 0.05)
		require.NoError(t, err)
		var b bytes.Buffer
		for _, curve := range []*LoadCurve{c, found} {
			require.NoError(t, curve.WriteCSV(&b, "t"))
			require.NoError(t, curve.WriteNodes(&b))
			require.NoError(t, curve.WritePairs(&b))
			for _, format := range PlotFormats() {
				require.NoError(t, curve.Plot(&b, "a <title>", format))
			}
		}
		texts = append(texts, b.String())
	}
	require.True(t, texts[0] == texts[1])
}

// A trace has no rate: its point is at the rate that it offers, which may be more than 1.
func TestPlotOfATrace(t *testing.T) {
	plot := func(rate, offered float64) string {
		c := LoadCurve{Points: []LoadPoint{{Rate: rate, Runs: []LoadRun{{Offered: offered, Packet: Latency{Count: 1, Mean: 9, P99: 9}}}}}}
		var b strings.Builder
		require.NoError(t, c.Plot(&b, "a trace", ".svg"))
		return b.String()
	}
	require.Equal(t, plot(0.25, 0.3), plot(0, 0.25))
	require.Equal(t, plot(1.5, 0), plot(0, 1.5))
	require.Contains(t, plot(0, 1.5), ">1.5<")
}

// Without latencies a picture says why, and has the line of the lowest rate that is not stable.
func TestPlotWithoutLatencies(t *testing.T) {
	stable := LoadRun{Summary: traffic.Summary{Packets: 1}, Packet: Latency{Count: 1, Mean: 9, P99: 9}}
	piledUp := LoadRun{Summary: traffic.Summary{Packets: 1, Cause: traffic.PiledUp}}
	for _, row := range []struct {
		name  string
		rates []float64
		runs  []LoadRun
		want  string // "": latencies
		line  bool
	}{
		{"stable", []float64{0.5}, []LoadRun{stable}, "", false},
		{"stable, then not", []float64{0.5, 0.6}, []LoadRun{stable, piledUp}, "", true},
		{"none is stable", []float64{0.5, 0.6}, []LoadRun{piledUp, piledUp}, "no rate is stable; the lowest that was measured is 0.5", true},
		{"a trace", []float64{0}, []LoadRun{{Summary: traffic.Summary{Cause: traffic.Deadlocked}}}, "the trace is not stable: deadlock", false},
		{"no packets", []float64{1e-9}, []LoadRun{{}}, "no packets in the measurement", false},
	} {
		c := LoadCurve{}
		var points []LoadPoint
		for i, rate := range row.rates {
			points = append(points, LoadPoint{Rate: rate, Runs: row.runs[i : i+1]})
		}
		c.add(points)
		var b strings.Builder
		require.NoError(t, c.Plot(&b, "a title", ".svg"), row.name)
		require.Equal(t, row.line, strings.Contains(b.String(), "stroke-dasharray:3,3"), row.name)
		if row.want == "" {
			require.NotContains(t, b.String(), ">no ", row.name)
			require.Contains(t, b.String(), ">packet latency, mean<", row.name)
			continue
		}
		require.Contains(t, b.String(), ">"+row.want+"<", row.name)
		require.NotContains(t, b.String(), ">packet latency, mean<", row.name)
	}
}

// Axes have at least four labels, at multiples of 1, 2 or 5 times a power of ten.
func TestDecimalTicks(t *testing.T) {
	for _, row := range []struct {
		from, to float64
		labels   string
		ticks    int
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0", 21},
		{0, 0.2 * 1.02, "0.00 0.05 0.10 0.15 0.20", 21},
		{0, 0.28 * 1.02, "0.00 0.05 0.10 0.15 0.20 0.25", 29},
		{0, 0.3, "0.0 0.1 0.2 0.3", 16},
		{0, 29.4, "0 5 10 15 20 25", 30},
		{0, 1499, "0 200 400 600 800 1000 1200 1400", 30},
		{0, 2e-9, "0 5e-10 1e-09 1.5e-09 2e-09", 21},
		{-3, 3, "-3 -2 -1 0 1 2 3", 31},
		{1, 1, "", 0},
	} {
		var labels []string
		ticks := decimalTicks{}.Ticks(row.from, row.to)
		for _, tick := range ticks {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		require.Equal(t, row.labels, strings.Join(labels, " "), "%g to %g", row.from, row.to)
		require.Len(t, ticks, row.ticks, "%g to %g", row.from, row.to)
	}
}

// The search ends between two neighbouring multiples of the resolution, and agrees with a curve of all of them.
func TestSaturation(t *testing.T) {
	s := loadStudy(t, "mesh:4x4", 1)
	var all []float64
	for i := 1; i <= 20; i++ {
		all = append(all, rateAt(0, i, 0.05))
	}
	curve, err := s.Curve(context.Background(), all)
	require.NoError(t, err)
	found, err := s.Saturation(context.Background(), 0.05)
	require.NoError(t, err)
	require.Equal(t, curve.Stable, found.Stable)
	require.Equal(t, curve.Unstable, found.Unstable)
	require.Less(t, len(found.Points), 12)
	// A flit in every cycle is not too much for a link of its own.
	s.Topology, err = topology.Parse("path:2")
	require.NoError(t, err)
	s.Load.Pattern, err = traffic.ParsePattern("neighbor", s.Topology)
	require.NoError(t, err)
	s.Load.Requests, err = traffic.ParseSizes("1")
	require.NoError(t, err)
	found, err = s.Saturation(context.Background(), 0.25)
	require.NoError(t, err)
	require.Equal(t, 1.0, found.Stable)
	require.Zero(t, found.Unstable)
}

// With a limit of the latency a search ends at the last rate whose packets are fast enough on average; what is not steady for another reason keeps that reason.
func TestSaturationByLatency(t *testing.T) {
	s := loadStudy(t, "mesh:4x4", 1)
	free, err := s.Saturation(t.Context(), 0.02)
	require.NoError(t, err)
	s.MostLatency = 12
	found, err := s.Saturation(t.Context(), 0.02)
	require.NoError(t, err)
	require.Less(t, found.Stable, free.Stable)
	causes := map[traffic.Cause]int{}
	for i := range found.Points {
		p := &found.Points[i]
		cause, why := p.Unstable()
		causes[cause]++
		require.Equal(t, p.Rate <= found.Stable, cause == "", "%g", p.Rate)
		if latency := p.Runs[0].Packet.Mean; cause == "" {
			require.LessOrEqual(t, latency, 12.)
		} else if cause == traffic.TooSlow {
			require.Greater(t, latency, 12.)
			require.Equal(t, fmt.Sprintf("packets take %.2f cycles on average, the limit is 12", latency), why)
		}
	}
	require.NotZero(t, causes[traffic.TooSlow])
	require.Greater(t, len(causes), 2)
}

// With several seeds each of them has a border of its own, below which its runs are stable and above which they are not. All together are stable up to the lowest.
func TestSaturationOfSeeds(t *testing.T) {
	s := loadStudy(t, "mesh:4x4", 3)
	s.Phases = traffic.Phases{WarmUp: 200, Measure: 400, Drain: 1000} // so short that the seeds differ
	all, err := s.Saturation(t.Context(), 0.02)
	require.NoError(t, err)
	require.Len(t, all.Seeds, 3)
	lowest, sum := 1.0, 0.0
	for k, b := range all.Seeds {
		one := *s
		one.Seeds, one.Load.Seed = 1, s.Load.Seed+uint64(k)
		require.Equal(t, one.Load.Seed, b.Seed)
		ends, err := one.Curve(t.Context(), []float64{b.Stable, b.Unstable})
		require.NoError(t, err)
		require.Equal(t, [2]float64{b.Stable, b.Unstable}, [2]float64{ends.Stable, ends.Unstable})
		require.InDelta(t, 0.02, b.Unstable-b.Stable, 1e-9)
		lowest, sum = min(lowest, b.Stable), sum+b.Stable
	}
	require.Equal(t, lowest, all.Stable)
	require.NotEqual(t, lowest*3, sum)
	require.InDelta(t, sum/3, all.Border().Mean, 1e-12)
	require.Greater(t, all.Border().Half, 0.02)
	// Seeds that agree are known no better than the search looks.
	same := LoadCurve{Resolution: 0.02, Seeds: []SeedBorder{{1, 0.3, 0.32}, {2, 0.3, 0.32}}}
	require.Equal(t, Estimate{0.3, 0.02}, same.Border())
}

// The file has the figures of the runs.
func TestLoadCSV(t *testing.T) {
	s := loadStudy(t, "mesh:4x4", 3)
	c, err := s.Curve(context.Background(), []float64{0.2, 0.1})
	require.NoError(t, err)
	require.Equal(t, 0.1, c.Points[0].Rate)
	var b bytes.Buffer
	const title = "uniform on mesh:4x4, machine \"mine\", startup 3"
	require.NoError(t, c.WriteCSV(&b, title))
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for i, want := range []string{"run", title, title} {
		require.Equal(t, want, rows[i][len(rows[i])-1])
	}
	column := func(name string, row int) float64 {
		for i, header := range rows[0] {
			if header == name {
				x, err := strconv.ParseFloat(rows[row][i], 64)
				require.NoError(t, err)
				return x
			}
		}
		require.Fail(t, "no column", name)
		return 0
	}
	values := []float64{}
	for _, r := range c.Points[1].Runs {
		values = append(values, r.Packet.Mean)
	}
	sum := (values[0] + values[1] + values[2]) / 3
	require.InEpsilon(t, sum, column("packet_latency_mean", 2), 1e-6)
	deviation := math.Sqrt(((values[0]-sum)*(values[0]-sum) + (values[1]-sum)*(values[1]-sum) + (values[2]-sum)*(values[2]-sum)) / 2)
	require.InEpsilon(t, 4.3026527*deviation/math.Sqrt(3), column("packet_latency_mean_half", 2), 1e-6)
	longest, busiest := 0.0, 0.0
	for _, r := range c.Points[1].Runs {
		longest, busiest = max(longest, r.Packet.Max), max(busiest, r.Links.Most)
	}
	require.InDelta(t, longest, column("packet_latency_max", 2), 1e-9)
	require.InEpsilon(t, busiest, column("links_busy_max", 2), 1e-6)
	require.NotContains(t, rows[0], "packet_latency_max_half")
	var nodes, pairs bytes.Buffer
	require.NoError(t, c.WriteNodes(&nodes))
	require.NoError(t, c.WritePairs(&pairs))
	require.Equal(t, 1+2*3*16, strings.Count(nodes.String(), "\n"))
	require.Greater(t, strings.Count(pairs.String(), "\n"), 1000)
}

// The file of latencies has all measured packets: their mean and percentiles are the figures of the run. A rate
// without latencies has no rows.
func TestLatenciesCSV(t *testing.T) {
	for _, name := range []string{"wormhole", "store-forward"} {
		s := loadStudy(t, "mesh:4x4", 2)
		var err error
		s.Machine, err = machine.Preset(name)
		require.NoError(t, err)
		if name == "store-forward" {
			require.NoError(t, s.Machine.Set("setup", "3/2")) // two ticks a cycle
		}
		s.Machine, err = s.Machine.FitPackets(4)
		require.NoError(t, err)
		s.KeepLatencies = true
		c, err := s.Curve(t.Context(), []float64{0.05, 0.1, 1})
		require.NoError(t, err)
		require.False(t, c.Points[2].Latent())
		var b bytes.Buffer
		require.NoError(t, c.WriteLatencies(&b))
		rows, err := csv.NewReader(&b).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"rate", "seed", "cycles", "packets"}, rows[0])
		latencies := map[string][]float64{} // in the order of the file, by rate and seed
		for _, row := range rows[1:] {
			cycles, err := strconv.ParseFloat(row[2], 64)
			require.NoError(t, err)
			packets, err := strconv.Atoi(row[3])
			require.NoError(t, err)
			require.Positive(t, packets)
			key := row[0] + "," + row[1]
			latencies[key] = append(latencies[key], slices.Repeat([]float64{cycles}, packets)...)
		}
		require.Len(t, latencies, 4)
		for _, p := range c.Points[:2] {
			for _, r := range p.Runs {
				all := latencies[number(p.Rate)+","+strconv.FormatUint(r.Seed, 10)]
				require.True(t, slices.IsSorted(all))
				sum := 0.0
				for _, cycles := range all {
					sum += cycles
				}
				quantile := func(share float64) float64 { return all[int(math.Ceil(share*float64(len(all))))-1] }
				require.Equal(t, r.Packet.Count, float64(len(all)))
				require.InEpsilon(t, r.Packet.Mean, sum/float64(len(all)), 1e-9)
				require.Equal(t, []float64{r.Packet.Median, r.Packet.P95, r.Packet.P99, r.Packet.Max}, []float64{quantile(0.5), quantile(0.95), quantile(0.99), all[len(all)-1]})
			}
		}
	}
	s := loadStudy(t, "mesh:2x2", 1)
	c, err := s.Curve(t.Context(), []float64{0.1})
	require.NoError(t, err)
	require.Nil(t, c.Points[0].Runs[0].Latencies, "nothing is kept unless asked for")
}

// Without packets nothing tells whether a load is steady.
func TestLoadWithoutPackets(t *testing.T) {
	s := loadStudy(t, "mesh:2x2", 1)
	s.Phases.Measure = 10
	c, err := s.Curve(t.Context(), []float64{1e-9, 0.5})
	require.NoError(t, err)
	require.True(t, c.Points[0].Empty())
	require.False(t, c.Points[1].Empty())
	var b bytes.Buffer
	require.NoError(t, c.WriteCSV(&b, "t"))
	require.Contains(t, b.String(), "\n1e-09,,,0,")

	some := LoadPoint{Runs: []LoadRun{{}, {Summary: traffic.Summary{Packets: 1}}, {}}}
	require.Equal(t, 2, some.EmptyRuns())
	require.True(t, some.Empty()) // not stable: nobody knows
	some.Runs[1].Cause = traffic.PiledUp
	require.False(t, some.Empty())
	require.Contains(t, b.String(), "\n0.5,true,,")
}

// The file says why a point is not stable: a deadlock of any run, or else the cause of the first run that has one.
func TestLoadCSVHasCauses(t *testing.T) {
	for _, row := range []struct {
		causes []traffic.Cause // of the runs, "" of a stable one
		want   string
	}{
		{[]traffic.Cause{"", ""}, "0.5,true,,2,"},
		{[]traffic.Cause{"", traffic.Rising}, "0.5,false,the latency rises,2,"},
		{[]traffic.Cause{traffic.PiledUp, traffic.NotDelivered}, "0.5,false,flits pile up,2,"},
		{[]traffic.Cause{traffic.PiledUp, traffic.Deadlocked}, "0.5,false,deadlock,2,"},
	} {
		c := LoadCurve{Points: []LoadPoint{{Rate: 0.5}}}
		for _, cause := range row.causes {
			c.Points[0].Runs = append(c.Points[0].Runs, LoadRun{Summary: traffic.Summary{Cause: cause, Packets: 1}})
		}
		var b strings.Builder
		require.NoError(t, c.WriteCSV(&b, "t"))
		require.True(t, strings.HasPrefix(b.String(), "rate,stable,unstable_cause,packets,offered,"), b.String())
		require.Contains(t, b.String(), "\n"+row.want)
	}
}

// Student's distribution, by the usual table.
func TestStudent(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 30: 2.042, 60: 2.000, 120: 1.980} {
		require.InDelta(t, want, studentT(0.95, freedom), 0.0006, freedom)
	}
	require.InDelta(t, 63.657, studentT(0.99, 1), 0.001)
	require.Equal(t, 7.0, NewEstimate([]float64{7}).Mean)
	require.True(t, math.IsNaN(NewEstimate([]float64{7}).Half))
}

func TestRates(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1": {0.1}, "0.3,0.1": {0.1, 0.3}, "0.02:0.1:0.02": {0.02, 0.04, 0.06, 0.08, 0.1}, "0.1:0.3:0.1,1": {0.1, 0.2, 0.3, 1},
	} {
		rates, err := ParseRates(text)
		require.NoError(t, err)
		require.Equal(t, want, rates)
	}
	for text, want := range map[string]string{
		"":                 "no rate (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)",
		"x":                `"x" is not a rate (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`,
		"NaN":              `"NaN" is not a rate (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`,
		"0":                "a rate of 0 (expected more than 0, at most 1 flit per source and cycle)",
		"0.5,1.01":         "a rate of 1.01 (expected more than 0, at most 1 flit per source and cycle)",
		"0.1,0.1":          "rate 0.1 twice (expected each rate once)",
		"0.1:0.2":          `rates "0.1:0.2" (expected a rate, a list 0.1,0.2, or FROM:TO:STEP)`,
		"0.2:0.1:0.1":      `rates "0.2:0.1:0.1": the range is empty (expected TO at or above FROM)`,
		"1e-10:0.1:1e-300": `rates "1e-10:0.1:1e-300" (expected a larger step)`,
		"0.1:0.1:1e-300":   `rates "0.1:0.1:1e-300" (expected a larger step)`,
		"0.1:0.2:0":        `rates "0.1:0.2:0" (expected a step above 0)`,
		"0.1:1:1e-9":       `rates "0.1:1:1e-9": more rates than that (expected at most 10000)`,
	} {
		_, err := ParseRates(text)
		require.EqualError(t, err, want)
	}
}

// What has no runs is refused.
func TestLoadStudiesThatMakeNoSense(t *testing.T) {
	for want, change := range map[string]func(*LoadStudy){
		"0 seeds at each rate (expected 1 to 1000)":                                   func(s *LoadStudy) { s.Seeds = 0 },
		"latency limit: -1 (expected a number of cycles above 0, at most 1000000000)": func(s *LoadStudy) { s.MostLatency = -1 },
		"-1 seeds at each rate (expected 1 to 1000)":                                  func(s *LoadStudy) { s.Seeds = -1 },
		"no topology (expected one that topology.Parse has made)":                     func(s *LoadStudy) { *s = LoadStudy{} },
		"a load without a pattern (expected a pattern, see traffic.ParsePattern)":     func(s *LoadStudy) { s.Load.Pattern = nil },
		"a load without requests (expected sizes of packets, see traffic.ParseSizes)": func(s *LoadStudy) { s.Load.Requests = traffic.Sizes{} },
	} {
		s := loadStudy(t, "mesh:2x2", 1)
		change(s)
		_, err := s.Curve(t.Context(), []float64{0.1})
		require.EqualError(t, err, want)
		require.ErrorAs(t, err, new(*input.Error))
	}
	s := loadStudy(t, "mesh:2x2", 1)
	_, err := s.Curve(t.Context(), nil)
	require.EqualError(t, err, "no rates (expected at least one)")
	for resolution, want := range map[float64]string{
		0: "resolution: 0 (expected 0.0001 to 0.5)", -1: "resolution: -1 (expected 0.0001 to 0.5)",
	} {
		_, err := s.Saturation(t.Context(), resolution)
		require.EqualError(t, err, want)
	}
	s.Load.Injection = traffic.Injection{Burst: 1, OnRate: 0.5}
	_, err = s.Saturation(t.Context(), 0.5)
	require.ErrorContains(t, err, "expected a lower rate")
	s.Trace = &traffic.Trace{}
	_, err = s.Saturation(t.Context(), 0.1)
	require.EqualError(t, err, "the saturation of a trace (expected a load)")
}

// The flits of headers are the machine's, whatever the load says.
func TestLoadStudyTakesTheHeadersOfTheMachine(t *testing.T) {
	var accepted []float64
	for _, headers := range []int{0, 50} {
		s := loadStudy(t, "mesh:2x2", 1)
		s.Load.Headers = headers
		c, err := s.Curve(t.Context(), []float64{0.1})
		require.NoError(t, err)
		accepted = append(accepted, c.Points[0].Runs[0].Accepted)
	}
	require.Equal(t, accepted[0], accepted[1])
}

// Fewer workers run when their networks do not fit into the memory together, and none when one does not.
func TestLoadMemory(t *testing.T) {
	s := loadStudy(t, "mesh:64x64", 1)
	s.Workers = 8
	ctx := memory.With(context.Background(), memory.GB)
	workers, err := s.workers(ctx)
	require.NoError(t, err)
	require.Equal(t, 8, workers)
	_, err = s.workers(memory.With(context.Background(), memory.MB))
	var large *memory.TooLarge
	require.ErrorAs(t, err, &large)
}

// Nothing could end a study without a context.
func TestLoadStudyWithoutAContext(t *testing.T) {
	var none context.Context
	_, err := loadStudy(t, "ring:4", 1).Curve(none, []float64{0.1})
	require.EqualError(t, err, "no context (expected a context)")
	_, err = loadStudy(t, "ring:4", 1).Saturation(none, 0.1)
	require.EqualError(t, err, "no context (expected a context)")
}

// A long title has several lines, none of which is wider than the plot.
func TestTitlesHaveLines(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"one":          "one",
		"one two":      "one two",
		"one two six":  "one two\nsix",
		"µµµ µµµ µµµ":  "µµµ µµµ\nµµµ",
		"muchlonger a": "muchlonger\na",
	} {
		require.Equal(t, want, inLines(text, 7))
	}
}
