// SPDX-License-Identifier: Apache-2.0

package readback

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"meshwright/capture/flitlayer"
	"meshwright/internal/input"
)

// The types of blocks of pcapng.
const (
	sectionHeader  = 0x0a0d0d0a
	interfaceBlock = 1
	obsoletePacket = 2
	simplePacket   = 3
	enhancedPacket = 6
)

// byteOrderMagic is what a section begins with, in its own byte order.
const byteOrderMagic = 0x1a2b3c4d

// maxBlock bounds a block in bytes. A packet of a flit takes about a hundred.
const maxBlock = 1 << 20

// guard hands the blocks of a pcapng file on that a reader of flits needs, after a look at their lengths.
type guard struct {
	file  string
	r     *bufio.Reader
	order binary.ByteOrder // of the section; nil: none has begun
	at    int64            // byte at which the block begins
	block []byte
	rest  []byte // of the block: what has not been handed on
}

func newGuard(file string, r io.Reader) *guard {
	return &guard{file: file, r: bufio.NewReaderSize(r, 1<<16)}
}

func (g *guard) fault(want, format string, args ...any) error {
	return input.At(g.file, 0, want, format, args...)
}

// Read hands on the next bytes.
func (g *guard) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		wanted, err := g.next()
		if err != nil {
			return 0, err
		}
		if wanted {
			g.rest = g.block
		}
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// next reads a block, and reports whether a reader of flits needs it.
func (g *guard) next() (wanted bool, err error) {
	g.at += int64(len(g.block))
	kind, err := g.load()
	if err != nil {
		return false, err
	}
	switch kind {
	case sectionHeader:
		return true, g.judgeSection()
	case interfaceBlock:
		return true, g.judgeInterface()
	case enhancedPacket:
		return true, g.judgePacket()
	case simplePacket, obsoletePacket:
		return false, g.fault("expected enhanced packet blocks", "the block at byte %d is of type %d", g.at, kind)
	}
	return false, nil
}

// IsPcap reports whether a file begins as the older format pcap does: by the number that tells times in microseconds, or that of
// nanoseconds, in either order of bytes.
func IsPcap(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
		if magic := order.Uint32(head); magic == 0xa1b2c3d4 || magic == 0xa1b23c4d {
			return true
		}
	}
	return false
}

// load reads the next block whole.
func (g *guard) load() (kind uint32, err error) {
	g.block = g.block[:0]
	head, err := g.r.Peek(12)
	if err == io.EOF && len(head) == 0 {
		return 0, io.EOF
	}
	if g.order == nil && IsPcap(head) {
		return 0, g.fault("expected pcapng, which editcap -F pcapng makes of it", "a capture of the format pcap")
	}
	if g.order == nil && len(head) >= 4 && binary.BigEndian.Uint32(head) != sectionHeader {
		return 0, g.fault("expected a capture in the form pcapng, which begins with a section header", "the file begins with the bytes % x", head[:4])
	}
	if err != nil {
		return 0, g.cut(err)
	}
	order := g.order
	if binary.BigEndian.Uint32(head) == sectionHeader {
		if g.order != nil {
			return 0, g.fault("expected the capture of one run", "a second section at byte %d", g.at)
		}
		switch {
		case binary.BigEndian.Uint32(head[8:]) == byteOrderMagic:
			order = binary.BigEndian
		case binary.LittleEndian.Uint32(head[8:]) == byteOrderMagic:
			order = binary.LittleEndian
		default:
			return 0, g.fault("expected the byte-order magic 1a2b3c4d", "the section begins with the bytes % x", head[8:])
		}
		g.order = order
	}
	kind, length := order.Uint32(head), order.Uint32(head[4:])
	if length < 12 || length%4 != 0 || length > maxBlock {
		return 0, g.fault("expected a multiple of 4 from 12 to "+itoa(maxBlock), "the block at byte %d has a length of %d", g.at, length)
	}
	if cap(g.block) < int(length) {
		g.block = make([]byte, max(int(length), 1<<10))
	}
	g.block = g.block[:length]
	if _, err := io.ReadFull(g.r, g.block); err != nil {
		return 0, g.cut(err)
	}
	if again := order.Uint32(g.block[length-4:]); again != length {
		return 0, g.fault("expected the same length twice", "the block at byte %d begins with a length of %d and ends with %d", g.at, length, again)
	}
	return kind, nil
}

// cut says that the file ends within a block, or cannot be read.
func (g *guard) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return g.fault("expected whole blocks of pcapng", "the block at byte %d is cut off", g.at)
	}
	return input.Unreadable(g.file, err)
}

func (g *guard) judgeSection() error {
	if len(g.block) < 28 {
		return g.fault("expected 28 bytes or more", "the section header has %d", len(g.block))
	}
	if major, minor := g.order.Uint16(g.block[12:]), g.order.Uint16(g.block[14:]); major != 1 || minor != 0 {
		return g.fault("expected version 1.0", "the file is of version %d.%d of pcapng", major, minor)
	}
	_, err := g.options(24)
	return err
}

// The options of an interface that say what a time is.
const (
	resolutionOption = 9
	offsetOption     = 14
)

func (g *guard) judgeInterface() error {
	if len(g.block) < 20 {
		return g.fault("expected 20 bytes or more", "the interface at byte %d has %d", g.at, len(g.block))
	}
	if link := g.order.Uint16(g.block[8:]); link != uint16(flitlayer.LinkType) {
		return g.fault("expected 147, the flits of a run of meshwright", "packets of link type %d", link)
	}
	// The reader makes room for a packet of the snap length, which says no more than how long packets may be.
	g.order.PutUint32(g.block[12:], min(g.order.Uint32(g.block[12:]), maxBlock))
	options, err := g.options(16)
	if err != nil {
		return err
	}
	const microseconds, nanoseconds = 6, 9 // as powers of ten; without the option microseconds
	resolution := byte(microseconds)
	if value, ok := options[resolutionOption]; ok {
		if len(value) != 1 {
			return g.fault("expected 1 byte", "the resolution of times of the interface at byte %d has %d", g.at, len(value))
		}
		resolution = value[0]
	}
	if resolution != nanoseconds {
		return g.fault("expected 9, nanoseconds: a cycle is a nanosecond", "the interface at byte %d has times of resolution %d", g.at, resolution)
	}
	if _, ok := options[offsetOption]; ok {
		return g.fault("expected none: cycles count from 0", "the interface at byte %d has an offset of times", g.at)
	}
	return nil
}

func (g *guard) judgePacket() error {
	const fixed = 32
	if len(g.block) < fixed || uint64(g.order.Uint32(g.block[20:])) > uint64(len(g.block)-fixed) {
		return g.fault("expected a packet within its block", "the block at byte %d is too short for its packet", g.at)
	}
	if high := g.order.Uint32(g.block[12:]); high >= 1<<31 {
		return g.fault("expected at most 2^63-1 nanoseconds", "the packet at byte %d has a later time", g.at)
	}
	return nil
}

// options walks the options of a block from a byte on, and returns the last value of each.
func (g *guard) options(from int) (map[uint16][]byte, error) {
	list := g.block[from : len(g.block)-4]
	values := map[uint16][]byte{}
	for len(list) > 0 {
		code, length := g.order.Uint16(list), int(g.order.Uint16(list[2:]))
		list = list[4:]
		if code == 0 {
			if length != 0 {
				return nil, g.fault("expected a length of 0", "the end of options of the block at byte %d has a length of %d", g.at, length)
			}
			break
		}
		padded := (length + 3) &^ 3
		if padded > len(list) {
			return nil, g.fault("expected options within their block", "an option of the block at byte %d goes beyond it", g.at)
		}
		values[code], list = list[:length], list[padded:]
	}
	return values, nil
}

// Begins reports whether a file begins as a capture in the form pcapng does.
func Begins(head []byte) bool {
	return len(head) >= 4 && binary.BigEndian.Uint32(head) == sectionHeader
}
