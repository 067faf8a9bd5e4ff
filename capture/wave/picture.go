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

// moment is the value of a signal in a cycle, and whose flit it is.
type moment struct {
	value string
	label rtl.FlitLabel
}

// writeSVG draws the first signals in the first cycles that show something there. The flits of cycles in which they are not
// valid are left out, and values that differ from those of the first side are marked.
func (d *Dump) writeSVG(w io.Writer) error {
	table, first, more, err := d.table()
	if err != nil {
		return err
	}
	rows, idle := d.active(table)
	picture := svg.Waveform{Title: d.Title, Subtitle: "what links, buffers and channels show, by cycle", First: int64(first)}
	if idle > 0 {
		picture.Notes = append(picture.Notes, fmt.Sprintf("Signals that show nothing in these cycles are left out: %d.", idle))
	}
	if len(rows) > mostRows {
		picture.Notes = append(picture.Notes, fmt.Sprintf("%d rows more are left out.", len(rows)-mostRows))
		rows = rows[:mostRows]
	}
	picture.Rows = rows
	if more {
		picture.Notes = append(picture.Notes, fmt.Sprintf("Cycles after %d are left out.", int64(first)+mostCycles-1))
	}
	return picture.Draw(w)
}

// active lists the rows of signals that show something on one of the sides, below the headlines that still have some, and counts
// the other rows.
func (d *Dump) active(table [][][]moment) (list []svg.WaveRow, idle int) {
	rows := d.rows()
	drawn := make([]svg.WaveRow, len(rows))
	busy := map[*rtl.Probe]bool{}
	for i, r := range rows {
		drawn[i] = d.drawn(r, table)
		busy[r.probe] = busy[r.probe] || r.probe != nil && !isIdle(&drawn[i])
	}
	for i, r := range rows {
		switch {
		case r.probe != nil && !busy[r.probe]:
			idle++
			continue
		case r.probe == nil && len(list) > 0 && list[len(list)-1].Values == nil:
			list = list[:len(list)-1] // the headline before has no rows
		}
		list = append(list, drawn[i])
	}
	if len(list) > 0 && list[len(list)-1].Values == nil {
		list = list[:len(list)-1]
	}
	return list, idle
}

// isIdle reports whether a signal shows nothing: it has one value in all cycles, which is 0 or that of a register that waits, and
// differs from no other side.
func isIdle(r *svg.WaveRow) bool {
	for i, value := range r.Values {
		if value != r.Values[0] || r.Wrong[i] {
			return false
		}
	}
	return r.Values[0] == "" || r.Values[0] == "0" || strings.HasSuffix(r.Name, "ready")
}

// drawn is a row as it is drawn. A flit is written as its message and its place there, which the model knows, and bit by bit
// where a simulator shows another one.
func (d *Dump) drawn(r row, table [][][]moment) svg.WaveRow {
	if r.headline != "" {
		return svg.WaveRow{Name: r.headline}
	}
	probe := slices.IndexFunc(d.Probes, func(p rtl.Probe) bool { return slices.Equal(p.Path(), r.probe.Path()) })
	out := svg.WaveRow{Name: r.probe.Name, Bit: r.probe.Width == 1}
	if len(d.Sides) > 1 {
		out.Name = r.side + " " + out.Name
	}
	side := slices.IndexFunc(d.Sides, func(s Side) bool { return s.Name == r.side })
	for at := range table {
		value, expected := table[at][side][probe].value, table[at][0][probe].value
		text := written(r.probe, value)
		if strings.HasSuffix(r.probe.Name, "flit") {
			value, expected = shownFlit(table[at][side], probe), shownFlit(table[at][0], probe)
			text = written(r.probe, value)
			if label := table[at][0][probe].label; label.Flit > 0 && value != "" && value == expected {
				text = fmt.Sprintf("m%d.%d", label.Message, label.Flit)
			}
		}
		out.Wrong = append(out.Wrong, value != expected)
		out.Values = append(out.Values, text)
	}
	return out
}

// shownFlit is a flit under its valid, the signal before it; else "".
func shownFlit(values []moment, probe int) string {
	if values[probe-1].value != "1" {
		return ""
	}
	return values[probe].value
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
func (d *Dump) table() (table [][][]moment, first router.Cycle, more bool, err error) {
	now := make([][]moment, len(d.Sides))
	for s := range now {
		for _, p := range d.Probes {
			now[s] = append(now[s], moment{value: strings.Repeat("0", p.Width)})
		}
	}
	keep := func() {
		var copied [][]moment
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
		now[s][change.Probe] = moment{change.Value, change.Label}
	}
	keep()
	return table, first, false, d.failure()
}
