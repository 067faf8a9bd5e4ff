// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric/machine"
	"meshwright/internal/soak"
	"meshwright/router"
)

func TestTablesOfThePapers(t *testing.T) {
	files, err := filepath.Glob("../tests/testdata/golden/fig*.csv")
	require.NoError(t, err)
	require.Len(t, files, len(figures))
	for figure, lines := range figures {
		t.Run(figure, func(t *testing.T) {
			net := network(t, "path:6", "bufferless", nil)
			table, err := capture.NewTable(net, capture.Options{})
			require.NoError(t, err)
			net.Attach(table)
			run(t, net, lines)
			_, collisions := net.Collisions()
			require.Zero(t, collisions)

			want, err := os.ReadFile("../tests/testdata/golden/" + figure + ".csv")
			require.NoError(t, err)
			require.Equal(t, string(want), written(t, table))
			require.Equal(t, string(want), written(t, table), "printed twice")
		})
	}
}

// The buffered machine keeps no startup and no contention here, so it takes
// the same time as the bufferless one.
func TestTableIsTheSameWithBuffers(t *testing.T) {
	for figure, lines := range figures {
		net := network(t, "path:6", "wormhole", func(m *machine.Machine) { m.Ports = machine.SinglePort; m.Channels = 1 })
		table, err := capture.NewTable(net, capture.Options{})
		require.NoError(t, err)
		net.Attach(table)
		run(t, net, lines)
		want, err := os.ReadFile("../tests/testdata/golden/" + figure + ".csv")
		require.NoError(t, err)
		require.Equal(t, string(want), written(t, table), figure)
	}
}

func written(t *testing.T, table interface{ Write(io.Writer) error }) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, table.Write(&b))
	return b.String()
}

func TestTableOptions(t *testing.T) {
	tests := []struct {
		name   string
		change func(*machine.Machine)
		opts   capture.Options
		lines  []send
		want   string
	}{
		{
			"a flit arrives hop cycles later", func(m *machine.Machine) { m.Hop = 3 }, capture.Options{},
			[]send{data(2, 0, 2, 7, 2)},
			"step,P0,P1,P2\n2,m7.1,,\n3,m7.2,,\n4,,,\n5,,m7.1,\n6,,m7.2,\n7,,,\n8,,,m7.1\n9,,,m7.2\n",
		},
		{
			"a slow link keeps the register full", func(m *machine.Machine) { m.Flit = 2 }, capture.Options{},
			[]send{data(0, 0, 1, 7, 2)},
			"step,P0,P1,P2\n0,m7.1,,\n1,,m7.1,\n2,m7.2,,\n3,,m7.2,\n",
		},
		{
			"a blocked worm stands in its register", func(m *machine.Machine) { m.Buffer, m.Channels = 1, 1 }, capture.Options{},
			[]send{data(0, 1, 2, 1, 3), data(0, 0, 2, 2, 3)},
			"step,P0,P1,P2\n0,m2.1,m1.1,\n1,m2.2,m2.1,m1.1\n2,m2.2,m1.2+1,\n3,m2.2,m1.3+1,m1.2\n4,m2.2,m1.3+1,\n5,m2.2,+1,m1.3\n" +
				"6,m2.2,+1,\n7,m2.2,,m2.1\n8,m2.3,m2.2,\n9,m2.3,,m2.2\n10,,m2.3,\n11,,,m2.3\n",
		},
		{
			"two arrivals share a cell", nil, capture.Options{},
			[]send{data(0, 0, 1, 9, 1), data(0, 2, 1, 3, 1), data(1, 1, 0, 4, 1)},
			"step,P0,P1,P2\n0,m9.1,,m3.1\n1,,m3.1 m9.1,\n2,m4.1,,\n",
		},
		{
			"two registers share a cell", nil, capture.Options{},
			[]send{data(0, 1, 0, 2, 1), data(0, 1, 2, 1, 1)},
			"step,P0,P1,P2\n0,,m1.1 m2.1,\n1,m2.1,,m1.1\n",
		},
		{
			"names by serial number", nil, capture.Options{Label: func(w *router.Worm) int64 { return int64(w.Message) }},
			[]send{data(0, 0, 1, 70, 1), data(1, 0, 1, 80, 1)},
			"step,P0,P1,P2\n0,m0.1,,\n1,m1.1,m0.1,\n2,,m1.1,\n",
		},
		{
			"a window of cycles", nil, capture.Options{From: 2, Until: 4},
			[]send{data(0, 0, 2, 7, 4)},
			"step,P0,P1,P2\n2,m7.3,m7.2,m7.1\n3,m7.4,m7.3,m7.2\n",
		},
		{
			"a window of nodes", nil, capture.Options{Nodes: []router.NodeID{2, 0, 2}},
			[]send{data(0, 0, 2, 7, 1)},
			"step,P0,P2\n0,m7.1,\n1,,\n2,,m7.1\n",
		},
		{"nothing happened", nil, capture.Options{}, nil, "step,P0,P1,P2\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			net := network(t, "path:3", "wormhole", test.change)
			table, err := capture.NewTable(net, test.opts)
			require.NoError(t, err)
			net.Attach(table)
			run(t, net, test.lines)
			require.Equal(t, test.want, written(t, table))
		})
	}
}

// What collides is gone: a table shows lost flits where they were last.
func TestTableWithCollisions(t *testing.T) {
	net := network(t, "path:3", "bufferless", nil)
	table, err := capture.NewTable(net, capture.Options{})
	require.NoError(t, err)
	net.Attach(table)
	run(t, net, []send{data(0, 0, 2, 1, 1), data(1, 1, 2, 2, 1)})
	_, collisions := net.Collisions()
	require.Equal(t, 1, collisions)
	require.Equal(t, "step,P0,P1,P2\n0,m1.1,,\n1,,m1.1,\n2,,,m1.1\n", written(t, table), "the arrival hides m2.1, which is lost in its register")
}

func TestTableBuilderStandsAlone(t *testing.T) {
	events := []capture.Event{
		{Cycle: 3, Node: 1, Arrival: true, Message: 4, Flit: 2},
		{Cycle: 1, Node: 0, Message: 5, Flit: 1},
		{Cycle: 3, Node: 1, Arrival: true, Message: 4, Flit: 1},
		{Cycle: 3, Node: 1, Message: 1, Flit: 1}, // hidden by the arrivals
		{Cycle: 3, Node: 0, Kind: router.Order, Value: 8},
		{Cycle: 4, Node: 0, Arrival: true, Kind: router.Order, Value: 9},
		{Cycle: 4, Node: 1, Arrival: true, Kind: router.Token, Value: 1},
		{Cycle: 5, Node: 1, Arrival: true, Kind: router.Certificate, Value: 1<<32 - 1},
		{Cycle: 6, Node: 0, Arrival: true, Message: -1, Flit: 10},
		{Cycle: 6, Node: 7, Arrival: true, Message: 1, Flit: 1}, // not a column
	}
	const want = "step,P0,P1\n1,m5.1,\n2,,\n3,,m4.1 m4.2\n4,(9),[*]\n5,,<4294967295>\n6,m-1.10,\n"
	for seed := range uint64(20) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		b := capture.NewTableBuilder(2)
		for _, e := range events {
			b.Add(e)
		}
		require.Equal(t, want, written(t, b), "in any order")
	}
}

func TestTableTooLarge(t *testing.T) {
	b := capture.NewTableBuilder(1000)
	b.Add(capture.Event{Cycle: 0, Node: 0, Message: 1, Flit: 1})
	b.Add(capture.Event{Cycle: 268434, Node: 0, Message: 1, Flit: 1})
	if soak.On() { // all its cells are written
		require.NoError(t, b.Write(io.Discard))
	}
	b.Add(capture.Event{Cycle: 268435, Node: 0, Message: 1, Flit: 1})
	require.EqualError(t, b.Write(io.Discard), "a table of 268436 cycles and 1000 nodes is too large "+
		"(expected at most 2^28 cells: a window of cycles or nodes, or a trace of crossings)")
}

type full struct{ room int }

var errFull = errors.New("no space left")

func (w *full) Write(p []byte) (int, error) {
	if len(p) > w.room {
		return 0, errFull
	}
	w.room -= len(p)
	return len(p), nil
}

func TestTableReportsWriteErrors(t *testing.T) {
	b := capture.NewTableBuilder(5000)
	b.Add(capture.Event{Node: 1, Message: 1, Flit: 1})
	for _, room := range []int{0, 5000, 25000} {
		require.ErrorIs(t, b.Write(&full{room}), errFull)
	}
}
