// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"io"

	"meshwright/rtl/verilog"
)

// This file is what an extension of an export needs to drive faults itself, and to check the counters of errors.

// FaultTable says in which cycles links go wrong, or the buffers behind them.
type FaultTable struct {
	Links, Width, Events  int // links that do, bits of each that may be inverted, lines
	LinkWidth, CycleWidth int // of a line

	list []faultEvent
}

// LinkFaults are the faults of links, for the ports lose_i and flip_i of top; Links is 0 without.
func (v *Vectors) LinkFaults() FaultTable { return v.faultTable(len(v.faulty), v.Width, v.faultEvents) }

// HasLinkFaults reports whether links go wrong in the run: what a chip sends is not always what the next one gets.
func (d *Design) HasLinkFaults() bool { return len(d.faulty) > 0 }

// Upsets are the bits that change in buffers, for the port upset_i of top; Links is 0 without.
func (v *Vectors) Upsets() FaultTable { return v.faultTable(len(v.struck), v.Word, v.upsetEvents) }

func (v *Vectors) faultTable(links, bits int, events []faultEvent) FaultTable {
	t := FaultTable{Links: links, Width: bits, LinkWidth: max(1, width(links-1)), CycleWidth: width(int(v.Cycles()))}
	for _, e := range events {
		if e.cycle < v.Cycles() {
			t.list = append(t.list, e)
		}
	}
	t.Events = len(t.list)
	return t
}

// Bits returns the width of a line.
func (t FaultTable) Bits() int { return t.CycleWidth + t.LinkWidth + 2 + t.Width }

// Write writes {cycle, link, dead, drop, bits to invert} of each event, in rising order of cycles, and a line that nobody
// reads.
func (t FaultTable) Write(w io.Writer) error {
	v := newVectorFile(w, t.Bits())
	for i := range t.list {
		e, b := &t.list[i], v.start()
		b.putBits(&e.flip, t.Width)
		b.put(bit(e.drop), 1)
		b.put(bit(e.dead), 1)
		b.put(uint64(e.link), t.LinkWidth)
		b.put(uint64(e.cycle), t.CycleWidth)
		v.end()
	}
	v.start()
	v.end()
	return v.close()
}

// CounterBits returns the width of the counters of errors of all chips, the ports corrected_o and detected_o of top; 0 without.
func (d *Design) CounterBits() int {
	if !d.coded() {
		return 0
	}
	return d.Chips * counterBits
}

// CounterCheck compares the counters of errors that the nets corrected and detected show, with those of the run.
func (v *Vectors) CounterCheck(corrected, detected string) []verilog.Item {
	if !v.coded() {
		return nil
	}
	return v.counterCheck(len(v.run.counted()), corrected, detected)
}

// BenchSources lists the modules of the bench of a network that nobody drives, separated by blanks.
func (v *Vectors) BenchSources() string {
	if v.coded() {
		return benchFiles() + " " + errorCheck
	}
	return benchFiles()
}
