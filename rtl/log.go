// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"meshwright/router"
)

// Sighting is a flit that a simulated design showed: it arrived at a node over
// a link, or stood in an injection register.
type Sighting struct {
	Cycle   router.Cycle
	Node    router.NodeID
	Arrival bool
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
	l := logReader{design: d, see: see, last: map[int]Sighting{}, held: map[int]Sighting{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && fields[0] == "reset" {
			return nil
		}
		if err := l.line(fields); err != nil {
			return fmt.Errorf("simulator log, line %d: %w", n, err)
		}
	}
	return lines.Err()
}

type logReader struct {
	design *Design
	see    func(Sighting)
	last   map[int]Sighting // last flit, by wire and virtual channel
	held   map[int]Sighting // last flit placed on each channel
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
	switch {
	case kind == "hold":
		s := l.held[at]
		s.Cycle = cycle
		l.see(s)
		return nil
	case kind == "place" && len(fields) == 4:
		s, err := l.decode(fields[3], -1-at)
		s.Cycle, s.Node = cycle, l.design.chipOf(at)
		l.held[at] = s
		l.see(s)
		return err
	case kind == "show" && len(fields) == 5:
		if at >= len(l.design.Links) || fields[3] != "1" {
			return nil
		}
		s, err := l.decode(fields[4], at)
		s.Cycle, s.Node, s.Arrival = cycle+router.Cycle(l.design.net.Machine.Hop), l.design.Links[at].To, true
		l.see(s)
		return err
	}
	return fmt.Errorf("%q is no event", strings.Join(fields, " "))
}

// decode unpacks a flit; wire tells apart the messages under way.
func (l *logReader) decode(hex string, wire int) (Sighting, error) {
	d := l.design
	b, err := parseHex(hex, d.FlitWidth)
	if err != nil {
		return Sighting{}, err
	}
	payload := uint32(b.take(min(d.Width, 32)))
	b.at = d.headAt()
	head := b.take(1) == 1
	key := wire<<8 | int(b.take(d.VCWidth))
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
	return s, nil
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
