// SPDX-License-Identifier: Apache-2.0

package study

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/traffic"
	"meshwright/internal/escape"
	"meshwright/router"
)

// loadColumn is a column of the curve as a file.
type loadColumn struct {
	name    string
	latency bool // empty where a point has no latencies; no figure is there where nothing was measured
	of      func(*LoadRun) float64
	longest bool // the largest figure of all runs, not their mean
}

// loadColumns are the figures of a point; each has a column for half its interval, too.
func loadColumns() []loadColumn {
	columns := []loadColumn{
		{"offered", false, func(r *LoadRun) float64 { return r.Offered }, false},
		{"accepted", false, func(r *LoadRun) float64 { return r.Accepted }, false},
		{"accepted_of_a_source_min", false, func(r *LoadRun) float64 { return r.Fewest }, false},
		{"accepted_of_a_source_max", false, func(r *LoadRun) float64 { return r.Most }, false},
		{"fairness", false, func(r *LoadRun) float64 { return r.Fairness.Jain }, false},
	}
	for _, l := range []struct {
		name string
		of   func(*LoadRun) *Latency
	}{
		{"packet_latency", func(r *LoadRun) *Latency { return &r.Packet }},
		{"network_latency", func(r *LoadRun) *Latency { return &r.Network }},
		{"head_latency", func(r *LoadRun) *Latency { return &r.Head }},
	} {
		columns = append(columns,
			loadColumn{l.name + "_mean", true, func(r *LoadRun) float64 { return l.of(r).Mean }, false},
			loadColumn{l.name + "_median", true, func(r *LoadRun) float64 { return l.of(r).Median }, false},
			loadColumn{l.name + "_p95", true, func(r *LoadRun) float64 { return l.of(r).P95 }, false},
			loadColumn{l.name + "_p99", true, func(r *LoadRun) float64 { return l.of(r).P99 }, false},
			loadColumn{l.name + "_max", true, func(r *LoadRun) float64 { return l.of(r).Max }, true})
	}
	return append(columns,
		loadColumn{"links_busy_mean", false, func(r *LoadRun) float64 { return r.Links.Mean }, false},
		loadColumn{"links_busy_max", false, func(r *LoadRun) float64 { return r.Links.Most }, true})
}

// figure is what a column shows of a point, and half its interval, as texts; "" of what is not there.
func (c *loadColumn) figure(p *LoadPoint) (text, half string) {
	if !p.Measured() || c.latency && !p.Latent() {
		return "", ""
	}
	if c.longest {
		most := c.of(&p.Runs[0])
		for i := range p.Runs {
			most = max(most, c.of(&p.Runs[i]))
		}
		return number(most), ""
	}
	e := p.Figure(c.of)
	return number(e.Mean), number(e.Half)
}

// WriteCSV writes a row for each point; unstable_cause is a traffic.Cause, empty if the point is stable. The last column, run, has the title in each row, so that rows of several curves can stand in one table. With several seeds each figure is a mean, with a column for half its interval, but for the longest latencies and the
// busiest links of all runs.
func (c *LoadCurve) WriteCSV(w io.Writer, title string) error {
	out := bufio.NewWriter(w) // keeps the first error
	several := len(c.Points) > 0 && len(c.Points[0].Runs) > 1
	columns := loadColumns()
	row := []string{"rate", "stable", "unstable_cause", "packets"}
	for _, column := range columns {
		row = append(row, column.name)
		if several && !column.longest {
			row = append(row, column.name+"_half")
		}
	}
	writeRow(out, append(row, "run"))
	run := `"` + strings.ReplaceAll(escape.Line(title), `"`, `""`) + `"`
	for i := range c.Points {
		p := &c.Points[i]
		packets := uint64(0)
		for k := range p.Runs {
			packets += p.Runs[k].Packets
		}
		stable := ""
		if !p.Empty() {
			stable = strconv.FormatBool(p.Stable())
		}
		cause, _ := p.Unstable()
		row := []string{number(p.Rate), stable, string(cause), strconv.FormatUint(packets, 10)}
		for k := range columns {
			text, half := columns[k].figure(p)
			row = append(row, text)
			if several && !columns[k].longest {
				row = append(row, half)
			}
		}
		writeRow(out, append(row, run))
	}
	return out.Flush()
}

func writeRow(out *bufio.Writer, fields []string) {
	_, _ = out.WriteString(strings.Join(fields, ",") + "\n") // Flush returns the error
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }

// flowColumns are the columns of a node or pair, behind rate and seed.
const flowColumns = "generated,accepted,packets,mean_latency\n"

// WriteNodes writes a row for every node that sent in a run: flits generated and accepted per cycle of the measurement,
// and the measured packets that were delivered, with their mean packet latency.
func (c *LoadCurve) WriteNodes(w io.Writer) error {
	return c.writeFlows(w, "node", func(r *LoadRun, row func(name string, f traffic.Flow)) {
		for node, f := range r.Nodes {
			row(strconv.Itoa(node), f)
		}
	})
}

// WritePairs does the same for every pair of nodes between which packets went.
func (c *LoadCurve) WritePairs(w io.Writer) error {
	return c.writeFlows(w, "source,destination", func(r *LoadRun, row func(name string, f traffic.Flow)) {
		pairs := make([]traffic.Pair, 0, len(r.Pairs))
		for pair := range r.Pairs {
			pairs = append(pairs, pair)
		}
		slices.SortFunc(pairs, func(a, b traffic.Pair) int {
			if a.Source != b.Source {
				return int(a.Source - b.Source)
			}
			return int(a.Destination - b.Destination)
		})
		for _, pair := range pairs {
			row(strconv.Itoa(int(pair.Source))+","+strconv.Itoa(int(pair.Destination)), r.Pairs[pair])
		}
	})
}

// WriteLinks writes a row for every link of every run: the flits and packets that crossed it in the measurement, the part of the time in which it was busy, the cycles in
// which it was blocked, and the flits of each virtual channel, if there are several.
func (c *LoadCurve) WriteLinks(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.WriteString("rate,seed,from,to,port,flits,packets,busy_fraction,blocked_cycles")
	for vc := range c.lanes() {
		_, _ = fmt.Fprintf(out, ",flits_vc%d", vc)
	}
	_ = out.WriteByte('\n')
	c.eachRun(func(rate, seed string, r *LoadRun) {
		time := r.Measure * r.Ticks
		for i := range r.LinkFlow {
			f := &r.LinkFlow[i]
			row := []string{rate, seed, strconv.Itoa(int(f.Link.From)), strconv.Itoa(int(f.Link.To)), strconv.Itoa(int(f.Link.FromPort)),
				count(f.Flits), count(f.Packets), number(float64(f.Busy) / time), cycles(router.Cycle(f.Blocked), r.Ticks)}
			if len(f.VCs) > 1 {
				for _, flits := range f.VCs {
					row = append(row, count(flits))
				}
			}
			writeRow(out, row)
		}
	})
	return out.Flush()
}

// lanes is the number of virtual channels of a link; 0 if there is one, or nothing was measured.
func (c *LoadCurve) lanes() int {
	lanes := 0
	c.eachRun(func(_, _ string, r *LoadRun) {
		if len(r.LinkFlow) > 0 {
			lanes = max(lanes, len(r.LinkFlow[0].VCs))
		}
	})
	if lanes == 1 {
		return 0
	}
	return lanes
}

// WriteActivity writes a row for every node of every run, with the counts of traffic.Activity.
func (c *LoadCurve) WriteActivity(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.WriteString("rate,seed,node,injected,ejected,buffer_writes,buffer_reads,crossbar,link_flits\n")
	c.eachRun(func(rate, seed string, r *LoadRun) {
		for node := range r.Activity {
			a := &r.Activity[node]
			writeRow(out, []string{rate, seed, strconv.Itoa(node), count(a.Injected), count(a.Ejected), count(a.Written), count(a.Read), count(a.Crossbar()), count(a.Sent)})
		}
	})
	return out.Flush()
}

// eachRun calls yield for every run that has measured, with its rate and seed as texts.
func (c *LoadCurve) eachRun(yield func(rate, seed string, r *LoadRun)) {
	for i := range c.Points {
		for k := range c.Points[i].Runs {
			if r := &c.Points[i].Runs[k]; r.Measure > 0 {
				yield(number(c.Points[i].Rate), strconv.FormatUint(r.Seed, 10), r)
			}
		}
	}
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

// WriteLatencies writes how many measured packets had each packet latency, in cycles, if the study has kept them. A point
// without latencies has no rows, see LoadPoint.Latent.
func (c *LoadCurve) WriteLatencies(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.WriteString("rate,seed,cycles,packets\n")
	for i := range c.Points {
		p := &c.Points[i]
		if !p.Latent() {
			continue
		}
		for k := range p.Runs {
			r := &p.Runs[k]
			if r.Latencies == nil {
				continue
			}
			for t, packets := range r.Latencies.All() {
				writeRow(out, []string{
					number(p.Rate), strconv.FormatUint(r.Seed, 10), cycles(t, r.Ticks), strconv.FormatUint(packets, 10),
				})
			}
		}
	}
	return out.Flush()
}

// cycles is a time in ticks as cycles of so many ticks, with all digits that tell two times apart.
func cycles(t router.Cycle, ticks float64) string {
	return strconv.FormatFloat(float64(t)/ticks, 'f', -1, 64)
}

// writeFlows writes the rows of all points and runs.
func (c *LoadCurve) writeFlows(w io.Writer, names string, each func(r *LoadRun, row func(name string, f traffic.Flow))) error {
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.WriteString("rate,seed," + names + "," + flowColumns)
	for i := range c.Points {
		for k := range c.Points[i].Runs {
			r := &c.Points[i].Runs[k]
			each(r, func(name string, f traffic.Flow) {
				if f == (traffic.Flow{}) {
					return
				}
				latency := ""
				if f.Packets > 0 {
					latency = number(float64(f.Latency) / r.Ticks / float64(f.Packets))
				}
				writeRow(out, []string{
					number(c.Points[i].Rate), strconv.FormatUint(r.Seed, 10), name, number(float64(f.Generated) / r.Measure),
					number(float64(f.Delivered) / r.Measure), strconv.FormatUint(f.Packets, 10), latency,
				})
			})
		}
	}
	return out.Flush()
}
