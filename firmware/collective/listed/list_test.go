// SPDX-License-Identifier: Apache-2.0

package listed_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/listed"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

func on(t *testing.T, spec string, keys ...string) (*topology.Topology, machine.Machine, *fabric.Routes) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	for i := 0; i < len(keys); i += 2 {
		require.NoError(t, m.Set(keys[i], keys[i+1]))
	}
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	routes, err := fabric.NewRoutes(topo, m)
	require.NoError(t, err)
	return topo, m, routes
}

// requireTimes checks times against the rule of lists, and by the checker of schedules, which knows nothing of lists.
func requireTimes(t *testing.T, name string, topo *topology.Topology, m machine.Machine, messages []listed.Message, times *listed.Times) {
	t.Helper()
	s, end := &schedule.Schedule{}, router.Cycle(0)
	for i, x := range messages {
		require.GreaterOrEqual(t, times.Handed[i], router.Cycle(0), name)
		for _, before := range x.After {
			require.GreaterOrEqual(t, times.Handed[i], times.Whole[before], name)
		}
		end = max(end, times.Whole[i]+1)
		row := schedule.Row{Message: int32(i), Source: x.From, Destination: x.To, Flits: x.Words, Dispatch: times.Handed[i] + router.Cycle(m.Startup)}
		at := x.From
		row.Route = append(row.Route, at)
		for _, p := range x.Route {
			at = topo.Neighbor(at, p)
			row.Route = append(row.Route, at)
		}
		require.Equal(t, x.To, at, name)
		s.Rows = append(s.Rows, row)
	}
	require.Equal(t, end, times.Cycles, name)
	report, err := check.Check(s, topo, m)
	require.NoError(t, err, name)
	require.True(t, report.OK, name)
	require.Equal(t, times.Cycles, report.Cycles, name)
}

// All times are free of collisions, messages wait for those that they need, and tightened and shaken times are no slower.
func TestTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	tightened, shaken := 0, 0
	for range 60 {
		spec := pick("path:5", "ring:6", "mesh:3x3", "torus:3x3", "hypercube:3", "binary:2", "debruijn:3")
		topo, m, routes := on(t, spec, "ports", pick("all", "single"), "nic.channels", pick("1", "links"), "nic.duplex", pick("full", "half"),
			"hop", pick("1", "3"), "flit", pick("1", "2"), "startup", pick("0", "4", "20"), "routing", "source")
		messages := make([]listed.Message, 5+random.IntN(30))
		order := make([]int32, len(messages))
		for i := range messages {
			x := &messages[i]
			x.From = router.NodeID(random.IntN(topo.Nodes()))
			x.To = (x.From + 1 + router.NodeID(random.IntN(topo.Nodes()-1))) % router.NodeID(topo.Nodes())
			x.Words, x.Route = 1+random.IntN(6), routes.Route(x.From, x.To)
			for k := range i {
				if messages[k].To == x.From && random.IntN(3) == 0 {
					x.After = append(x.After, int32(k))
				}
			}
			order[i] = int32(i)
		}
		name := fmt.Sprint(spec, " ", m.Describe(), " ", messages)
		l := listed.New(topo, m, messages, 1)
		first := l.InOrder(order)
		requireTimes(t, name, topo, m, messages, first)
		tight := l.Tighten(first, 5)
		requireTimes(t, name, topo, m, messages, tight)
		require.LessOrEqual(t, tight.Cycles, first.Cycles, name)
		better := l.Shake(tight, listed.Limits{Work: 20_000, Ended: func() bool { return false }})
		requireTimes(t, name, topo, m, messages, better)
		require.LessOrEqual(t, better.Cycles, tight.Cycles, name)
		if tight.Cycles < first.Cycles {
			tightened++
		}
		if better.Cycles < tight.Cycles {
			shaken++
		}
		for i := range messages {
			messages[i].After = nil
		}
		l = listed.New(topo, m, messages, 1)
		l.Balance()
		requireTimes(t, name, topo, m, messages, l.ByLoad())
	}
	require.Greater(t, tightened, 20)
	require.Greater(t, shaken, 10)
}

// Of two shortest routes each message takes the one with less to do.
func TestBalance(t *testing.T) {
	topo, m, _ := on(t, "torus:2x2", "ports", "all", "nic.channels", "links", "routing", "source")
	messages := []listed.Message{{From: 0, To: 3, Words: 8}, {From: 0, To: 3, Words: 8}}
	l := listed.New(topo, m, messages, 1)
	l.Balance()
	require.NotEqual(t, l.Messages[0].Route[0], l.Messages[1].Route[0])
	require.EqualValues(t, 2+8, l.ByLoad().Cycles)
}

// A search that is over, or that has met its least time, leaves the times as they are.
func TestShakeEnds(t *testing.T) {
	topo, m, routes := on(t, "path:3", "nic.channels", "1", "ports", "all")
	messages := []listed.Message{{From: 0, To: 2, Words: 3, Route: routes.Route(0, 2)}, {From: 1, To: 2, Words: 3, Route: routes.Route(1, 2)}}
	l := listed.New(topo, m, messages, 1)
	times := l.InOrder([]int32{0, 1})
	for _, to := range []listed.Limits{
		{Work: 1 << 20, Ended: func() bool { return true }},
		{Work: 1 << 20, Least: times.Cycles, Ended: func() bool { return false }},
		{Ended: func() bool { return false }},
	} {
		work := l.Work
		require.Same(t, times, l.Shake(times, to))
		require.Equal(t, work, l.Work)
	}
}
