// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"meshwright/internal/escape"
	"meshwright/router"
	"meshwright/rtl"
)

// Side is one party's account of the signals.
type Side struct {
	Name    string // the root of its tree
	Changes iter.Seq[rtl.Change]

	err func() error // what went wrong in Changes; nil: nothing can
}

// Dump is a waveform: the same probes as each side saw them.
type Dump struct {
	Title  string
	Probes []rtl.Probe
	Sides  []Side
	Mark   router.Cycle   // where views have their marker
	Focus  *router.NodeID // the node that views show first; nil: none
}

// writeVCD writes the dump as a value change dump (IEEE 1364-2005, 18.2).
func (d *Dump) writeVCD(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "$comment %s $end\n$version meshwright $end\n$timescale 1 ns $end\n", strings.ReplaceAll(escape.Line(d.Title), "$", "_"))
	for s := range d.Sides {
		d.declare(out, s)
	}
	fmt.Fprint(out, "$enddefinitions $end\n")
	now, begun := router.Cycle(0), false
	for s, change := range d.merged() {
		if !begun {
			now, begun = change.Cycle, true
			d.begin(out, now)
		}
		if change.Cycle != now {
			now = change.Cycle
			fmt.Fprintf(out, "#%d\n", now)
		}
		d.value(out, s, change.Probe, change.Value)
	}
	if !begun {
		d.begin(out, 0)
	}
	fmt.Fprintf(out, "#%d\n", now+1)
	if err := d.failure(); err != nil {
		return err
	}
	return out.Flush()
}

// failure is what went wrong while the changes were read.
func (d *Dump) failure() error {
	for _, side := range d.Sides {
		if side.err == nil {
			continue
		}
		if err := side.err(); err != nil {
			return err
		}
	}
	return nil
}

// begin writes the values before the first change.
func (d *Dump) begin(out io.Writer, at router.Cycle) {
	fmt.Fprintf(out, "#%d\n$dumpvars\n", at)
	for s := range d.Sides {
		for p := range d.Probes {
			d.value(out, s, p, strings.Repeat("0", d.Probes[p].Width))
		}
	}
	fmt.Fprint(out, "$end\n")
}

// declare writes the tree of a side.
func (d *Dump) declare(out io.Writer, side int) {
	var open []string
	enter := func(scopes []string) {
		same := 0
		for same < min(len(open), len(scopes)) && open[same] == scopes[same] {
			same++
		}
		for range open[same:] {
			fmt.Fprintln(out, "$upscope $end")
		}
		for _, scope := range scopes[same:] {
			fmt.Fprintf(out, "$scope module %s $end\n", scope)
		}
		open = scopes
	}
	for i := range d.Probes {
		p := &d.Probes[i]
		path := append([]string{d.Sides[side].Name}, p.Path()...)
		enter(path[:len(path)-1])
		fmt.Fprintf(out, "$var wire %d %s %s%s $end\n", p.Width, d.code(side, i), p.Name, spaced(bits(p)))
	}
	enter(nil)
}

// bits is the range of a probe of several bits; "" of one.
func bits(p *rtl.Probe) string {
	if p.Width == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0]", p.Width-1)
}

func spaced(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// code is the short name of a signal: a number in digits from ! to ~, the lowest first.
func (d *Dump) code(side, probe int) string {
	const first, digits = '!', '~' - '!' + 1
	var code []byte
	for n := side*len(d.Probes) + probe; ; n = n/digits - 1 {
		code = append(code, byte(first+n%digits))
		if n < digits {
			return string(code)
		}
	}
}

// value writes a value of a signal.
func (d *Dump) value(out io.Writer, side, probe int, value string) {
	if len(value) == 1 {
		fmt.Fprintf(out, "%s%s\n", value, d.code(side, probe))
		return
	}
	fmt.Fprintf(out, "b%s %s\n", shortened(value), d.code(side, probe))
}

// shortened leaves out the digits that readers put in again: zeros in front of a 1 or 0.
func shortened(value string) string {
	short := strings.TrimLeft(value, "0")
	if short == "" || strings.ContainsRune("xz", rune(short[0])) {
		return "0" + short
	}
	return short
}

// merged ranges over the changes of all sides, in the order of cycles.
func (d *Dump) merged() iter.Seq2[int, rtl.Change] {
	return func(yield func(int, rtl.Change) bool) {
		nexts := make([]func() (rtl.Change, bool), len(d.Sides))
		heads := make([]*rtl.Change, len(d.Sides))
		advance := func(s int) {
			heads[s] = nil
			if change, more := nexts[s](); more {
				heads[s] = &change
			}
		}
		for s, side := range d.Sides {
			next, stop := iter.Pull(side.Changes)
			defer stop()
			nexts[s] = next
			advance(s)
		}
		for {
			first := -1
			for s, head := range heads {
				if head != nil && (first < 0 || head.Cycle < heads[first].Cycle) {
					first = s
				}
			}
			if first < 0 || !yield(first, *heads[first]) {
				return
			}
			advance(first)
		}
	}
}
