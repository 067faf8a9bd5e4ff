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
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// The checker follows tables of users, of ways up and down, and tables around known faults, as the chips do.
func TestSchedulesOverTables(t *testing.T) {
	clear, collided := 0, 0
	networks := []string{"mesh:4x3", "torus:4x4", "ring:7", "path:5", "hypercube:3", "star:3", "twisted-torus:3x3,1", "debruijn:3", "random-tree:8,3"}
	for seed := range soak.Number[uint64](300, 5000) {
		random := rand.New(rand.NewPCG(seed, 21))
		at, err := topology.Parse(networks[seed%uint64(len(networks))])
		require.NoError(t, err)
		m, err := machine.Preset("bufferless")
		require.NoError(t, err)
		m.Ports, m.Channels = []machine.Regime{machine.AllPort, machine.SinglePort}[random.IntN(2)], random.IntN(2)
		live := func(router.NodeID) bool { return true }
		switch m.Routing = machine.Table; random.IntN(4) {
		case 0:
			m.Routing = machine.UpDown
		case 1:
			m.Ways = collectivetest.OwnTable(t, at, random)
		default:
			m.Routing = []machine.Routing{machine.Table, machine.UpDown}[random.IntN(2)]
			m.Faults = &fault.List{Known: true, Seed: seed, Random: []fault.Random{{Count: 1 + random.IntN(2), Nodes: true, Links: true}}}
			around, err := fabric.NewAround(at, m)
			if err != nil { // the faults part it
				continue
			}
			live = around.Live
		}
		s := &schedule.Schedule{}
		for len(s.Rows) < 4 {
			from, to := router.NodeID(random.IntN(at.Nodes())), router.NodeID(random.IntN(at.Nodes()))
			if from != to && live(from) && live(to) {
				s.Rows = append(s.Rows, schedule.Row{Message: int32(len(s.Rows)), Source: from, Destination: to, Flits: 1 + random.IntN(3), Dispatch: router.Cycle(random.IntN(30))})
			}
		}
		name := fmt.Sprintf("seed %d: %s, %s, %v", seed, at, m.Describe(), s.Rows)
		r, err := schedule.Execute(t.Context(), s, at, m)
		require.NoError(t, err, name)
		report, err := check.Check(s, at, m)
		require.NoError(t, err, name)
		require.Equal(t, r.Delivered, report.OK, name)
		if report.OK {
			require.Equal(t, r.Cycles, report.Cycles, name)
			clear++
		} else {
			collided++
		}
	}
	require.Greater(t, clear, 50)
	require.Greater(t, collided, 20)
}

// Where some rows have routes, all others go by the machine's own source routes, as in a run: in dimension order.
func TestRoutesBesideOtherRoutings(t *testing.T) {
	at, err := topology.Parse("mesh:3x3")
	require.NoError(t, err)
	for _, routing := range []machine.Routing{machine.ReverseOrder, machine.UpDown} {
		m, err := machine.Preset("bufferless")
		require.NoError(t, err)
		m.Routing = routing
		s := &schedule.Schedule{Rows: []schedule.Row{
			{Message: 0, Source: 0, Destination: 8, Flits: 2},
			{Message: 1, Source: 3, Destination: 6, Flits: 1, Dispatch: 1, Route: []router.NodeID{3, 6}}, // meets message 0 if that goes along dimension 1 first
		}}
		r, err := schedule.Execute(t.Context(), s, at, m)
		require.NoError(t, err)
		report, err := check.Check(s, at, m)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		require.True(t, report.OK, report.First)
		require.Equal(t, r.Cycles, report.Cycles)
	}
}
