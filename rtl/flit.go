// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"meshwright/fabric/code"
	"meshwright/router"
)

// flitValue is a flit's fields as they are on a wire.
type flitValue struct {
	vc, kind            uint8
	head, tail          bool
	tag                 uint32
	source, destination router.NodeID
	payload             uint32        // element 0
	upper               []uint32      // elements 1 and up, of wide words
	hop                 int           // links crossed when it is on this wire's left side
	shift               bool          // the wire leaves a chip over a link: the route has moved on
	route               []router.Port // whole route, nil unless source routing
	via                 router.NodeID // Valiant's routing: the node between
	course              uint64        // of a head on a link, see course
	label               FlitLabel     // for pictures
	rest                uint64        // what the source wrote behind the end of the route, where it means nothing
}

// bitWriter packs fields into a number of any width, least significant first.
type bitWriter struct {
	words []uint64
	at    int
}

func newBitWriter(width int) *bitWriter { return &bitWriter{words: make([]uint64, (width+63)/64)} }

func (b *bitWriter) put(value uint64, width int) {
	for i := range width {
		if value>>i&1 != 0 {
			b.words[(b.at+i)>>6] |= 1 << ((b.at + i) & 63)
		}
	}
	b.at += width
}

// putBits writes the lowest width bits of a word.
func (b *bitWriter) putBits(word *code.Bits, width int) {
	for i := 0; i < width; i += 32 {
		b.put(uint64(word[i/32]), min(32, width-i))
	}
}

const hexDigits = "0123456789abcdef"

// appendHex appends the number's low width bits as hex digits.
func (b *bitWriter) appendHex(text []byte, width int) []byte {
	for digit := (width+3)/4 - 1; digit >= 0; digit-- {
		at := digit * 4
		text = append(text, hexDigits[b.words[at>>6]>>(at&63)&15])
	}
	return text
}

// binary returns the number's low width bits as binary digits.
func (b *bitWriter) binary(width int) string {
	text := make([]byte, width)
	for i := range text {
		at := width - 1 - i
		text[i] = '0' + byte(b.words[at>>6]>>(at&63)&1)
	}
	return string(text)
}

// encode packs a flit in the wire format.
func (d *Design) encode(b *bitWriter, f *flitValue) {
	switch end := b.at + d.Width; {
	case !d.HeadFlit:
		d.encodePayload(b, f)
		d.encodeWay(b, f)
		d.encodeEnds(b, f)
	case f.head:
		d.encodeEnds(b, f)
		d.encodeWay(b, f)
		if d.Ahead {
			course := 2 * len(d.net.Topology.Dims)
			b.at = end - course
			b.put(f.course, course)
		}
		b.at = end
	default:
		d.encodePayload(b, f)
	}
	b.put(bit(f.tail), 1)
	b.put(bit(f.head), 1)
	b.put(uint64(f.vc), d.VCWidth)
}

func (d *Design) encodePayload(b *bitWriter, f *flitValue) {
	b.put(uint64(f.payload), min(d.Width, 32))
	for _, element := range f.upper {
		b.put(uint64(element), 32)
	}
}

// encodeEnds writes what a header says of its message.
func (d *Design) encodeEnds(b *bitWriter, f *flitValue) {
	b.put(uint64(f.destination), d.NodeWidth)
	b.put(uint64(f.source), d.NodeWidth)
	b.put(uint64(f.tag), d.TagWidth)
	b.put(uint64(f.kind), 2)
}

// encodeWay writes what a header says of the message's route, besides its destination.
func (d *Design) encodeWay(b *bitWriter, f *flitValue) {
	switch {
	case d.Kind == valiantRouting:
		b.put(uint64(f.via), d.NodeWidth)
	case d.RouteWidth > 0:
		d.encodeRoute(b, f)
	}
}

// encodeRoute writes the ports still to come, the next one lowest, and after
// them all ones: eject, and the rest. What has been shifted in from the top is zero.
func (d *Design) encodeRoute(b *bitWriter, f *flitValue) {
	gone := f.hop
	if f.shift {
		gone++
	}
	end := b.at + d.RouteWidth
	for _, p := range f.route[gone:] {
		b.put(uint64(p), d.PortWidth)
	}
	b.put(1<<d.PortWidth-1, d.PortWidth)
	b.put(f.rest, d.RouteWidth-(len(f.route)+1)*d.PortWidth)
	b.at = end
}

// course returns the rest of the route from one node to another in dimension order: bit 2k is set if it goes in
// + direction of dimension k, bit 2k+1 if in - direction.
func (d *Design) course(at, to router.NodeID) uint64 {
	var course uint64
	t := d.net.Topology
	for k, size := range t.Dims {
		forth := t.Coordinate(to, k) - t.Coordinate(at, k)
		plus := forth > 0
		if t.Wrap[k] {
			plus = (forth+size)%size <= size/2
		}
		switch {
		case forth == 0:
		case plus:
			course |= 1 << (2 * k)
		default:
			course |= 2 << (2 * k)
		}
	}
	return course
}

func bit(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
