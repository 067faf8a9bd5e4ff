// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// play runs a schedule on the cycle model.
func play(t testing.TB, s *schedule.Schedule, top *topology.Topology, m machine.Machine) (*fabric.Network, *schedule.Player) {
	if s.HasRoutes() {
		m.Routing = machine.Source
	}
	net, err := fabric.New(top, m)
	require.NoError(t, err)
	net.KeepLog()
	player, err := schedule.NewPlayer(net, s)
	require.NoError(t, err)
	net.Attach(player)
	require.NoError(t, net.Run(context.Background(), 1<<20), describe(top, m, s))
	return net, player
}

func TestCheckAgreesWithTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	topologies := randomTopologies(t)
	colliding := 0
	runs := *randomRuns
	for i := range runs {
		top, m := topologies[r.IntN(len(topologies))], randomMachine(r)
		s := randomSchedule(r, newTwin(top, m), i%2 == 0)
		got, err := Check(s, top, m)
		require.NoError(t, err)
		net, player := play(t, s, top, m)
		collisions, count := player.Collisions()
		if got.OK != (count == 0) {
			t.Fatalf("checker %v, model %v\n%s", got.First, collisions, describe(top, m, s))
		}
		if got.OK {
			requireSameRun(t, s, got, net, player)
			continue
		}
		colliding++
		if got.First[0].Cycle != collisions[0].Cycle {
			t.Fatalf("checker %v, model %v\n%s", got.First, collisions, describe(top, m, s))
		}
		requireSameReason(t, s, got, collisions)
	}
	require.Equal(t, runs/2, colliding)
}

// requireSameRun compares time, dispatches and the use of links of a schedule
// without collisions.
func requireSameRun(t *testing.T, s *schedule.Schedule, got *Report, net *fabric.Network, player *schedule.Player) {
	t.Helper()
	end := router.Cycle(0)
	for _, sent := range net.Log() {
		number, ok := player.Message(sent.Serial)
		require.True(t, ok)
		require.Equal(t, s.Rows[number].Dispatch, sent.Dispatch)
		require.Positive(t, sent.Arrival)
		end = max(end, sent.Arrival)
	}
	require.Len(t, net.Log(), len(s.Rows))
	require.Equal(t, end, got.Cycles)
	require.Equal(t, end, net.Quiet())
	requireShares(t, got.Links, got.Cycles, func() string { return describe(net.Topology, net.Machine, s) })
	for i, use := range net.LinkUse() {
		require.Equal(t, LinkUse{Flits: use.Flits, Busy: use.Busy}, got.Links[i])
	}
}

// requireSameReason compares rule and node where only two messages collide.
func requireSameReason(t *testing.T, s *schedule.Schedule, got *Report, collisions []router.Collision) {
	t.Helper()
	if len(s.Rows) != 2 || got.Collisions != 1 || got.First[0].Rows[0] == got.First[0].Rows[1] {
		return
	}
	first := got.First[0]
	for _, c := range collisions {
		if c.Cycle == first.Cycle && c.Conflict == first.Conflict && c.Node == first.Node {
			return
		}
	}
	t.Fatalf("checker %v, model %v", got.First, collisions)
}
