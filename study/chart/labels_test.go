// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// The names below bars never touch.
func TestNamesOfBars(t *testing.T) {
	many := func(n int, format string) []string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(format, i))
		}
		return names
	}
	const wide = 400 // of the bars, in points
	for _, row := range []struct {
		name    string
		names   []string
		numbers bool
		turned  bool
		want    int    // names that are written
		last    string // of them
	}{
		{"short", []string{"base", "two VCs", "adaptive"}, false, false, 3, "adaptive"},
		{"long", []string{"base", "virtual channels: two of them in all chips", "all of it"}, false, true, 3, "all of it"},
		{"shortened in the middle", many(3, strings.Repeat("very ", 10)+"long name %d"), false, true, 3, "very ver… name 2"},
		{"many", many(20, "choice %d"), false, true, 20, "choice 19"},
		{"very many", many(60, "choice %d"), false, true, 30, "choice 58"},
		{"one", []string{"one"}, false, false, 1, "one"},
		{"one without end", []string{strings.Repeat("long", 50)}, false, true, 1, "longlong…onglong"},
		{"numbers", many(10, "%d"), true, false, 10, "9"},
		{"many numbers", many(100, "%d"), true, false, 25, "96"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := plot.New()
			style := &p.X.Tick.Label
			style.Font.Variant, style.Font.Size = "Sans", 10
			b := barRoom{names: row.names, numbers: row.numbers}
			unit := vg.Length(wide) / vg.Length(len(row.names))
			ticks := b.label(style, unit)
			last := ticks[len(ticks)-1]
			require.Equal(t, row.last, strings.TrimRight(last.Label, "\u00a0"))
			require.Len(t, ticks, row.want)
			require.Equal(t, row.turned, style.Rotation > 0)
			style.Rotation = 0
			for i, tick := range ticks {
				if row.turned {
					require.LessOrEqual(t, style.Width(tick.Label), vg.Length(mostTurned+14))
				} else if i > 0 {
					room := vg.Length(tick.Value-ticks[i-1].Value) * unit
					require.Less(t, style.Width(tick.Label)/2+style.Width(ticks[i-1].Label)/2, room)
				}
			}
			if row.turned && len(ticks) > 1 {
				require.Greater(t, vg.Length(ticks[1].Value)*unit*0.86, style.Font.Size, "between the lines of the names")
			}
		})
	}
}

// A label of the upright axis leaves room for fonts that are wider than the one in which it is measured.
func TestLongLabelsAreBroken(t *testing.T) {
	for _, row := range []struct{ label, want string }{
		{"cycles", "cycles"},
		{"saturation.highest_stable_rate, flits per source and cycle", "saturation.highest_stable_rate,\nflits per source and cycle"},
		{"the mean latency of all packets that were measured in a run", "the mean latency of all packets\nthat were measured in a run"},
		{strings.Repeat("x", 80), strings.Repeat("x", 80)},
	} {
		c := &Chart{plot: plot.New()}
		c.plot.Y.Label.TextStyle.Font.Variant, c.plot.Y.Label.TextStyle.Font.Size = "Sans", 11
		c.labelY(row.label)
		y := c.plot.Y.Label
		require.Equal(t, row.want, y.Text)
		require.True(t, y.TextStyle.Width(y.Text) <= mostLabel*height || y.TextStyle.Font.Size <= leastLabel, row.label)
	}
}
