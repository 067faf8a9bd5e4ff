// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func design(t *testing.T, spec string, settings ...string) *Design {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return newDesign(n, 5, 3)
}

// wire writes fields of a flit as binary digits, most significant first.
func wire(t *testing.T, d *Design, f *flitValue) string {
	b := newBitWriter(d.FlitWidth)
	d.encode(b, f)
	require.Equal(t, d.FlitWidth, b.at)
	var text strings.Builder
	for i := d.FlitWidth - 1; i >= 0; i-- {
		text.WriteByte("01"[b.words[i>>6]>>(i&63)&1])
	}
	return text.String()
}

func TestFlitLayout(t *testing.T) {
	for _, row := range []struct {
		name string
		d    *Design
		f    flitValue
		want string // vc head tail kind tag source destination route payload
	}{
		{
			"dimension order", design(t, "mesh:3x3", "width", "8"),
			flitValue{head: true, kind: 1, tag: 5, source: 8, destination: 3, payload: 0xa5},
			"0" + "1" + "0" + "01" + "101" + "1000" + "0011" + "" + "10100101",
		},
		{
			"header in the head", design(t, "mesh:3x3", "width", "16", "header", "flit", "vcs", "2"),
			flitValue{vc: 1, head: true, kind: 1, tag: 5, source: 8, destination: 3},
			"1" + "1" + "0" + "000" + "01" + "101" + "1000" + "0011",
		},
		{
			"behind it", design(t, "mesh:3x3", "width", "16", "header", "flit", "vcs", "2"),
			flitValue{vc: 1, tail: true, kind: 1, tag: 5, source: 8, destination: 3, payload: 0xa5},
			"1" + "0" + "1" + "00000000" + "10100101",
		},
		{
			"virtual channel", design(t, "torus:3x3", "width", "8", "vcs", "4"),
			flitValue{vc: 3, tail: true, kind: 3, tag: 1, source: 1, destination: 2, payload: 1},
			"11" + "0" + "1" + "11" + "001" + "0001" + "0010" + "" + "00000001",
		},
		{
			"source route before its first hop", design(t, "mesh:3x3", "width", "8", "routing", "source"),
			flitValue{source: 0, destination: 4, route: []router.Port{0, 2}, payload: 0},
			"0" + "0" + "0" + "00" + "000" + "0000" + "0100" + "000" + "111" + "010" + "000" + "00000000",
		},
		{
			"source route on its first link has moved on", design(t, "mesh:3x3", "width", "8", "routing", "source"),
			flitValue{source: 0, destination: 4, route: []router.Port{0, 2}, shift: true},
			"0" + "0" + "0" + "00" + "000" + "0000" + "0100" + "000" + "000" + "111" + "010" + "00000000",
		},
		{
			"source route at its end says eject", design(t, "mesh:3x3", "width", "8", "routing", "source"),
			flitValue{source: 0, destination: 4, route: []router.Port{0, 2}, hop: 2},
			"0" + "0" + "0" + "00" + "000" + "0000" + "0100" + "000" + "000" + "000" + "111" + "00000000",
		},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, wire(t, row.d, &row.f)) })
	}
}

func TestHexOfAFlit(t *testing.T) {
	b := newBitWriter(70)
	b.put(0x123456789abcdef0, 64)
	b.put(0x2a, 6)
	require.Equal(t, "2a123456789abcdef0", string(b.appendHex(nil, 70)))
}

func TestLogIsReadBack(t *testing.T) {
	d := design(t, "mesh:3x3", "width", "8")
	hex := func(f flitValue) string {
		b := newBitWriter(d.FlitWidth)
		d.encode(b, &f)
		return string(b.appendHex(nil, d.FlitWidth))
	}
	head := hex(flitValue{head: true, kind: 1, tag: 5, source: 1, destination: 2, payload: 7})
	tail := hex(flitValue{tail: true, kind: 1, tag: 5, source: 1, destination: 2, payload: 9})
	channel := d.firstChannel[1]
	link := d.outputIndex(1, 0)
	log := strings.Join([]string{
		"place 3 " + strconv.Itoa(channel) + " " + head,
		"hold 4 " + strconv.Itoa(channel),
		"show 4 " + strconv.Itoa(link) + " 0 " + head,
		"show 5 " + strconv.Itoa(link) + " 1 " + head,
		"show 6 " + strconv.Itoa(link) + " 1 " + tail,
		"show 7 " + strconv.Itoa(len(d.Links)) + " 1 " + tail,
		"reset 8", // the stress phase
		"place 9 " + strconv.Itoa(channel) + " " + head,
	}, "\n")
	var seen []Sighting
	require.NoError(t, d.ReadLog(strings.NewReader(log), func(s Sighting) { seen = append(seen, s) }))
	require.Equal(t, []Sighting{
		{3, 1, Stood, router.Order, 5, 1, 7},
		{4, 1, Stood, router.Order, 5, 1, 7},
		{Cycle: 5, Node: 1, Form: Left},
		{6, 2, Arrived, router.Order, 5, 1, 7},
		{Cycle: 6, Node: 2, Form: Kept},
		{Cycle: 6, Node: 1, Form: Left},
		{7, 2, Arrived, router.Order, 5, 2, 9},
		{Cycle: 7, Node: 2, Form: Kept},
		{Cycle: 7, Node: 0, Form: Left},
		{Cycle: 4, Node: 1, Form: Entered},
	}, seen)
}

func TestBadLogsAreRejected(t *testing.T) {
	d := design(t, "mesh:3x3")
	for _, row := range []struct{ log, want string }{
		{"show", "simulator log, line 1: 1 fields"},
		{"place x 1 00", "simulator log, line 1: expected integer"},
		{"dance 1 1 00", `simulator log, line 1: "dance 1 1 00" is no event`},
		{"place 1 1 0g", `simulator log, line 1: "0g" is not a flit of 48 bits`},
	} {
		require.EqualError(t, d.ReadLog(strings.NewReader(row.log), func(Sighting) {}), row.want)
	}
}
