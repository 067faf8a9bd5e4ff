// SPDX-License-Identifier: Apache-2.0

package flitlayer_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/require"

	"meshwright/capture/flitlayer"
	"meshwright/router"
)

var (
	_ gopacket.Layer             = (*flitlayer.Flit)(nil)
	_ gopacket.DecodingLayer     = (*flitlayer.Flit)(nil)
	_ gopacket.SerializableLayer = (*flitlayer.Flit)(nil)
)

func sample() flitlayer.Flit {
	return flitlayer.Flit{
		Kind: router.Certificate, Head: true, Tail: true, VC: 5, Source: 0x01020304, Destination: 0x11121314,
		Message: 0x2122232425262728, Index: 0x31323334, Length: 0x41424344, From: 0x51525354, To: 0x61626364, Value: 0x71727374,
	}
}

// sampleBytes is the packet of sample, written out by hand from the package's table.
var sampleBytes = []byte{
	1, 3, 3, 5,
	0x01, 0x02, 0x03, 0x04,
	0x11, 0x12, 0x13, 0x14,
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
	0x31, 0x32, 0x33, 0x34,
	0x41, 0x42, 0x43, 0x44,
	0x51, 0x52, 0x53, 0x54,
	0x61, 0x62, 0x63, 0x64,
	0x71, 0x72, 0x73, 0x74,
}

func TestEveryFieldHasItsPlace(t *testing.T) {
	f := sample()
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &f, gopacket.Payload("rest")))
	require.Equal(t, append(bytes.Clone(sampleBytes), "rest"...), b.Bytes())

	var got flitlayer.Flit
	require.NoError(t, got.DecodeFromBytes(b.Bytes(), gopacket.NilDecodeFeedback))
	require.Equal(t, sampleBytes, got.LayerContents())
	require.Equal(t, []byte("rest"), got.LayerPayload())
	got.BaseLayer = f.BaseLayer
	require.Equal(t, f, got)
}

// wideBytes is the packet of sample with a payload of 128 bits.
func wideBytes() []byte {
	data := bytes.Clone(sampleBytes[:36])
	data[0] = 2
	return append(data, 0, 0, 0, 16,
		0x04, 0x03, 0x02, 0x01, 0x08, 0x07, 0x06, 0x05, 0x0c, 0x0b, 0x0a, 0x09, 0x71, 0x72, 0x73, 0x74)
}

func TestWidePayloads(t *testing.T) {
	f := sample()
	f.Upper = []uint32{0x0c0b0a09, 0x08070605, 0x04030201}
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &f, gopacket.Payload("rest")))
	require.Equal(t, append(wideBytes(), "rest"...), b.Bytes())
	require.Equal(t, len(wideBytes()), flitlayer.SizeOf(128))

	var got flitlayer.Flit
	require.NoError(t, got.DecodeFromBytes(b.Bytes(), gopacket.NilDecodeFeedback))
	require.Equal(t, wideBytes(), got.LayerContents())
	require.Equal(t, []byte("rest"), got.LayerPayload())
	got.BaseLayer = f.BaseLayer
	require.Equal(t, f, got)

	f.Upper = f.Upper[:2]
	require.EqualError(t, f.SerializeTo(gopacket.NewSerializeBuffer(), gopacket.SerializeOptions{}), "flit packet has a field out of range: a payload of 12 bytes")
	for size, want := range map[byte]string{
		4: "flit packet has a field out of range: a payload of 4 bytes", 12: "flit packet has a field out of range: a payload of 12 bytes",
		17: "flit packet has a field out of range: a payload of 17 bytes", 128: "flit packet has a field out of range: a payload of 128 bytes",
		32: "flit packet is shorter than 40 bytes and its payload: 56, with a payload of 32",
	} {
		data := wideBytes()
		data[39] = size
		require.EqualError(t, got.DecodeFromBytes(data, gopacket.NilDecodeFeedback), want)
	}
}

// What a first flit has waited follows the payload, of any width.
func TestWaiting(t *testing.T) {
	narrow, wide := sample(), sample()
	wide.Upper = []uint32{0x0c0b0a09, 0x08070605, 0x04030201}
	for _, row := range []struct {
		flit flitlayer.Flit
		want []byte
	}{{narrow, sampleBytes}, {wide, wideBytes()}} {
		row.flit.Waited = 0x8182838485868788
		want := append(bytes.Clone(row.want), 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88)
		want[2] |= 4
		b := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, &row.flit, gopacket.Payload("rest")))
		require.Equal(t, append(bytes.Clone(want), "rest"...), b.Bytes())
		var got flitlayer.Flit
		require.NoError(t, got.DecodeFromBytes(b.Bytes(), gopacket.NilDecodeFeedback))
		require.Equal(t, want, got.LayerContents())
		require.Equal(t, []byte("rest"), got.LayerPayload())
		got.BaseLayer = row.flit.BaseLayer
		require.Equal(t, row.flit, got)
	}
}

func TestFaultyPackets(t *testing.T) {
	change := func(at int, value byte) []byte {
		data := bytes.Clone(sampleBytes)
		data[at] = value
		return data
	}
	tests := []struct {
		name string
		data []byte
		is   error
		want string
	}{
		{"empty", nil, flitlayer.ErrShort, "flit packet is shorter than 40 bytes: 0"},
		{"a byte short", sampleBytes[:flitlayer.Size-1], flitlayer.ErrShort, "flit packet is shorter than 40 bytes: 39"},
		{"version", change(0, 3), flitlayer.ErrVersion, "flit packet has an unknown version: 3"},
		{"kind", change(1, 4), flitlayer.ErrField, "flit packet has a field out of range: kind 4"},
		{"flags", change(2, 8), flitlayer.ErrField, "flit packet has a field out of range: flags 0x8"},
		{"a byte of the waiting short", append(change(2, 7), make([]byte, 7)...), flitlayer.ErrShort, "flit packet is shorter than 40 bytes and its waiting: 47"},
		{"has not waited", append(change(2, 7), make([]byte, 8)...), flitlayer.ErrField, "flit packet has a field out of range: flag waited of a flit that has not"},
		{"source", change(4, 0x80), flitlayer.ErrField, "flit packet has a field out of range: node -2147351804"},
		{"flit beyond length", change(20, 0x42), flitlayer.ErrField, "flit packet has a field out of range: flit 1110586164 of 1094861636"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := gopacket.NewPacket(test.data, flitlayer.LinkType, gopacket.Default)
			fault := p.ErrorLayer()
			require.NotNil(t, fault)
			require.ErrorIs(t, fault.Error(), test.is)
			require.EqualError(t, fault.Error(), test.want)
			require.Equal(t, test.is == flitlayer.ErrShort, p.Metadata().Truncated)
		})
	}
}

func TestSerializeRefusesWhatCannotBeRead(t *testing.T) {
	f := sample()
	f.Index = 0
	require.ErrorIs(t, f.SerializeTo(gopacket.NewSerializeBuffer(), gopacket.SerializeOptions{}), flitlayer.ErrField)
	f = sample()
	f.To = -1
	require.ErrorIs(t, f.SerializeTo(gopacket.NewSerializeBuffer(), gopacket.SerializeOptions{}), flitlayer.ErrField)
}

// FuzzDecode reads any bytes; what is a flit must be written as the same bytes.
func FuzzDecode(f *testing.F) {
	f.Add(sampleBytes)
	f.Add(sampleBytes[:20])
	f.Add(wideBytes())
	f.Add(append(bytes.Clone(sampleBytes), 1, 2, 3))
	waited := sample()
	waited.Waited = 17
	packet := make([]byte, waited.Size())
	waited.Put(packet)
	f.Add(packet)
	f.Add(packet[:45])
	f.Fuzz(func(t *testing.T, data []byte) {
		p := gopacket.NewPacket(data, flitlayer.LinkType, gopacket.Default)
		layer, ok := p.Layer(flitlayer.LayerTypeFlit).(*flitlayer.Flit)
		if !ok {
			require.NotNil(t, p.ErrorLayer())
			return
		}
		b := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{}, layer, gopacket.Payload(layer.LayerPayload())))
		require.Equal(t, data, b.Bytes())
	})
}

// The fast way to read many packets: one layer value, decoded again and again.
func Example() {
	var flit flitlayer.Flit
	parser := gopacket.NewDecodingLayerParser(flitlayer.LayerTypeFlit, &flit)
	var decoded []gopacket.LayerType
	if err := parser.DecodeLayers(sampleBytes, &decoded); err != nil {
		fmt.Println(err)
	}
	fmt.Println(decoded, flit.Kind, "vc", flit.VC, "head", flit.Head, "tail", flit.Tail)
	// Output: [MeshwrightFlit] certificate vc 5 head true tail true
}
