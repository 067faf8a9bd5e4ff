// SPDX-License-Identifier: Apache-2.0

// Package perfetto writes traces that the Perfetto UI and its trace processor read: tracks with slices,
// counters, and flows between slices. The numbers of messages and fields are from
// protos/perfetto/trace/perfetto_trace.proto of the Perfetto project.
//
// A file is a sequence of packets, and each is written as soon as it is known: a [Writer] keeps none. Packets
// need not be in the order of time.
package perfetto

import (
	"bufio"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Track is the number of a track. It is above 0 and unique in the trace.
type Track uint64

// Kind is what a track shows.
type Kind int

// The kinds of tracks.
const (
	Group   Kind = iota // other tracks
	Slices              // intervals
	Counter             // a number over time
)

// Note is a named value of a slice; Text is used if it is not empty.
type Note struct {
	Name   string
	Number int64
	Text   string
}

// Slice is the begin of an interval. Slices of a track do not overlap.
type Slice struct {
	Name  string
	Flow  uint64 // slices with the same flow are joined by arrows in the order of time; 0: none
	Notes []Note
}

// Field numbers of the messages.
const (
	tracePacket = 1

	packetTimestamp  = 8
	packetSequence   = 10
	packetEvent      = 11
	packetFlags      = 13
	packetDescriptor = 60

	descriptorID       = 1
	descriptorName     = 2
	descriptorParent   = 5
	descriptorCounter  = 8
	descriptorOrdering = 11
	descriptorRank     = 12

	counterUnitName = 6

	eventNotes = 4
	eventType  = 9
	eventTrack = 11
	eventName  = 23
	eventCount = 30
	eventFlows = 47

	noteNumber = 4
	noteText   = 6
	noteName   = 10
)

// Values of enumerations.
const (
	typeSliceBegin = 1
	typeSliceEnd   = 2
	typeCounter    = 4

	orderingExplicit = 3 // children stand in the order of their ranks

	stateCleared = 1 // the flag of a sequence's first packet
)

// onlySequence is the number of the sequence to which all packets belong.
const onlySequence = 1

// Writer writes a trace.
type Writer struct {
	out    *bufio.Writer // keeps the first error
	begun  bool
	packet []byte // room for a packet,
	part   []byte // for its content
	note   []byte // and for a part of that
}

// NewWriter begins a trace.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: bufio.NewWriterSize(w, 1<<16)}
}

// Describe names a track and says where it stands: under its parent (0: none), at a rank among its siblings.
// It must come before the events of the track.
func (w *Writer) Describe(t, parent Track, kind Kind, name string, rank int) {
	d := number(w.part[:0], descriptorID, uint64(t))
	d = text(d, descriptorName, name)
	if parent != 0 {
		d = number(d, descriptorParent, uint64(parent))
	}
	switch kind {
	case Group:
		d = number(d, descriptorOrdering, orderingExplicit)
	case Counter:
		d = message(d, descriptorCounter, text(w.note[:0], counterUnitName, "flits"))
	}
	d = number(d, descriptorRank, uint64(rank))
	w.part = d
	w.begin(nil)
	w.end(packetDescriptor, d)
}

// Begin begins a slice at a time in nanoseconds.
func (w *Writer) Begin(t Track, at int64, s Slice) {
	e := event(w.part[:0], typeSliceBegin, t)
	e = text(e, eventName, s.Name)
	if s.Flow != 0 {
		e = protowire.AppendFixed64(protowire.AppendTag(e, eventFlows, protowire.Fixed64Type), s.Flow)
	}
	for _, n := range s.Notes {
		w.note = text(w.note[:0], noteName, n.Name)
		if n.Text != "" {
			w.note = text(w.note, noteText, n.Text)
		} else {
			w.note = number(w.note, noteNumber, uint64(n.Number))
		}
		e = message(e, eventNotes, w.note)
	}
	w.event(at, e)
}

// End ends the slice of a track.
func (w *Writer) End(t Track, at int64) { w.event(at, event(w.part[:0], typeSliceEnd, t)) }

// Count sets the value of a counter.
func (w *Writer) Count(t Track, at, value int64) {
	w.event(at, number(event(w.part[:0], typeCounter, t), eventCount, uint64(value)))
}

// Flush writes what is buffered, and returns the first error.
func (w *Writer) Flush() error { return w.out.Flush() }

func event(b []byte, kind uint64, t Track) []byte {
	return number(number(b, eventType, kind), eventTrack, uint64(t))
}

// event writes a packet with an event.
func (w *Writer) event(at int64, e []byte) {
	w.part = e
	w.begin(&at)
	w.end(packetEvent, e)
}

// begin begins a packet; at is its time.
func (w *Writer) begin(at *int64) {
	p := w.packet[:0]
	if at != nil {
		p = number(p, packetTimestamp, uint64(*at))
	}
	p = number(p, packetSequence, onlySequence)
	if !w.begun {
		w.begun = true
		p = number(p, packetFlags, stateCleared)
	}
	w.packet = p
}

// end completes the packet with its content.
func (w *Writer) end(field protowire.Number, content []byte) {
	w.packet = message(w.packet, field, content)
	w.note = message(w.note[:0], tracePacket, w.packet)
	_, _ = w.out.Write(w.note) // Flush returns the error
}

func number(b []byte, field protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
}

func text(b []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}
