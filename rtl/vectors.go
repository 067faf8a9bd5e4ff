// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bufio"
	"io"

	"meshwright/router"
)

// never ends each vector file: a cycle that does not come.
const never = 1<<32 - 1

// outputIndex returns the bench's number for an output port of a chip.
func (d *Design) outputIndex(n router.NodeID, p router.Port) int {
	if ports := d.net.Topology.Ports(n); int(p) >= ports {
		return len(d.Links) + d.firstChannel[n] + int(p) - ports
	}
	return d.linkFrom(n, p)
}

// resetChannel is the channel of a stimulus that resets the chips.
const resetChannel = 1<<32 - 1

// bufferIndex returns the bench's number for a buffer or injection register, or for the losses of a chip.
func (d *Design) bufferIndex(l *level) int {
	if l.port == lossPort {
		return d.bufferCount() + int(l.node)
	}
	if l.port < 0 {
		return d.linkBuffers() + d.firstChannel[l.node] + l.vc
	}
	return (d.firstPort[l.node]+l.port)*d.VCs + l.vc
}

// vectorFile writes numbers of a fixed width, one a line, least significant
// field given first.
type vectorFile struct {
	out   *bufio.Writer
	width int
	bits  *bitWriter
	line  []byte
	count int
}

func newVectorFile(w io.Writer, width int) *vectorFile {
	return &vectorFile{out: bufio.NewWriterSize(w, 1<<16), width: width, bits: newBitWriter(width)}
}

func (v *vectorFile) start() *bitWriter {
	clear(v.bits.words)
	v.bits.at = 0
	return v.bits
}

// end writes the line; a failed write is reported by close.
func (v *vectorFile) end() {
	v.line = append(v.bits.appendHex(v.line[:0], v.width), '\n')
	_, _ = v.out.Write(v.line)
	v.count++
}

func (v *vectorFile) close() error { return v.out.Flush() }

// writeStimuli writes {cycle, channel, flit} and returns how many lines. The channel of a reset is all ones.
func (d *Design) writeStimuli(w io.Writer, run *Recorder) (int, error) {
	v := newVectorFile(w, 64+d.FlitWidth)
	for start, part := range run.parts() {
		if start > 0 {
			b := v.start()
			b.at = d.FlitWidth
			b.put(resetChannel, 32)
			b.put(uint64(start-1), 32)
			v.end()
		}
		for i := range part.stimuli {
			r := &part.stimuli[i]
			b := v.start()
			d.encode(b, &r.flit)
			b.put(uint64(d.firstChannel[r.node]+int(r.port)), 32)
			b.put(uint64(start+r.cycle), 32)
			v.end()
		}
	}
	v.last(32 + d.FlitWidth)
	return v.count, v.close()
}

// writeEvents writes {cycle, fired, output, flit}.
func (d *Design) writeEvents(w io.Writer, run *Recorder) (int, error) {
	v := newVectorFile(w, 64+d.FlitWidth)
	for start, part := range run.parts() {
		for i := range part.events {
			r := &part.events[i]
			b := v.start()
			d.encodeEvent(b, r)
			b.put(uint64(d.outputIndex(r.node, r.port)), 31)
			b.put(bit(r.fired), 1)
			b.put(uint64(start+r.cycle), 32)
			v.end()
		}
	}
	v.last(32 + d.FlitWidth)
	return v.count, v.close()
}

// encodeEvent packs the flit of an event with the course that it has on a link. Chips that switch packets show a flit when it
// crosses; while its packet waits, the flit is zero.
func (d *Design) encodeEvent(b *bitWriter, r *record) {
	if d.Packets && !r.fired {
		b.put(0, d.FlitWidth)
		return
	}
	if d.Ahead && r.flit.shift {
		r.flit.course = d.course(d.Links[d.linkFrom(r.node, r.port)].To, r.flit.destination)
	}
	d.encode(b, &r.flit)
}

// writeLevels writes {cycle, buffer, occupancy}, and {cycle, chip behind the buffers, 1} for a loss.
func (d *Design) writeLevels(w io.Writer, run *Recorder) (int, error) {
	v := newVectorFile(w, 64+d.CountWidth)
	for start, part := range run.parts() {
		levels := part.withLosses()
		for i := range levels {
			l := &levels[i]
			b := v.start()
			b.put(uint64(l.count), d.CountWidth)
			b.put(uint64(d.bufferIndex(l)), 32)
			b.put(uint64(start+l.cycle), 32)
			v.end()
		}
	}
	v.last(32 + d.CountWidth)
	return v.count, v.close()
}

// last writes the number whose cycle, from bit at on, is all ones.
func (v *vectorFile) last(at int) {
	b := v.start()
	b.at = at
	b.put(never, 32)
	v.end()
}

// writeOutputNames writes {node, port} of every output.
func (d *Design) writeOutputNames(w io.Writer) error {
	v := newVectorFile(w, 64)
	name := func(n router.NodeID, port int) {
		b := v.start()
		b.put(uint64(port), 32)
		b.put(uint64(n), 32)
		v.end()
	}
	for _, l := range d.Links {
		name(l.From, int(l.FromPort))
	}
	for n := range router.NodeID(d.Chips) {
		for c := range d.channels(n) {
			name(n, d.net.Topology.Ports(n)+c)
		}
	}
	return v.close()
}

// writeBufferNames writes {node, port, vc} of every buffer; an injection
// register's port follows the link ports.
func (d *Design) writeBufferNames(w io.Writer) error {
	v := newVectorFile(w, 96)
	name := func(n router.NodeID, port, vc int) {
		b := v.start()
		b.put(uint64(vc), 32)
		b.put(uint64(port), 32)
		b.put(uint64(n), 32)
		v.end()
	}
	for n := range router.NodeID(d.Chips) {
		for p := range d.ports(n) {
			for vc := range d.VCs {
				name(n, p, vc)
			}
		}
	}
	for n := range router.NodeID(d.Chips) {
		for c := range d.channels(n) {
			name(n, d.ports(n)+c, 0)
		}
	}
	return v.close()
}
