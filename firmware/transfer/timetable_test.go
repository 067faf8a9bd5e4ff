// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// collides asks the checker of schedules about the first transfers of a list, the
// last of them moved to another start. A schedule tells when the first flit goes, which is
// the startup later.
func collides(t *testing.T, topo *topology.Topology, m machine.Machine, list []transfer.Transfer, start router.Cycle) bool {
	t.Helper()
	s := &schedule.Schedule{}
	for i := range list {
		one := &list[i]
		s.Rows = append(s.Rows, schedule.Row{Message: int32(i), Source: one.From, Destination: one.To, Flits: one.Out.Words(), Dispatch: one.Start + router.Cycle(m.Startup)})
	}
	s.Rows[len(list)-1].Dispatch = start + router.Cycle(m.Startup)
	report, err := check.Check(s, topo, m)
	require.NoError(t, err)
	return !report.OK
}

// Each transfer starts in the first cycle in which it meets none that was placed
// before: there the checker sees no collision, and in every cycle before it one.
func TestTimetableStartsAsEarlyAsItCan(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 3))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	delayed := 0
	for range 150 {
		topo, m := on(t, pick("path:5", "ring:5", "mesh:3x3", "torus:3x3"), "bufferless", "ports", pick("all", "single"),
			"nic.channels", pick("1", "links"), "hop", pick("1", "2"), "startup", pick("0", "3"))
		l := &transfer.List{Nodes: topo.Nodes()}
		floor := make([]router.Cycle, 2+random.IntN(6))
		for i := range floor {
			from, to := random.IntN(topo.Nodes()), random.IntN(topo.Nodes()-1)
			if to >= from {
				to++
			}
			floor[i] = router.Cycle(random.IntN(6))
			l.Transfers = append(l.Transfers, transfer.Transfer{From: router.NodeID(from), To: router.NodeID(to), Out: words(0, 1+random.IntN(5)), Start: floor[i]})
		}
		require.NoError(t, transfer.Timetable(topo, m, l))
		for i := range l.Transfers {
			name := fmt.Sprintf("%s %s %+v", topo, m.Describe(), l.Transfers[:i+1])
			start := l.Transfers[i].Start
			require.GreaterOrEqual(t, start, floor[i], name)
			require.False(t, collides(t, topo, m, l.Transfers[:i+1], start), name)
			for earlier := floor[i]; earlier < start; earlier++ {
				delayed++
				require.True(t, collides(t, topo, m, l.Transfers[:i+1], earlier), "start %d: %s", earlier, name)
			}
		}
	}
	require.Greater(t, delayed, 300)
}

// A sender hands a message of a later step over when it is done with the earlier
// ones, and not a cycle later: what it received is whole, and what it sent is handed over.
func TestTimetableKeepsTheOrderOfSteps(t *testing.T) {
	topo, m := on(t, "path:4", "bufferless", "startup", "4", "ports", "all", "nic.channels", "links")
	l := &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{
		{Step: 2, From: 2, To: 3, Out: words(0, 1)},
		{Step: 0, From: 0, To: 1, Out: words(0, 3)},
		{Step: 1, From: 1, To: 2, Out: words(0, 3)},
		{Step: 1, From: 3, To: 3, Out: words(0, 3)},
		{Step: 1, From: 3, To: 2, Out: words(0, 0)},
		{Step: 2, From: 3, To: 2, Out: words(0, 1)},
	}}
	require.NoError(t, transfer.Timetable(topo, m, l))
	hop := router.Cycle(4 + 3 + 1 - 1) // startup + words + link - 1
	var starts []router.Cycle
	for i := range l.Transfers {
		starts = append(starts, l.Transfers[i].Start)
	}
	require.Equal(t, []router.Cycle{2 * hop, 0, hop, 0, 0, 0}, starts)
}

// A sender is not ahead of its own steps: what it hands over late delays its next
// step, though every channel and link is free.
func TestTimetableWaitsForWhatTheSenderSent(t *testing.T) {
	topo, m := on(t, "path:3", "bufferless", "ports", "all", "nic.channels", "links")
	l := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{
		{Step: 0, From: 1, To: 0, Out: words(0, 2), Start: 9},
		{Step: 0, From: 1, To: 2, Out: words(0, 2), Start: 3},
		{Step: 1, From: 1, To: 2, Out: words(0, 2)},
		{Step: 1, From: 2, To: 1, Out: words(0, 2)},
	}}
	require.NoError(t, transfer.Timetable(topo, m, l))
	require.Equal(t, router.Cycle(9), l.Transfers[2].Start)
	require.Equal(t, l.Transfers[1].Start+2, l.Transfers[3].Start, "it received two words over one link")
}

// Only messages with words count.
func TestMessagesOfAList(t *testing.T) {
	l := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{
		{From: 0, To: 1, Out: words(0, 3)}, {From: 1, To: 1, Out: words(0, 5)}, {From: 1, To: 2}, {From: 2, To: 0, Out: words(2, 3)},
	}}
	messages, flits := l.Messages()
	require.Equal(t, []int{2, 4}, []int{messages, flits})
}

// A route goes along links and ends at its receiver.
func TestRoutesOfTransfers(t *testing.T) {
	topo, _ := on(t, "mesh:3x2", "wormhole")
	for _, row := range []struct {
		name  string
		route []router.Port
		want  string
	}{
		{"none", nil, ""},
		{"there", []router.Port{0, 2, 0}, ""},
		{"a link short", []router.Port{0, 2}, "transfer 0: the route ends at node 4 (expected node 5)"},
		{"a link too far", []router.Port{0, 2, 0, 1}, "transfer 0: the route ends at node 4 (expected node 5)"},
		{"off the mesh", []router.Port{1}, "transfer 0: no link from node 0 by port 1 (expected a route along the links of mesh:3x2)"},
		{"empty", []router.Port{}, "transfer 0: the route ends at node 0 (expected node 5)"},
	} {
		l := &transfer.List{Nodes: 6, Transfers: []transfer.Transfer{{From: 0, To: 5, Out: words(0, 1), Route: row.route}}}
		err := l.Fits(topo)
		if row.want == "" {
			require.NoError(t, err, row.name)
			continue
		}
		require.EqualError(t, err, row.want, row.name)
	}
}

// At the ends of what is legal: the last node and word fit, those behind them do not.
func TestListsAtTheirLimits(t *testing.T) {
	require.NoError(t, listOf(transfer.Transfer{From: 2, To: 0, Out: words(0, 4), In: words(0, 4)}))
	require.NoError(t, listOf(transfer.Transfer{To: 1, Out: words(4, 4)}))
	require.EqualError(t, listOf(transfer.Transfer{To: 3}), "transfer 0: node 3 (expected 0 to 2)")
	require.EqualError(t, listOf(transfer.Transfer{To: -1}), "transfer 0: node -1 (expected 0 to 2)")
	require.EqualError(t, listOf(transfer.Transfer{To: 1, Out: words(3, 2)}), "transfer 0: words 3 to 2 of node 0 (expected 0 to 4)")
	require.EqualError(t, listOf(transfer.Transfer{To: 1, Out: words(0, 1), In: words(4, 5)}), "transfer 0: words 4 to 5 of node 1 (expected 0 to 4)")
	require.EqualError(t, listOf(transfer.Transfer{Start: -1}), "transfer 0: step 0, start -1 (expected at least 0)")
	require.NoError(t, checkTimed(transfer.Transfer{To: 1, Out: words(0, 1), Start: 5, Due: 6}))
}
