// SPDX-License-Identifier: Apache-2.0

// Package flitlayer is the packet form of a flit on a link, as gopacket layer.
//
// Importing the package registers [LayerTypeFlit] with gopacket under
// LINKTYPE_USER0 (147), so that gopacket.NewPacketSource decodes meshwright's
// captures. A packet is 40 bytes, and more with payloads of more than 32 bits; it is big endian:
//
//	offset bytes field
//	 0      1    version       1; 2 with payloads of more than 32 bits
//	 1      1    kind          0 data, 1 order, 2 token, 3 certificate
//	 2      1    flags         bit 0: head of its worm, bit 1: tail, bit 2: it has waited
//	 3      1    vc            virtual channel on the link
//	 4      4    source        node that sent the message
//	 8      4    destination   node the message is for
//	12      8    message       the message's number, unique in the run, signed
//	20      4    flit          position in the message, from 1
//	24      4    length        flits of the message
//	28      4    from          node the link leads from
//	32      4    to            node the link leads to
//	36      4    value         payload word
//
// In version 2 the last field has another form:
//
//	36      4    size          bytes of the payload: 8, 16, 32 or 64
//	40    size    value         payload word
//
// With bit 2 of the flags, 8 bytes follow the payload:
//
//	0      8    waited        cycles (of packets: ticks) in which the first flit of a message stood in the
//	                          injection register of its source before it crossed its first link
//
// The cycle of the crossing is the packet's time, a cycle being a nanosecond,
// and the link is the capture's interface. The Wireshark dissector of the same
// form is in package wireshark.
package flitlayer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"meshwright/router"
)

// LinkType is the link type of captures: LINKTYPE_USER0, which is for private use.
const LinkType = layers.LinkType(147)

// Size is the length of a flit's packet in bytes, with payloads of up to 32 bits.
const Size = 40

// WaitedSize is the length of the field waited, which only some packets have.
const WaitedSize = 8

// SizeOf returns the length of a flit's packet in bytes, with payloads of so many bits, without the field waited.
func SizeOf(width int) int {
	if width <= 32 {
		return Size
	}
	return Size + width/8
}

// The versions of the form: payloads of up to 32 bits, and of more.
const (
	narrow = 1
	wide   = 2
)

// LayerTypeFlit is gopacket's name for the layer. The registration also makes
// it the layer that packets of LinkType begin with.
var LayerTypeFlit = register()

func register() gopacket.LayerType {
	decoder := gopacket.DecodeFunc(decode)
	layers.LinkTypeMetadata[LinkType] = layers.EnumMetadata{DecodeWith: decoder, Name: "MeshwrightFlit"}
	return gopacket.RegisterLayerType(1147, gopacket.LayerTypeMetadata{Name: "MeshwrightFlit", Decoder: decoder})
}

// Flit is a flit that crosses a link.
type Flit struct {
	layers.BaseLayer
	Kind                router.Kind
	Head, Tail          bool
	VC                  router.VC
	Source, Destination router.NodeID
	Message             int64  // the message's number, unique in the run
	Index               uint32 // position in the message, from 1
	Length              uint32 // flits of the message
	From, To            router.NodeID
	Value               uint32   // payload word, of more than 32 bits its lowest 32
	Upper               []uint32 // the bits above, 32 an element, the lowest first; nil: none
	Waited              uint64   // of the first flit, on its first link: cycles (of packets: ticks) in the injection register before
}

// Flag bits on the wire.
const (
	flagHead = 1 << iota
	flagTail
	flagWaited
)

// Faults of a packet that is no flit.
var (
	ErrShort   = errors.New("flit packet is shorter than 40 bytes")
	ErrVersion = errors.New("flit packet has an unknown version")
	ErrField   = errors.New("flit packet has a field out of range")
)

// LayerType returns LayerTypeFlit.
func (f *Flit) LayerType() gopacket.LayerType { return LayerTypeFlit }

// CanDecode returns LayerTypeFlit.
func (f *Flit) CanDecode() gopacket.LayerClass { return LayerTypeFlit }

// NextLayerType says that bytes behind the flit, if any, are plain payload.
func (f *Flit) NextLayerType() gopacket.LayerType {
	if len(f.Payload) > 0 {
		return gopacket.LayerTypePayload
	}
	return gopacket.LayerTypeZero
}

// DecodeFromBytes reads the flit at the start of data. Its errors wrap
// ErrShort, ErrVersion or ErrField.
func (f *Flit) DecodeFromBytes(data []byte, df gopacket.DecodeFeedback) error {
	if len(data) < Size {
		df.SetTruncated()
		return fmt.Errorf("%w: %d", ErrShort, len(data))
	}
	if data[0] != narrow && data[0] != wide {
		return fmt.Errorf("%w: %d", ErrVersion, data[0])
	}
	word := func(at int) uint32 { return binary.BigEndian.Uint32(data[at:]) }
	flags := data[2]
	*f = Flit{
		BaseLayer: layers.BaseLayer{Contents: data[:Size], Payload: data[Size:]},
		Kind:      router.Kind(data[1]), Head: flags&flagHead != 0, Tail: flags&flagTail != 0, VC: router.VC(data[3]),
		Source: router.NodeID(word(4)), Destination: router.NodeID(word(8)),
		Message: int64(binary.BigEndian.Uint64(data[12:])), Index: word(20), Length: word(24),
		From: router.NodeID(word(28)), To: router.NodeID(word(32)), Value: word(36),
	}
	if data[0] == wide {
		if err := f.decodeWide(data, df); err != nil {
			return err
		}
	}
	if flags&^(flagHead|flagTail|flagWaited) != 0 {
		return fmt.Errorf("%w: flags %#x", ErrField, flags)
	}
	if flags&flagWaited != 0 {
		if err := f.decodeWaited(data, df); err != nil {
			return err
		}
	}
	return f.check()
}

// decodeWaited reads the field behind the payload.
func (f *Flit) decodeWaited(data []byte, df gopacket.DecodeFeedback) error {
	at := len(f.Contents)
	end := at + WaitedSize
	if len(data) < end {
		df.SetTruncated()
		return fmt.Errorf("%w and its waiting: %d", ErrShort, len(data))
	}
	f.BaseLayer = layers.BaseLayer{Contents: data[:end], Payload: data[end:]}
	if f.Waited = binary.BigEndian.Uint64(data[at:]); f.Waited == 0 {
		return fmt.Errorf("%w: flag waited of a flit that has not", ErrField)
	}
	return nil
}

// decodeWide reads the payload of version 2.
func (f *Flit) decodeWide(data []byte, df gopacket.DecodeFeedback) error {
	size := binary.BigEndian.Uint32(data[36:])
	if size > maxPayload || !hasElements(int(size)/4) || size%4 != 0 {
		return fmt.Errorf("%w: a payload of %d bytes", ErrField, size)
	}
	end := Size + int(size)
	if len(data) < end {
		df.SetTruncated()
		return fmt.Errorf("%w and its payload: %d, with a payload of %d", ErrShort, len(data), size)
	}
	f.BaseLayer = layers.BaseLayer{Contents: data[:end], Payload: data[end:]}
	f.Value = binary.BigEndian.Uint32(data[end-4:])
	for at := end - 8; at >= Size; at -= 4 {
		f.Upper = append(f.Upper, binary.BigEndian.Uint32(data[at:]))
	}
	return nil
}

// maxPayload is the length of the widest payload, in bytes.
const maxPayload = 64

// hasElements reports whether a wide payload may have so many elements of 32 bits: 2, 4, 8 or 16.
func hasElements(n int) bool { return n >= 2 && n <= maxPayload/4 && n&(n-1) == 0 }

// check holds for every flit that is read or written.
func (f *Flit) check() error {
	if f.Kind > router.Certificate {
		return fmt.Errorf("%w: kind %d", ErrField, f.Kind)
	}
	if f.Index < 1 || f.Index > f.Length {
		return fmt.Errorf("%w: flit %d of %d", ErrField, f.Index, f.Length)
	}
	if f.Upper != nil && !hasElements(1+len(f.Upper)) {
		return fmt.Errorf("%w: a payload of %d bytes", ErrField, 4+4*len(f.Upper))
	}
	for _, node := range []router.NodeID{f.Source, f.Destination, f.From, f.To} {
		if node < 0 {
			return fmt.Errorf("%w: node %d", ErrField, node)
		}
	}
	return nil
}

// SerializeTo puts the flit in front of what the buffer holds.
func (f *Flit) SerializeTo(b gopacket.SerializeBuffer, _ gopacket.SerializeOptions) error {
	if err := f.check(); err != nil {
		return err
	}
	data, err := b.PrependBytes(f.Size())
	if err != nil {
		return err
	}
	f.Put(data)
	return nil
}

// Size returns the length of the flit's packet in bytes.
func (f *Flit) Size() int {
	size := SizeOf(32 * (1 + len(f.Upper)))
	if f.Waited > 0 {
		size += WaitedSize
	}
	return size
}

// Put writes the flit's packet to the first bytes of data, as many as Size returns, without
// looking for fields out of range.
func (f *Flit) Put(data []byte) {
	var flags byte
	if f.Head {
		flags |= flagHead
	}
	if f.Tail {
		flags |= flagTail
	}
	if f.Waited > 0 {
		flags |= flagWaited
		binary.BigEndian.PutUint64(data[f.Size()-WaitedSize:], f.Waited)
	}
	data[0], data[1], data[2], data[3] = narrow, byte(f.Kind), flags, byte(f.VC)
	put := binary.BigEndian.PutUint32
	put(data[4:], uint32(f.Source))
	put(data[8:], uint32(f.Destination))
	binary.BigEndian.PutUint64(data[12:], uint64(f.Message))
	put(data[20:], f.Index)
	put(data[24:], f.Length)
	put(data[28:], uint32(f.From))
	put(data[32:], uint32(f.To))
	if len(f.Upper) == 0 {
		put(data[36:], f.Value)
		return
	}
	data[0] = wide
	put(data[36:], uint32(4+4*len(f.Upper)))
	at := 40
	for _, element := range slices.Backward(f.Upper) {
		put(data[at:], element)
		at += 4
	}
	put(data[at:], f.Value)
}

// decode is the function that gopacket calls for packets of LinkType.
func decode(data []byte, p gopacket.PacketBuilder) error {
	f := &Flit{}
	if err := f.DecodeFromBytes(data, p); err != nil {
		return err
	}
	p.AddLayer(f)
	if next := f.NextLayerType(); next != gopacket.LayerTypeZero {
		return p.NextDecoder(next)
	}
	return nil
}
