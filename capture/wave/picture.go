// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"meshwright/capture/svg"
	"meshwright/router"
	"meshwright/rtl"
)

// Bounds of a picture: what is beyond is left out.
const (
	mostRows   = 60
	mostCycles = 48
)

// writeSVG draws the first signals in the first cycles. The flits of cycles in which they are not valid are left out, and
// values that differ from those of the first side are marked.
func (d *Dump) writeSVG(w io.Writer) error {
	table, first, more, err := d.table()
	if err != nil {
		return err
	}
	rows := d.rows()
	picture := svg.Waveform{Title: d.Title, Subtitle: "what links, buffers and channels show, by cycle", First: int64(first)}
	if len(rows) > mostRows {
		picture.Notes = append(picture.Notes, fmt.Sprintf("%d rows more are left out.", len(rows)-mostRows))
		rows = rows[:mostRows]
	}
	if more {
		picture.Notes = append(picture.Notes, fmt.Sprintf("Cycles after %d are left out.", int64(first)+mostCycles-1))
	}
	for _, r := range rows {
		picture.Rows = append(picture.Rows, d.drawn(r, table))
	}
	return picture.Draw(w)
}

// drawn is a row as it is drawn.
func (d *Dump) drawn(r row, table [][][]string) svg.WaveRow {
	if r.headline != "" {
		return svg.WaveRow{Name: r.headline}
	}
	probe := slices.IndexFunc(d.Probes, func(p rtl.Probe) bool { return slices.Equal(p.Path(), r.probe.Path()) })
	out := svg.WaveRow{Name: r.side + " " + r.probe.Name, Bit: r.probe.Width == 1}
	side := slices.IndexFunc(d.Sides, func(s Side) bool { return s.Name == r.side })
	for at := range table {
		value, expected := table[at][side][probe], table[at][0][probe]
		if strings.HasSuffix(r.probe.Name, "flit") {
			value, expected = shownFlit(table[at][side], probe, value), shownFlit(table[at][0], probe, expected)
		}
		out.Wrong = append(out.Wrong, value != expected)
		out.Values = append(out.Values, written(r.probe, value))
	}
	return out
}

// shownFlit is a flit under its valid, the signal before it; else "".
func shownFlit(values []string, probe int, flit string) string {
	if values[probe-1] != "1" {
		return ""
	}
	return flit
}

// written is a value as a viewer would write it: flits as hexadecimal numbers, the others as decimal ones.
func written(p *rtl.Probe, value string) string {
	number, ok := new(big.Int).SetString(value, 2)
	switch {
	case p.Width == 1 || !ok:
		return value
	case strings.HasSuffix(p.Name, "flit"):
		return fmt.Sprintf("%0*x", (p.Width+3)/4, number)
	}
	return number.String()
}

// table lists the values by cycle, side and probe, from the first cycle of the dump on; more reports whether there are later cycles.
func (d *Dump) table() (table [][][]string, first router.Cycle, more bool, err error) {
	now := make([][]string, len(d.Sides))
	for s := range now {
		for _, p := range d.Probes {
			now[s] = append(now[s], strings.Repeat("0", p.Width))
		}
	}
	keep := func() {
		var copied [][]string
		for _, values := range now {
			copied = append(copied, slices.Clone(values))
		}
		table = append(table, copied)
	}
	begun, cycle := false, router.Cycle(0)
	for s, change := range d.merged() {
		if !begun {
			begun, first, cycle = true, change.Cycle, change.Cycle
		}
		for ; cycle < change.Cycle && len(table) < mostCycles; cycle++ {
			keep()
		}
		if len(table) == mostCycles {
			return table, first, true, nil
		}
		now[s][change.Probe] = change.Value
	}
	keep()
	return table, first, false, d.failure()
}
