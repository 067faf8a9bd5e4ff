// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

func on(t testing.TB, spec, preset string, settings ...string) (*topology.Topology, machine.Machine) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return topo, m
}

func words(from, to int) transfer.Set { return transfer.Set{{From: from, To: to}} }

func TestPartsOfASet(t *testing.T) {
	s := transfer.Set{{From: 0, To: 3}, {From: 10, To: 14}}
	require.Equal(t, 7, s.Words())
	require.Equal(t, transfer.Set{{From: 0, To: 2}}, s.Part(0, 3))
	require.Equal(t, transfer.Set{{From: 2, To: 3}, {From: 10, To: 11}}, s.Part(1, 3))
	require.Equal(t, transfer.Set{{From: 11, To: 14}}, s.Part(2, 3))
	require.Empty(t, transfer.Set{{From: 4, To: 4}}.Part(0, 1))
	for k := 1; k < 12; k++ {
		var all []transfer.Set
		for i := range k {
			all = append(all, s.Part(i, k))
		}
		require.Equal(t, s, transfer.Join(all...), "in %d parts", k)
	}
}

func TestJoinDropsTheEmptyAndMergesNeighbours(t *testing.T) {
	require.Equal(t, words(1, 9), transfer.Join(words(1, 4), words(6, 6), words(4, 9)))
	require.Equal(t, transfer.Set{{From: 4, To: 9}, {From: 1, To: 4}}, transfer.Join(words(4, 9), words(1, 4)))
	require.Empty(t, transfer.Join())
}

// A chain of steps costs startup + words·flit + links·hop - 1 each, and one more.
func TestPredictAChain(t *testing.T) {
	topo, m := on(t, "path:8", "wormhole", "startup", "5", "hop", "3", "flit", "2")
	l := &transfer.List{Nodes: 8, Transfers: []transfer.Transfer{
		{Step: 1, From: 3, To: 7, Out: words(0, 10)},
		{Step: 0, From: 0, To: 3, Out: words(0, 4)},
		{Step: 2, From: 7, To: 6, Out: words(0, 0)},
	}}
	timing, err := transfer.Predict(topo, m, l)
	require.NoError(t, err)
	first, second := router.Cycle(5+4*2+3*3-1), router.Cycle(5+10*2+4*3-1)
	require.Equal(t, 1+first+second, timing.Cycles)
	require.Equal(t, []router.Cycle{first, 0, -1}, timing.Handed)
	require.Equal(t, []router.Cycle{first + second, first, -1}, timing.Arrived)
	l.Sync = true // a token comes back before each message
	timing, err = transfer.Predict(topo, m, l)
	require.NoError(t, err)
	token := func(links router.Cycle) router.Cycle { return 5 + 2 + 3*links - 1 }
	require.Equal(t, 1+max(token(3)+first, token(4))+second, timing.Cycles)
}

func TestTimetableKeepsApartWhatWouldCollide(t *testing.T) {
	topo, m := on(t, "path:4", "bufferless")
	l := &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{
		{From: 0, To: 3, Out: words(0, 5)},
		{From: 1, To: 2, Out: words(0, 2)},
	}}
	require.NoError(t, transfer.Timetable(topo, m, l))
	require.Equal(t, router.Cycle(0), l.Transfers[0].Start)
	require.Equal(t, router.Cycle(6), l.Transfers[1].Start)
}

func TestBadLists(t *testing.T) {
	topo, m := on(t, "path:3", "wormhole")
	_, packets := on(t, "path:3", "store-forward")
	none := &transfer.List{Nodes: 3}
	for _, row := range []struct {
		name string
		err  error
		want string
	}{
		{"nodes", predict(topo, m, &transfer.List{Nodes: 2}), "transfers among 2 nodes on path:3 (expected 3)"},
		{"packets", predict(topo, packets, none), "transfers on a machine with switching store-forward (expected bufferless or wormhole)"},
		{"tokens", transfer.Timetable(topo, m, &transfer.List{Nodes: 3, Sync: true}), "a timetable of transfers that wait for tokens (expected a list without tokens)"},
		{"node", listOf(transfer.Transfer{From: 3}), "transfer 0: node 3 (expected 0 to 2)"},
		{"step", listOf(transfer.Transfer{Step: -1}), "transfer 0: step -1, start 0 (expected at least 0)"},
		{"words", listOf(transfer.Transfer{To: 1, Out: words(0, 5)}), "transfer 0: words 0 to 5 of node 0 (expected 0 to 4)"},
		{"places", listOf(transfer.Transfer{To: 1, Out: words(0, 3), In: words(0, 2)}), "transfer 0: 3 words and 2 places (expected as many places)"},
		{"tokens by the clock", (&transfer.List{Nodes: 3, Timed: true, Sync: true}).Check(nil), "a timed list whose senders wait for tokens (expected a list without tokens)"},
		{"due before its start", checkTimed(transfer.Transfer{To: 1, Out: words(0, 1), Start: 5, Due: 5}), "transfer 0: from node 0 to 1, start 5, due 5, in a timed list (expected a message that is due after its start)"},
		{"a move by the clock", checkTimed(transfer.Transfer{Out: words(0, 1), Due: 5}), "transfer 0: from node 0 to 0, start 0, due 5, in a timed list (expected a message that is due after its start)"},
	} {
		t.Run(row.name, func(t *testing.T) { require.EqualError(t, row.err, row.want) })
	}
}

func predict(topo *topology.Topology, m machine.Machine, l *transfer.List) error {
	_, err := transfer.Predict(topo, m, l)
	return err
}

func listOf(one transfer.Transfer) error {
	l := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{one}}
	return l.Check(func(router.NodeID) int { return 4 })
}

func checkTimed(one transfer.Transfer) error {
	l := &transfer.List{Nodes: 3, Timed: true, Transfers: []transfer.Transfer{one}}
	return l.Check(func(router.NodeID) int { return 4 })
}

// A broadcast along a path of four: each node passes two words on.
func ExamplePredict() {
	topo, _ := topology.Parse("path:4")
	m, _ := machine.Preset("wormhole")
	m.Startup = 10
	l := &transfer.List{Nodes: 4}
	for n := range router.NodeID(3) {
		l.Transfers = append(l.Transfers, transfer.Transfer{Step: int(n), From: n, To: n + 1, Out: transfer.Set{{From: 0, To: 2}}})
	}
	timing, _ := transfer.Predict(topo, m, l)
	fmt.Println(timing.Cycles)
	// Output:
	// 37
}
