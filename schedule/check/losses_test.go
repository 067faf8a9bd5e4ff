// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// The checker finds the messages that arrive in the model, and when, on random
// machines with random faults.
func TestLossesAreThoseOfTheModel(t *testing.T) {
	lost, arrived, judged := 0, 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 11))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		topo, err := topology.Parse(pick("path:5", "mesh:3x3", "torus:3x4", "debruijn:3", "binary:2"))
		require.NoError(t, err)
		m, err := machine.Preset(pick("bufferless", "store-forward"))
		require.NoError(t, err)
		if m.Switching == machine.StoreForward {
			for _, setting := range [][2]string{{"switching", pick("store-forward", "cut-through")}, {"setup", pick("0", "1", "3/2")}} {
				require.NoError(t, m.Set(setting[0], setting[1]))
			}
			if rng.IntN(2) == 0 {
				m.Ports, m.Channels = machine.AllPort, machine.Links
			}
		}
		s := &schedule.Schedule{}
		for i := range 1 + rng.IntN(12) {
			from, to := rng.IntN(topo.Nodes()), rng.IntN(topo.Nodes())
			if from == to {
				continue
			}
			s.Rows = append(s.Rows, schedule.Row{
				Message: int32(i + 1), Source: router.NodeID(from), Destination: router.NodeID(to), Flits: 1 + rng.IntN(4), Dispatch: router.Cycle(5 * i),
			})
		}
		if len(s.Rows) == 0 {
			continue
		}
		m.Faults, err = fault.Parse([]string{"drop:" + pick("0", "0.1", "0.4"), "random:" + pick("0", "1"), "corrupt:0"}, seed)
		require.NoError(t, err)
		want, run := arrivals(t, s, topo, m)
		if run.CollisionCount > 0 {
			continue
		}
		judged++
		var got []router.Cycle
		var count int
		if m.PacketSwitched() {
			r, err := check.Packets(s, topo, m)
			require.NoError(t, err)
			got, count = r.Arrivals, len(r.Losses)
			require.Zero(t, r.Missing)
			for i := range got {
				got[i] = max(got[i], 0)
			}
		} else {
			r, err := check.Check(s, topo, m, check.KeepArrivals())
			require.NoError(t, err)
			got, count = r.Arrivals, r.Lost
			if !r.OK { // messages collide behind the place where one of them is lost
				continue
			}
			for i := range got {
				got[i] = max(got[i], 0)
			}
		}
		require.Equal(t, want, got, "seed %d: %s %s", seed, topo, m.Describe())
		losses := run.Network.Losses()
		require.Equal(t, losses.Messages(), count, fmt.Sprint(seed))
		lost, arrived = lost+count, arrived+len(got)-count
	}
	require.Greater(t, judged, 100)
	require.Positive(t, lost)
	require.Positive(t, arrived)
}

// arrivals runs a schedule and returns when each row arrived; 0: it did not.
func arrivals(t *testing.T, s *schedule.Schedule, topo *topology.Topology, m machine.Machine) ([]router.Cycle, *schedule.Result) {
	var net *fabric.Network
	r, err := schedule.Execute(t.Context(), s, topo, m, func(n *fabric.Network) error { net = n; return nil })
	require.NoError(t, err)
	rows := map[int64]int{}
	for i := range s.Rows {
		rows[int64(s.Rows[i].Message)] = i
	}
	at := make([]router.Cycle, len(s.Rows))
	for _, sent := range net.Log() {
		at[rows[net.Number(sent.Serial)]] = sent.Arrival
	}
	return at, r
}
