// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"meshwright/router"
)

// Form says what a flit did when it was seen.
type Form uint8

// The forms of sightings.
const (
	Stood   Form = iota // in an injection register, for this cycle
	Arrived             // at a node over a link: it is there from this cycle on, also if a fault loses it on the link
	Kept                // in a buffer of the node, from this cycle on: Arrived, and not lost
	Entered             // it left an injection register in this cycle
	Left                // it left the chip in this cycle, from a buffer or an injection register
)

// Sighting is a flit that a simulated design showed. Of the forms Kept, Entered and Left only the cycle and the node
// are known.
type Sighting struct {
	Cycle   router.Cycle
	Node    router.NodeID
	Form    Form
	Kind    router.Kind
	Tag     uint32
	Index   uint32 // position in its message, from 1
	Payload uint32 // the lowest 32 bits
}

// ReadLog calls see for every flit in a simulator's log. The log has a line
// for each flit put on an injection channel (place), still held by one (hold),
// and shown by an output (show); positions are counted from the heads. The stress
// phase behind the run is left out.
func (d *Design) ReadLog(r io.Reader, see func(Sighting)) error {
	l := logReader{design: d, see: see, last: map[int]Sighting{}, held: map[int]Sighting{}, losing: newLosing(d), lost: map[int]bool{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && fields[0] == "reset" {
			break
		}
		if err := l.line(fields); err != nil {
			return fmt.Errorf("simulator log, line %d: %w", n, err)
		}
	}
	for channel := range l.held {
		l.release(channel)
	}
	return lines.Err()
}

type logReader struct {
	design *Design
	see    func(Sighting)
	now    router.Cycle     // of the last line
	last   map[int]Sighting // last flit, by wire and virtual channel
	held   map[int]Sighting // last flit placed on each channel
	losing losing
	lost   map[int]bool // whether a fault loses the last message, by wire and virtual channel
}

// release tells that the flit of a channel has left, in the last cycle in which it was seen there.
func (l *logReader) release(channel int) {
	if s, ok := l.held[channel]; ok && s.Cycle < l.now {
		l.see(Sighting{Cycle: s.Cycle, Node: s.Node, Form: Entered})
	}
}

func (l *logReader) line(fields []string) error {
	var kind string
	var cycle router.Cycle
	var at int
	if len(fields) < 3 {
		return fmt.Errorf("%d fields", len(fields))
	}
	if _, err := fmt.Sscan(strings.Join(fields[:3], " "), &kind, &cycle, &at); err != nil {
		return err
	}
	l.now = cycle
	switch {
	case kind == "hold":
		s := l.held[at]
		s.Cycle = cycle
		l.held[at] = s
		l.see(s)
		return nil
	case kind == "place" && len(fields) == 4:
		l.release(at)
		s, _, err := l.decode(fields[3], -1-at)
		s.Cycle, s.Node = cycle, l.design.chipOf(at)
		l.held[at] = s
		l.see(s)
		return err
	case kind == "show" && len(fields) == 5:
		if fields[3] != "1" {
			return nil
		}
		return l.cross(cycle, at, fields[4])
	}
	return fmt.Errorf("%q is no event", strings.Join(fields, " "))
}

// cross tells of a flit that crosses a link, or that a PE takes.
func (l *logReader) cross(cycle router.Cycle, at int, hex string) error {
	d := l.design
	if at >= len(d.Links) {
		l.see(Sighting{Cycle: cycle, Node: d.chipOf(at - len(d.Links)), Form: Left})
		return nil
	}
	s, vc, err := l.decode(hex, at)
	l.see(Sighting{Cycle: cycle, Node: d.Links[at].From, Form: Left})
	s.Cycle, s.Node, s.Form = cycle+router.Cycle(d.hop(at)), d.Links[at].To, Arrived
	l.see(s)
	if !l.loses(cycle, at, vc, s.Index == 1) {
		l.see(Sighting{Cycle: s.Cycle, Node: s.Node, Form: Kept})
	}
	return err
}

// loses reports whether a fault loses a flit on a link. It loses all of a message whose head it loses.
func (l *logReader) loses(cycle router.Cycle, link, vc int, head bool) bool {
	key := link<<8 | vc
	if head {
		l.lost[key] = l.losing.head(link, cycle)
	}
	return l.lost[key]
}

// decode unpacks a flit and its virtual channel; wire tells apart the messages in flight.
func (l *logReader) decode(hex string, wire int) (Sighting, int, error) {
	d := l.design
	b, err := parseHex(hex, d.FlitWidth)
	if err != nil {
		return Sighting{}, 0, err
	}
	payload := uint32(b.take(min(d.Width, 32)))
	b.at = d.headAt()
	head, vc := b.take(1) == 1, int(b.take(d.VCWidth))
	key := wire<<8 | vc
	s := l.last[key]
	s.Index, s.Payload = s.Index+1, payload
	if head {
		s.Index = 1
		if d.HeadFlit {
			s.Payload = 0
		}
	}
	if head || !d.HeadFlit {
		b.at = d.kindAt() - d.TagWidth
		s.Tag, s.Kind = uint32(b.take(d.TagWidth)), router.Kind(b.take(2))
	}
	l.last[key] = s
	return s, vc, nil
}

func parseHex(text string, width int) (*bitWriter, error) {
	b := newBitWriter(width + 4)
	for i := range len(text) {
		digit := strings.IndexByte(hexDigits, text[len(text)-1-i])
		if digit < 0 || i*4 >= width {
			return nil, fmt.Errorf("%q is not a flit of %d bits", text, width)
		}
		b.put(uint64(digit), 4)
	}
	b.at = 0
	return b, nil
}

// take reads the next width bits.
func (b *bitWriter) take(width int) uint64 {
	var value uint64
	for i := range width {
		value |= b.words[(b.at+i)>>6] >> ((b.at + i) & 63) & 1 << i
	}
	b.at += width
	return value
}
