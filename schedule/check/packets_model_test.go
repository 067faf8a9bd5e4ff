// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule"
)

var packetRuns = flag.Int("packet-runs", 1500, "random schedules of packets to run on the model")

// packetTopologies are randomTopologies and some more graphs and trees.
func packetTopologies(t testing.TB) []*topology.Topology {
	list := randomTopologies(t)
	for _, spec := range []string{"hub:6", "binary:2", "comb:3x3", "random-tree:9,4", "recursive-tree:12,5", "complete:4", "debruijn:3", "random:8,3,2", "random:10,3,7"} {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		list = append(list, top)
	}
	return list
}

// randomPacketMachine returns a machine that switches packets, of the given largest length.
func randomPacketMachine(t testing.TB, r *rand.Rand, largest int) machine.Machine {
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	if r.IntN(2) == 0 {
		m.Switching = machine.CutThrough
	}
	setups := []string{"0", "0", "1", "2", "5", "1/2", "3/2", "5/2", "9/2", "1/3", "2/3", "4/3", "14/3", "7/5"}
	m.Setup, err = rational.Parse(setups[r.IntN(len(setups))])
	require.NoError(t, err)
	m.Flit = 1 + r.IntN(3)
	if r.IntN(2) == 0 {
		m.Startup = r.IntN(6)
	}
	if r.IntN(4) == 0 {
		m.Packet = largest + r.IntN(4)
		largest = m.Packet
	}
	m.Routing = []machine.Routing{"", machine.Table, machine.Source, machine.UpDown}[r.IntN(4)]
	switch r.IntN(4) {
	case 0:
		m.Buffer = largest + r.IntN(2*largest+1)
	case 1:
		m.Buffer = largest * (1 + r.IntN(3))
	case 2:
		m.Buffer = 40 * largest
	}
	if r.IntN(2) == 0 {
		m.Ports, m.Channels = machine.AllPort, machine.Links
	}
	if m = sometimesHeaderFlit(r, m); m.Buffer > 0 {
		m.Buffer += m.HeaderFlits()
	}
	return m
}

// randomPackets returns messages: some sources send much, some rows have routes.
func randomPackets(r *rand.Rand, t *topology.Topology, m machine.Machine) *schedule.Schedule {
	s := &schedule.Schedule{File: "random"}
	routes, horizon := r.IntN(3) == 0, 1+r.IntN(1+r.IntN(200))
	one := r.IntN(4) == 0 // a scatter
	for range 1 + r.IntN(1+r.IntN(60)) {
		row := randomRow(r, t, m, len(s.Rows), horizon, routes)
		if row.Dispatch -= router.Cycle(r.IntN(4)); row.Dispatch < 0 {
			row.Dispatch = 0
		}
		if one && row.Route == nil && row.Destination != 0 {
			row.Source = 0
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// gauge is the most flits that one buffer holds at the start of a tick.
type gauge struct {
	node router.NodeID // None: of no buffer
	port router.Port
	most int
}

func (g *gauge) attach(n *fabric.Network) error {
	n.Attach(g)
	return nil
}

func (g *gauge) Evaluate(s fabric.Signals) {
	if g.node != router.None {
		g.most = max(g.most, s.Network().Bank().Occupancy(g.node, g.port, 0))
	}
}

func (g *gauge) Update(fabric.Signals) {}

// The account and the cycle model tell the same of every message: when it
// enters and arrives, how full buffers get, and whether all of them arrive.
func TestPacketsAgreeWithTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	topologies := packetTopologies(t)
	locked, waited, crowded := 0, 0, 0
	for range *packetRuns {
		top := topologies[r.IntN(len(topologies))]
		s := randomPackets(r, top, machine.Machine{})
		m := randomPacketMachine(t, r, s.Longest())
		got, err := Packets(s, top, m)
		require.NoError(t, err, describe(top, m, s))
		gauge := &gauge{node: got.Fullest, port: got.FullestPort}
		want, err := schedule.Execute(t.Context(), s, top, m, gauge.attach)
		require.NoError(t, err)
		if got.Missing == 0 {
			require.Equal(t, got.MaxBufferFlits, gauge.most, describe(top, m, s))
		}
		requireSamePackets(t, top, m, s, got, want)
		if got.Missing > 0 {
			locked++
		}
		if got.Grants.Packets > 0 && got.Turns.Packets > 0 {
			waited++
		}
		if got.MaxBufferFlits > got.Largest {
			crowded++
		}
	}
	t.Log(locked, waited, crowded)
	require.Greater(t, locked, *packetRuns/100)
	require.Greater(t, waited, *packetRuns/10)
	require.Greater(t, crowded, *packetRuns/100)
}

func requireSamePackets(t *testing.T, top *topology.Topology, m machine.Machine, s *schedule.Schedule, got *PacketReport, want *schedule.Result) {
	t.Helper()
	same := got.Missing == 0 == want.Delivered
	var locked *router.Deadlock
	if got.Missing > 0 {
		same = same && errors.As(want.Failure, &locked)
	} else {
		same = same && got.Cycles == want.Cycles && got.MaxBufferFlits == want.MaxBufferFlits && got.Late == want.Late && len(want.Network.Log()) == len(s.Rows)
	}
	if !same {
		t.Fatalf("account: %d, fullest %d, late %d, missing %d; model: %d, fullest %d, late %d, %v\n%s", got.Cycles, got.MaxBufferFlits, got.Late, got.Missing,
			want.Cycles, want.MaxBufferFlits, want.Late, want.Failure, describe(top, m, s))
	}
	for _, sent := range want.Network.Log() {
		row := int(sent.Tag) // rows are numbered from 0
		if sent.Dispatch >= 0 && sent.Dispatch != got.Entered[row] || sent.Arrival > 0 && sent.Arrival != got.Arrivals[row] {
			t.Fatalf("message %d: account %d to %d, model %d to %d\n%s", row, got.Entered[row], got.Arrivals[row], sent.Dispatch, sent.Arrival, describe(top, m, s))
		}
	}
	requireShares(t, got.Links, got.Quiet, func() string { return describe(top, m, s) })
	if got.Missing > 0 {
		return // the model stops when it finds the first packets that wait for one another
	}
	if got.Quiet != want.Network.Quiet() {
		t.Fatalf("quiet: account %d, model %d\n%s", got.Quiet, want.Network.Quiet(), describe(top, m, s))
	}
	for i, use := range want.Network.LinkUse() {
		if (LinkUse{Flits: use.Flits, Busy: use.Busy}) != got.Links[i] {
			t.Fatalf("link %d: account %v, model %v\n%s", i, got.Links[i], use, describe(top, m, s))
		}
	}
}
